"""The site in this repository is what its reports and configuration give."""

from __future__ import annotations

from pathlib import Path

from pytest_searchlight.website.building import build_site
from pytest_searchlight.website.house import House
from pytest_searchlight.website.upkeep import find_stale

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_shipped_site_is_up_to_date(house: House) -> None:
    site = build_site(REPOSITORY / "reports", house=house)

    assert find_stale(site, REPOSITORY / "site") == [], "run `sew build-site` and commit what it writes"
