"""Whole sessions, as a person with keys would run them, with the real servers on a closed stage."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugin.small_project import Project
from provider_stage.fake_provider_api import FakeProviderApi, serve_provider_api
from provider_stage.provider_answers import PAGE_TITLE, PAGE_URL
from provider_stage.provider_lab import CALLS, KEY

from pytest_searchlight.providers.tap import TAPPED_SPEND, read_tapped_spend
from pytest_searchlight.settings import INSTALLS_FOLDER

PLATES_TASK = {
    "id": "plates-of-release-7",
    "family": "typed-facts",
    "prompt": "How many plates does release 7 of the Quillmark press hold?",
    "deliverable": {
        "type": "object",
        "required": ["plates"],
        "properties": {
            "plates": {"type": ["number", "null"], "description": "Number of plates in release 7"}
        },
    },
    "checks": [{"kind": "value-match", "field": "/plates", "number": {"is": 212}}],
    "reference": {"excerpt": f"{PAGE_TITLE}: 212 plates.", "source": PAGE_URL, "event_date": "2026-03-14"},
    "reference_answer": {"plates": 212},
    "wrong_answers": [{"why": "the release before", "answer": {"plates": 180}}],
    "freshness": {"checked": "2026-11-30"},
}


@pytest.fixture
def closed_project(tmp_path: Path, api: FakeProviderApi, installs: Path) -> Project:
    """A project with one task, all keys, the servers installed and a network that ends at the fake API."""
    keys = {f"{name.upper()}_API_KEY": KEY for name in CALLS}
    project = Project(tmp_path / "project", env={**api.node_environment, **keys})
    (project.root / INSTALLS_FOLDER).parent.mkdir(parents=True)
    (project.root / INSTALLS_FOLDER).symlink_to(installs)
    project.write_catalog([PLATES_TASK], agents=["baseline"])
    return project


def test_every_providers_real_server_is_measured_end_to_end_and_no_key_is_left_behind(
    closed_project: Project, api: FakeProviderApi
) -> None:
    done = closed_project.run_apart(f"--searchlight-setup={','.join(CALLS)}", "-n2")
    assert {row["setup"]: row["status"] for row in done.rows} == dict.fromkeys(CALLS, "graded"), done.out
    for row in done.rows:
        assert row["provider_calls"] >= 1, row["setup"]
        assert api.list_requests(row["setup"])
    assert done.get_row(setup="brave")["cost"]["provider_usd"] > 0
    assert done.get_row(setup="firecrawl")["cost"]["provider_usd"] is None
    assert api.strangers == []
    written = [path for path in done.folder.rglob("*") if path.is_file()]
    assert [path for path in written if KEY.encode() in path.read_bytes()] == []
    assert KEY not in done.out + done.err
    assert closed_project.list_leftovers() == []


def test_a_missing_key_stops_the_session_before_any_provider_is_called(
    closed_project: Project, api: FakeProviderApi
) -> None:
    closed_project.env.pop("BRAVE_API_KEY")
    done = closed_project.run_apart("--searchlight-setup=exa,brave")
    assert done.code == 4
    assert "setup 'brave' needs the key BRAVE_API_KEY" in done.err
    assert api.list_requests("exa") == []
    assert closed_project.list_sessions() == []


def test_a_tapped_provider_is_priced_by_what_its_api_reports(closed_project: Project) -> None:
    done = closed_project.run_apart("--searchlight-setup=exa", "--searchlight-tap-costs")
    (row,) = done.rows
    reported = read_tapped_spend(done.folder / "runs" / row["run_id"] / "wire" / TAPPED_SPEND)
    assert len(reported) == row["provider_calls"] > 0, done.out
    assert row["cost"]["provider_usd"] == pytest.approx(sum(each.spend["usd"] for each in reported))


def test_eight_workers_stay_below_what_a_provider_allows(tmp_path: Path, installs: Path) -> None:
    (tmp_path / "api").mkdir()
    with serve_provider_api(tmp_path / "api", allowed_per_s=2) as slow_api:
        project = Project(tmp_path / "project", env={**slow_api.node_environment, "BRAVE_API_KEY": KEY})
        (project.root / INSTALLS_FOLDER).parent.mkdir(parents=True)
        (project.root / INSTALLS_FOLDER).symlink_to(installs)
        project.write_catalog([PLATES_TASK], agents=["baseline"])
        done = project.run_apart("--searchlight-setup=brave", "--searchlight-repetitions=8", "-n8")
        asked = len(slow_api.list_requests("brave"))
    assert [(row["status"], row["attempts"]) for row in done.rows] == [("graded", 1)] * 8, done.out
    assert [flag for row in done.rows for flag in row["flags"]] == []
    assert sum(row["provider_calls"] for row in done.rows) == asked
