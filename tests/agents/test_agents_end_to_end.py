"""Both real products on a catalog task, from the pytest command line to the rows of ``runs.jsonl``."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from agent_stage import AGENTS, REPOSITORY, Stage, read_pin

from pytest_searchlight.workspace import ProcessResult, run_process

TASK = "quillmesh-frame-limit"
SETUPS = ("closed-web", "no-search")
REPETITIONS = 2


@dataclass(frozen=True)
class Session:
    """A session that is over: rows by agent and setup, how its warden saw it end, its temporary folder."""

    rows: dict[tuple[str, str], dict[str, object]]
    watched: ProcessResult
    temporary: Path


@pytest.fixture(scope="module")
def session(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Session:
    assert stage.model.url
    folder = tmp_path_factory.mktemp("session")
    temporary = folder / "tmp"
    temporary.mkdir()
    benchmark = [
        *(sys.executable, "-m", "pytest", "catalogs/quickstart", "-p", "no:cacheprovider", "-q", "-n2"),
        f"--basetemp={folder / 'base'}",
        f"--searchlight-agent={','.join(AGENTS)}",
        f"--searchlight-setup={','.join(SETUPS)}",
        f"--searchlight-task={TASK}",
        f"--searchlight-repetitions={REPETITIONS}",
        f"--searchlight-output={folder / 'out'}",
        "--searchlight-exit=soundness",
    ]
    watched = run_process(
        [sys.executable, "-m", "scripted_model", "catalogs/quickstart/tasks.yaml", "--", *benchmark],
        cwd=REPOSITORY,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TMPDIR": str(temporary),
            "PYTHONPATH": str(REPOSITORY / "tests"),
        },
        run_id=folder.name,
        stdout_path=folder / "stdout",
        stderr_path=folder / "stderr",
        timeout_s=120,
    )
    assert watched.exit_code == 0, (folder / "stdout").read_text() + watched.stderr_tail
    rows = read_rows(folder / "out" / "runs.jsonl")
    assert len(rows) == len(AGENTS) * len(SETUPS) * REPETITIONS
    return Session(
        {(str(row["agent"]), str(row["setup"])): row for row in rows}, watched=watched, temporary=temporary
    )


@pytest.fixture
def rows(session: Session) -> dict[tuple[str, str], dict[str, object]]:
    return session.rows


def read_rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_with_search_passes_and_is_metered(
    rows: dict[tuple[str, str], dict[str, object]], agent: str
) -> None:
    row = rows[agent, "closed-web"]
    assert (row["status"], row["passed"], row["provider_calls"]) == ("graded", True, 2)
    assert row["agent_version"] == read_pin(agent).version


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_without_search_declines_and_calls_nobody(
    rows: dict[tuple[str, str], dict[str, object]], agent: str
) -> None:
    row = rows[agent, "no-search"]
    assert (row["status"], row["passed"]) == ("graded", False)
    assert row["provider_calls"] in {0, None}


def test_a_model_without_a_known_price_has_no_cost_and_says_so(
    rows: dict[tuple[str, str], dict[str, object]],
) -> None:
    cost = rows["codex", "closed-web"]["cost"]
    assert isinstance(cost, dict)
    assert cost["agent_usd"] is None
    assert any("no rate" in reason for reason in cost["unpriced"])


def test_the_products_leave_no_process_and_no_temporary_folder(session: Session) -> None:
    """Nobody escapes the session's warden, not even a process that has cleared its environment."""
    assert (session.watched.leftovers_killed, session.watched.survivors) == (0, 0)
    assert list(session.temporary.iterdir()) == []
