"""A session of 200 runs leaves no process and no temporary folder, however its agents leave."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from agent_stage import SERVER_COMMAND, SERVER_TOOLS

if TYPE_CHECKING:
    from plugin.small_project import Project

MANNERS = ("politely", "outright", "untidily", "never")
REPETITIONS = 50
CONFTEST = "from agent_stage.visiting import pytest_searchlight_register as pytest_searchlight_register\n"
SETUP = f"""
shelf:
  kind: provider
  server:
    version: "1"
    command: ["{{python}}", {", ".join(f'"{part}"' for part in SERVER_COMMAND[1:])}]
  tools: [{", ".join(f"{{name: {name}}}" for name in SERVER_TOOLS)}]
"""


def test_two_hundred_runs_leave_no_process_and_no_temporary_folder(project: Project) -> None:
    project.write("conftest.py", CONFTEST)
    project.write("config/provider-arm-tools.yaml", SETUP)
    project.write_catalog(MANNERS, agents=["visitor"], setups=["shelf"], repetitions=REPETITIONS)
    done, watched = project.run_watched("-q", "-n2", "--basetemp=base", "--searchlight-exit=soundness")
    assert Counter((row["task"], row["status"], row["provider_calls"]) for row in done.rows) == {
        ("politely", "graded", 1): REPETITIONS,
        ("outright", "graded", 1): REPETITIONS,
        ("untidily", "graded", 1): REPETITIONS,
        ("never", "budget_exhausted", 1): REPETITIONS,
    }, done.out + done.err
    assert (watched.leftovers_killed, watched.survivors) == (0, 0)
    assert list(project.scratch.iterdir()) == []
