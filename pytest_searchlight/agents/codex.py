"""Codex: its command line, its private home, and how its run becomes a trace."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pytest_searchlight.agents.codex_events import (
    CodexStream,
    find_server_failure,
    list_impossible_calls,
    read_usage,
)
from pytest_searchlight.agents.contract import CALL_LIMIT_S, Contract, write_contract
from pytest_searchlight.agents.endings import Ending, conclude, explain_over_budget
from pytest_searchlight.agents.installation import Installation, InstalledAgent, read_version
from pytest_searchlight.agents.pins import AgentPin
from pytest_searchlight.agents.private_files import write_private, write_private_json
from pytest_searchlight.extensions import AgentJob, AgentTrace
from pytest_searchlight.workspace import ProcessResult

_SEARCH_TOOL = "web_search"
_KEY_VARIABLE = "CODEX_API_KEY"


@dataclass(frozen=True, kw_only=True)
class CodexAgent(InstalledAgent):
    """Runs Codex headless, one private home a run."""

    name: ClassVar[str] = "codex"

    def run(self, job: AgentJob) -> AgentTrace:
        """Run the product on `job` and read its event stream while it comes."""
        program = self.require_program()
        contract = write_contract(self.pin, setup=job.run.setup, server=job.server)
        self._furnish_home(job, contract=contract)
        schema_file = self._write_output_schema(job)
        stream = CodexStream(contract)
        command = build_command(
            program, contract=contract, model=self.choose_model(job), pin=self.pin, schema_file=schema_file
        )
        result = self.run_command(
            command,
            job,
            env=self._build_environment(job),
            config_folder=_find_config_folder(job.home),
            on_line=stream.hear,
        )
        ending = read_ending(stream, result=result, token_budget=job.run.task.budgets.tokens)
        return conclude(ending, result=result, flags=self.pin.explain_version(read_version(program)))

    def list_unreviewed_features(self, home: Path) -> tuple[str, ...]:
        """Features that the installed version turns on and nobody has looked at; for the doctor.

        Args:
            home: an empty folder for the product to write to.
        """
        done = subprocess.run(
            [self.require_program(), "features", "list"],
            env={"PATH": os.defpath, "CODEX_HOME": str(home)},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        known = {*self.pin.disabled_features, *self.pin.reviewed_features}
        states = (line.split() for line in done.stdout.split("\n") if line.strip())
        return tuple(words[0] for words in states if words[-1] == "true" and words[0] not in known)

    def _furnish_home(self, job: AgentJob, *, contract: Contract) -> None:
        """Fill the private home, and write the product's configuration."""
        self.furnish_home(job.home)
        config = write_config(contract, installation=self.installation)
        write_private(_find_config_folder(job.home) / "config.toml", config.encode())

    def _write_output_schema(self, job: AgentJob) -> Path | None:
        if self.output_schema is None:
            return None
        schema_file = job.home / "output-schema.json"
        write_private_json(schema_file, self.output_schema)
        return schema_file

    def _build_environment(self, job: AgentJob) -> Mapping[str, str]:
        # Headless, the product reads an API key from its own variable only; users have it in the vendor's.
        keys = self.installation.credentials
        key = keys.get(_KEY_VARIABLE) or keys.get("OPENAI_API_KEY")
        return {
            **job.environment,
            **({_KEY_VARIABLE: key} if key else {}),
            "HOME": str(job.home),
            "TMPDIR": str(job.home / "tmp"),
            "CODEX_HOME": str(_find_config_folder(job.home)),
        }


def build_command(
    program: str, *, contract: Contract, model: str, pin: AgentPin, schema_file: Path | None = None
) -> list[str]:
    """The command line; whether the model may search the web is read from `contract`."""
    return [
        program,
        *(("--search",) if _SEARCH_TOOL in contract.own_tools else ()),
        *("exec", "--json", "--ephemeral", "--skip-git-repo-check"),
        *("--sandbox", "read-only"),
        *("--model", model),
        *(("--output-schema", str(schema_file)) if schema_file is not None else ()),
        *(part for feature in pin.disabled_features for part in ("--disable", feature)),
        "-",
    ]


def write_config(contract: Contract, *, installation: Installation) -> str:
    """The text of ``config.toml``. Nothing is left to defaults that search, load or wait."""
    live = "live" if _SEARCH_TOOL in contract.own_tools else "disabled"
    lines = [
        f"web_search = {_quote(live)}",
        'cli_auth_credentials_store = "file"',
        "check_for_update_on_startup = false",
        "project_doc_max_bytes = 0",
        *(['model_provider = "elsewhere"'] if installation.base_url else []),
        "[analytics]\nenabled = false",
        '[history]\npersistence = "none"',
        "[agents]\nenabled = false",
        "[tools.experimental_request_user_input]\nenabled = false",
        # Skills of the product's own would be unpacked into every home and announced to every model.
        "[skills]\ninclude_instructions = false",
        "[skills.bundled]\nenabled = false",
        *_write_server(contract),
        *_write_provider(installation),
    ]
    return "\n".join(lines) + "\n"


def _write_server(contract: Contract) -> Iterator[str]:
    server = contract.server
    if server is None:
        return
    program, *arguments = server.command
    yield f"[mcp_servers.{_quote(server.name)}]"
    yield f"command = {_quote(program)}"
    yield f"args = {_quote(arguments)}"
    yield f"enabled_tools = {_quote(list(server.tools))}"
    # Without these a server that is slow or dead is dropped in silence, and every call is refused.
    yield "required = true"
    yield f"startup_timeout_sec = {round(server.start_timeout_s)}"
    yield f"tool_timeout_sec = {CALL_LIMIT_S}"
    yield 'default_tools_approval_mode = "approve"'


def _write_provider(installation: Installation) -> Iterator[str]:
    """Another address of the model's API, over plain HTTP and server-sent events.

    Under any other name than the vendor's the product withholds its own web search from the model.
    """
    if installation.base_url is None:
        return
    yield "[model_providers.elsewhere]"
    yield 'name = "OpenAI"'
    yield f"base_url = {_quote(installation.base_url)}"
    yield f"env_key = {_quote(_KEY_VARIABLE)}" if installation.credentials else "requires_openai_auth = true"
    yield 'wire_api = "responses"'
    # Only the second sort of repetition shows in the event stream, where a wait can be told from slowness.
    yield "request_max_retries = 0"
    yield f"stream_max_retries = {installation.max_retries}"


def _quote(value: object) -> str:
    """TOML for text or a list of text; JSON's form of both is valid TOML."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_ending(stream: CodexStream, *, result: ProcessResult, token_budget: int | None) -> Ending:
    """What the events, and stderr where the events are silent, say of how the run ended."""
    last = stream.endings[-1] if stream.endings else {}
    stderr = result.stderr_path.read_text("utf-8", "replace")
    usage = read_usage(last)
    return Ending(
        unavailable=None if stream.log.events else find_server_failure(stderr),
        over_budget=explain_over_budget(usage.total_tokens, budget=token_budget),
        waiting=stream.find_waiting(),
        finished=len(stream.endings) == 1,
        contradictory=len(stream.endings) > 1,
        fault=stream.find_fault(),
        denied_tools=stream.list_denied(),
        answer_text=stream.find_answer(),
        transcript=stream.log.list_steps(),
        tool_calls=(*stream.list_calls(), *list_impossible_calls(stderr)),
        usage=usage,
        flags=stream.list_flags(),
    )


def _find_config_folder(home: Path) -> Path:
    return home / ".codex"
