"""The reports that are shipped with this repository hold."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from pytest_searchlight.cli import main
from pytest_searchlight.publishing import check_reports, prepare_scan

ROOT = Path(__file__).parents[2]


def test_every_shipped_report_holds(capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.chdir(ROOT):
        code = main(["check-reports"])
    assert code == 0, capsys.readouterr().out


def test_measured_and_transcribed_reports_are_shipped() -> None:
    examined = check_reports(ROOT / "reports", catalogs=ROOT / "catalogs", scan=prepare_scan({}))
    assert {report.kind for report in examined} == {"measured", "transcribed"}
    assert all(report.rows > 100 for report in examined if report.kind == "measured")
