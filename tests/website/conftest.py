"""Reports and a site built of them, for tests that only look."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_stage.fixtures import chromium, page
from website.staged_reports import read_shipped_house, write_all

from pytest_searchlight.website.building import Site, build_site
from pytest_searchlight.website.house import House
from pytest_searchlight.website.upkeep import write_site

__all__ = ["chromium", "page"]


@pytest.fixture(scope="session")
def house() -> House:
    return read_shipped_house()


@pytest.fixture(scope="session")
def all_reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of reports of every sort."""
    reports = tmp_path_factory.mktemp("website") / "reports"
    write_all(reports)
    return reports


@pytest.fixture(scope="session")
def built(all_reports: Path, house: House) -> Site:
    """The site of these reports, in memory."""
    return build_site(all_reports, house=house)


@pytest.fixture(scope="session")
def site(built: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same on disk."""
    out = tmp_path_factory.mktemp("website") / "site"
    write_site(built, out)
    return out
