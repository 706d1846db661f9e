"""Both real products on a catalog task, from the pytest command line to the rows of ``runs.jsonl``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from agent_stage import AGENTS, REPOSITORY, Stage, read_pin

TASK = "quillmesh-frame-limit"
SETUPS = ("closed-web", "no-search")


@pytest.fixture(scope="module")
def rows(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, object]]:
    """The session's rows by agent and setup."""
    assert stage.model.url
    session = tmp_path_factory.mktemp("session") / "out"
    benchmark = [
        *(sys.executable, "-m", "pytest", "catalogs/quickstart", "-p", "no:cacheprovider", "-q"),
        f"--searchlight-agent={','.join(AGENTS)}",
        f"--searchlight-setup={','.join(SETUPS)}",
        f"--searchlight-task={TASK}",
        f"--searchlight-output={session}",
        "--searchlight-exit=soundness",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "scripted_model", "catalogs/quickstart/tasks.yaml", "--", *benchmark],
        cwd=REPOSITORY,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(session.parent),
            "PYTHONPATH": str(REPOSITORY / "tests"),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {(str(row["agent"]), str(row["setup"])): row for row in read_rows(session / "runs.jsonl")}


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
