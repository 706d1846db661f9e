"""Sessions that are ended from outside: what is finished is kept, nothing survives, resuming goes on."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from plugin.scripted_agents import MAY_ANSWER, count_notes
from plugin.small_project import AGENTS_CONFTEST, Finished, Project, make_task, wait_for

from pytest_searchlight.run_rows import read_records
from pytest_searchlight.workspace import find_abandoned_roots

if TYPE_CHECKING:
    import subprocess

QUICK = ["quick-1", "quick-2", "quick-3", "quick-4"]
STUBBORN_PROCESSES = 2


@dataclass(frozen=True)
class Ending:
    """How a running session is ended: as a terminal's Ctrl-C does, or as a service manager does."""

    number: signal.Signals
    whole_group: bool = False
    ignores_sigint: bool = False

    def strike(self, process: subprocess.Popen[bytes]) -> None:
        """End the session."""
        (os.killpg if self.whole_group else os.kill)(process.pid, self.number)

    def prepare(self) -> None:
        """Run in the session's process before pytest."""
        signal.signal(signal.SIGINT, signal.SIG_IGN if self.ignores_sigint else signal.default_int_handler)


ENDINGS = {
    "ctrl-c": Ending(signal.SIGINT, whole_group=True),
    "sigterm": Ending(signal.SIGTERM),
    "sigterm-while-sigint-is-ignored": Ending(signal.SIGTERM, ignores_sigint=True),
}


def make_project(project: Project) -> Project:
    """A project whose fifth run hangs in two processes that ignore every polite signal."""
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog([*QUICK, "slow"], agents=["hanging"])
    return project


def start_and_wait_until_it_hangs(
    project: Project, *args: str, ending: Ending | None = None
) -> subprocess.Popen[bytes]:
    process = project.start("catalogs", *args, prepare=ending.prepare if ending else None)
    try:
        wait_for(
            lambda: count_files(project, "agent-notes/hanging.*") == STUBBORN_PROCESSES, what="processes"
        )
        # A bundle that is being filled begins with a dot.
        wait_for(lambda: count_files(project, ".searchlight/*/runs/[!.]*.quick-*") == len(QUICK), what="runs")
    except AssertionError:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return process


def count_files(project: Project, pattern: str) -> int:
    return len(list(project.root.glob(pattern)))


@pytest.fixture(
    scope="module",
    params=[(ending, way) for ending in ENDINGS for way in ("bare", "n2")],
    ids="-".join,
)
def ended(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Project, Finished]:
    """A session that was ended while its fifth run hung."""
    name, way = request.param
    project = make_project(Project(tmp_path_factory.mktemp("ended")))
    ending = ENDINGS[name]
    process = start_and_wait_until_it_hangs(project, *(["-n2"] if way == "n2" else []), ending=ending)
    ending.strike(process)
    return project, project.finish(process)


def test_it_ends_as_interrupted_without_a_traceback(ended: tuple[Project, Finished]) -> None:
    _, done = ended
    assert done.code == pytest.ExitCode.INTERRUPTED, done.out + done.err
    assert "INTERNALERROR" not in done.out + done.err


def test_finished_runs_are_kept_and_summed_up(ended: tuple[Project, Finished]) -> None:
    _, done = ended
    assert done.statuses == {**dict.fromkeys(QUICK, "graded"), "slow": "not_run"}
    assert done.summary["counts"]["passes"] == len(QUICK)
    assert "1 not_run" in done.out
    assert (
        f"go on with what is missing: pytest --searchlight-resume=.searchlight/{done.folder.name}" in done.out
    )


def test_no_process_and_no_scratch_folder_survives(ended: tuple[Project, Finished]) -> None:
    project, _ = ended
    assert project.list_leftovers() == []


def test_resuming_runs_only_what_is_missing(ended: tuple[Project, Finished]) -> None:
    project, _ = ended
    before = count_notes(project.root, "attempt")
    project.write(str(MAY_ANSWER), "")
    again = project.run("--searchlight-resume")
    assert again.code == 0, again.out
    assert again.summary["counts"]["passes"] == len(QUICK) + 1
    assert count_notes(project.root, "attempt") == before + 1
    assert "4 of 5 planned runs are measured" in again.out


def test_a_run_that_a_worker_finishes_after_the_controllers_end_is_summed_up(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky", "sea"], agents=["outlasting"])
    process = project.start("catalogs", "-n2")
    wait_for(lambda: count_notes(project.root, "begun") == 2, what="both runs")
    process.terminate()
    project.write(str(MAY_ANSWER), "")
    done = project.finish(process)
    assert done.session is not None
    assert done.statuses == {record.task: record.status for record in read_records(done.session)}
    assert done.summary["counts"]["passes"] == 2
    assert "runs that are under way get up to ten seconds to end" in done.out


def test_after_a_kill_nothing_survives_and_the_summary_is_rebuilt_from_evidence(project: Project) -> None:
    process = start_and_wait_until_it_hangs(make_project(project))
    process.kill()
    done = project.finish(process)
    wait_for(lambda: not find_processes(project), what="the end of the stubborn processes")
    assert not (done.folder / "summary.json").exists()
    assert project.sew("summarize", str(done.folder)).code == 0
    assert done.statuses == {**dict.fromkeys(QUICK, "graded"), "slow": "not_run"}


def test_the_next_session_removes_the_scratch_folder_of_a_killed_one(project: Project) -> None:
    process = start_and_wait_until_it_hangs(make_project(project))
    process.kill()
    project.finish(process)
    wait_for(lambda: find_abandoned_roots(project.scratch), what="an abandoned scratch folder")
    project.write(str(MAY_ANSWER), "")
    assert project.run("--searchlight-resume").code == 0
    wait_for(lambda: not project.list_leftovers(), what="a clean scratch folder")


def test_a_killed_worker_is_a_fault_of_infrastructure_and_the_others_go_on(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["deadly", *QUICK], agents=["deadly"])
    done = project.run("catalogs", "-n2")
    assert done.code == 1
    assert done.statuses == {"deadly": "agent_error", **dict.fromkeys(QUICK, "graded")}
    assert done.get_row(task="deadly")["reason"] == "the worker process died during the run"
    (bundle,) = done.folder.glob("runs/small.deadly.*")
    assert (bundle / "agent" / "last-words.txt").read_text(encoding="utf-8") == "about to die"
    project.write(str(MAY_ANSWER), "")
    again = project.run("--searchlight-resume")
    assert again.code == 0, again.out
    assert read_records(again.session)[0].passed is True if again.session else False


def test_a_worker_that_an_ordinary_test_kills_leaves_no_traceback_of_ours(project: Project) -> None:
    project.write("test_deadly.py", "import os\ndef test_deadly(): os._exit(3)\ndef test_other(): pass\n")
    done = project.run("test_deadly.py", "-n2", "--searchlight-setup=no-search")
    assert done.counts == {"failed": 1, "passed": 1}
    assert "INTERNALERROR" not in done.out + done.err
    assert project.list_sessions() == []


def test_an_agent_that_ignores_sigterm_ends_with_its_budget(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog([make_task("slow", budgets={"wall_clock_s": 1})], agents=["hanging"])
    done = project.run("catalogs")
    assert done.statuses == {"slow": "timeout"}
    assert done.counts == {"failed": 1}
    assert project.list_leftovers() == []


def find_processes(project: Project) -> list[str]:
    return [name for name in project.list_leftovers() if name.isdigit()]
