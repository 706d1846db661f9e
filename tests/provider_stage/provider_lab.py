"""The shipped providers' real servers, with keys that are none and a network that ends at the fake API."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from provider_stage.fake_provider_api import FakeProviderApi
from provider_stage.metered_server import MeteredServer, start_metered
from provider_stage.provider_answers import PAGE_URL
from pytest_searchlight.domain import SearchSetup
from pytest_searchlight.metering import Metering, read_metering
from pytest_searchlight.providers import build_server_launch

KEY = "fake-key-of-the-tests-0123456789"
CALLS: dict[str, dict[str, dict[str, JsonValue]]] = {
    "exa": {"web_search_exa": {"query": "plates"}, "web_fetch_exa": {"urls": [PAGE_URL, PAGE_URL]}},
    "tavily": {"tavily_search": {"query": "plates"}, "tavily_extract": {"urls": [PAGE_URL]}},
    "firecrawl": {"firecrawl_search": {"query": "plates"}, "firecrawl_scrape": {"url": PAGE_URL}},
    "brave": {"brave_web_search": {"query": "plates"}, "brave_llm_context": {"query": "plates"}},
    "perplexity": {"perplexity_search": {"query": "plates"}},
}


@dataclass(frozen=True, kw_only=True)
class Lab:
    """The shipped setups with a network that ends at the fake API, and a folder for one metered session."""

    setups: dict[str, SearchSetup]
    api: FakeProviderApi
    installs: Path
    folder: Path

    def launch(self, name: str) -> dict[str, JsonValue]:
        return build_server_launch(
            self.setups[name],
            closed_web=None,
            secrets={f"{name.upper()}_API_KEY": KEY},
            installs=self.installs,
            network=self.api.node_environment,
        )

    def start(self, name: str) -> AbstractContextManager[MeteredServer]:
        return start_metered(self.launch(name), self.folder)

    def read(self) -> Metering:
        return read_metering(self.folder / "spool")
