"""What ``sew`` does where its output cannot go, or a folder cannot be written: a sentence, no traceback."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from plugin.small_project import Finished, Project

SEW = shlex.quote(str(Path(sys.executable).with_name("sew")))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("outputs"))


def run_in_shell(project: Project, command: str) -> Finished:
    return project.finish(project.start_command(["bash", "-o", "pipefail", "-c", command]))


def test_a_reader_may_leave_early(project: Project) -> None:
    done = run_in_shell(project, f"{SEW} schema summary | head -c 1")
    assert (done.code, done.out, done.err) == (0, "{", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("command", ["schema summary", "export --columns"])
def test_a_full_disk_below_the_output_is_told(project: Project, command: str) -> None:
    done = run_in_shell(project, f"{SEW} {command} > /dev/full")
    assert done.code == 1
    assert done.err.startswith("sew: the output: No space left on device; see that")
    assert len(done.err.splitlines()) == 1, done.err


def test_a_closed_output_is_no_failure(project: Project) -> None:
    done = run_in_shell(project, f"{SEW} schema summary >&-")
    assert (done.code, done.err) == (0, "")


def test_a_folder_that_cannot_be_written_is_named(project: Project) -> None:
    project.write(".searchlight", "a file where the folder should be")
    done = project.sew("judge-audit")
    assert done.code == 1
    assert done.err.startswith(f"sew: {project.root / '.searchlight'}")
    assert "; see that it may be read and written" in done.err
    assert "Traceback" not in done.err
