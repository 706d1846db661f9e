"""How a command ends, what is said about it, and that nothing of it is left."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_searchlight.errors import RunError
from pytest_searchlight.workspace import Stop, create_scratch_root, find_marked_processes, run_process
from pytest_searchlight.workspace import warding as warding_room

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workspace.conftest import Run

STUBBORN_WITH_DAEMON = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print("daemon is up", flush=True)
        time.sleep(60)
    os._exit(0)
os.wait()
time.sleep(60)
"""
COUNT_ADOPTED_ZOMBIES = """
import os, pathlib, time
for _ in range(5):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(0.05)
        os._exit(0)
    os.wait()
def read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b") gone 0"
def count():
    stats = [read(path) for path in pathlib.Path("/proc").glob("[0-9]*/stat")]
    return sum(int(stat.rsplit(b")")[-1].split()[1]) == os.getppid() for stat in stats) - 1
deadline = time.monotonic() + 10
while count() and time.monotonic() < deadline:
    time.sleep(0.02)
print(count())
"""


def python(script: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", script]


def stop_at_once(_: bytes) -> Stop:
    return Stop(reason="enough")


@pytest.fixture
def fresh_spare() -> Iterator[warding_room._Spare]:
    """A place for spare wardens of a test's own."""
    spare = warding_room._Spare()
    yield spare
    spare.dismiss()


def count_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


# --- by itself -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "exit_code"),
    [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 128 + 15), ("kill -KILL $$", 128 + 9)],
)
def test_the_exit_code_is_the_commands_own(run: Run, script: str, exit_code: int) -> None:
    result = run(["sh", "-c", script])
    assert (result.ended_by, result.exit_code, result.stop_reason) == ("exit", exit_code, None)
    assert (result.leftovers_killed, result.survivors, result.limited_reach) == (0, 0, None)


def test_what_a_command_used_is_measured_with_its_descendants(run: Run) -> None:
    burn = "import time\nheap = bytearray(60_000_000)\nwhile time.process_time() < 0.3: pass"
    result = run(["sh", "-c", '"$0" -I -S -c "$1"; true', sys.executable, burn])
    assert result.cpu_s is not None
    assert result.max_rss_bytes is not None
    assert result.duration_s is not None
    assert 0.3 <= result.cpu_s < 3
    assert 60_000_000 < result.max_rss_bytes < 200_000_000
    assert result.duration_s >= 0.3


@pytest.mark.parametrize("program", ["no-such-program", "/etc/passwd"])
def test_a_command_that_cannot_be_started_is_an_infrastructure_error(run: Run, program: str) -> None:
    with pytest.raises(RunError, match=rf"cannot start {program} in .*: (No such file|Permission denied)"):
        run([program])


def test_a_command_is_not_started_in_a_folder_that_is_missing(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(RunError, match=r"cannot start true in .*no-such-folder: No such file"):
        run_process(
            ["true"],
            cwd=tmp_path / "no-such-folder",
            env={"PATH": os.defpath},
            run_id=run_id,
            stdout_path=tmp_path / "stdout",
            stderr_path=tmp_path / "stderr",
            timeout_s=5,
        )


@pytest.mark.parametrize("text", ["", "two words", "line\nend", "=", "größe", "\udcff"])
def test_arguments_and_variables_reach_the_command_as_they_are(run: Run, text: str) -> None:
    script = "import os, sys; print(ascii((sys.argv[1], os.environ['TEXT'])))"
    result = run([sys.executable, "-I", "-S", "-X", "utf8", "-c", script, text], env={"TEXT": text})
    assert result.stdout_path.read_text() == f"{(text, text)!a}\n"


def test_a_command_with_a_null_byte_is_refused(run: Run) -> None:
    with pytest.raises(ValueError, match="null byte"):
        run(["echo", "a\0b"])


def test_a_missing_folder_is_an_infrastructure_error(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(RunError, match=r"cannot create .*no-such-folder"):
        run_process(
            ["true"],
            cwd=tmp_path,
            env={},
            run_id=run_id,
            stdout_path=tmp_path / "no-such-folder" / "stdout",
            stderr_path=tmp_path / "stderr",
            timeout_s=5,
        )


def test_the_environment_is_what_was_given_and_the_mark(run: Run, run_id: str) -> None:
    result = run([sys.executable, "-I", "-c", "print(open('/proc/self/environ').read())"], env={})
    (entry,) = result.stdout_path.read_text().strip().rstrip("\0").split("\0")
    assert entry.startswith(f"SEARCHLIGHT_RUN={run_id}/")


def test_programs_are_looked_up_on_the_given_path(run: Run, tmp_path: Path) -> None:
    (tmp_path / "greet").write_text("#!/bin/sh\necho hello\n")
    (tmp_path / "greet").chmod(0o700)
    assert run(["greet"], env={"PATH": str(tmp_path)}).stdout_path.read_text() == "hello\n"


# --- by us -----------------------------------------------------------------------------------------------


def test_a_timeout_keeps_the_output_written_till_then(run: Run) -> None:
    result = run(["sh", "-c", "echo partial; printf unfinished; sleep 60"], timeout_s=1.5)
    assert (result.ended_by, result.exit_code) == ("timeout", 128 + 15)
    assert result.stop_reason == "still running after 1.5 s"
    assert result.stdout_path.read_text() == "partial\nunfinished"


def test_a_command_that_ignores_sigterm_is_killed(run: Run) -> None:
    result = run(["sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 0.1; done"], on_line=stop_at_once)
    assert (result.ended_by, result.exit_code) == ("stopped", 128 + 9)


def test_a_command_that_heeds_sigterm_may_say_its_last_words(run: Run) -> None:
    script = "trap 'echo bye; exit 5' TERM; echo hello; sleep 60 & wait"
    result = run(["sh", "-c", script], on_line=stop_at_once, stop_grace_s=10)
    assert (result.ended_by, result.exit_code) == ("stopped", 5)
    assert result.stdout_path.read_text() == "hello\nbye\n"


def test_a_line_can_stop_the_command_at_once(run: Run) -> None:
    def stop_at_result(line: bytes) -> Stop | None:
        return Stop(reason="tools missing") if line == b"init" else None

    result = run(["sh", "-c", "echo init; sleep 60"], on_line=stop_at_result)
    assert (result.ended_by, result.stop_reason) == ("stopped", "tools missing")


def test_a_command_that_ends_within_its_grace_was_not_stopped(run: Run) -> None:
    result = run(["sh", "-c", "echo result; exit 4"], on_line=lambda _: Stop(reason="answered", after_s=15))
    assert (result.ended_by, result.exit_code) == ("exit", 4)


def test_a_command_that_hangs_after_its_result_is_stopped(run: Run) -> None:
    result = run(
        ["sh", "-c", "echo result; sleep 60"], on_line=lambda _: Stop(reason="answered", after_s=0.2)
    )
    assert (result.ended_by, result.stop_reason) == ("stopped", "answered")


def test_a_later_stop_does_not_postpone_an_earlier_one(run: Run) -> None:
    graces_s = iter([0.2, 60.0])
    script = "echo result; echo trailer; sleep 60"
    result = run(["sh", "-c", script], on_line=lambda _: Stop(reason="answered", after_s=next(graces_s)))
    assert result.ended_by == "stopped"


def test_an_exception_in_on_line_leaves_nothing_behind(run: Run, run_id: str) -> None:
    def refuse(line: bytes) -> None:
        raise ValueError(line)

    with pytest.raises(ValueError, match="daemon is up"):
        run(python(STUBBORN_WITH_DAEMON), on_line=refuse)
    assert find_marked_processes(run_id) == []


# --- what it leaves behind -------------------------------------------------------------------------------


def test_a_stubborn_command_and_its_daemon_are_both_killed(run: Run) -> None:
    result = run(python(STUBBORN_WITH_DAEMON), on_line=stop_at_once)
    assert (result.ended_by, result.exit_code) == ("stopped", 128 + 9)
    assert (result.leftovers_killed, result.survivors) == (1, 0)


def test_daemons_do_not_outlive_a_command_that_ended_well(run: Run) -> None:
    result = run(["sh", "-c", "setsid sleep 60 & setsid sh -c 'sleep 60 & sleep 60' & exit 0"])
    assert (result.ended_by, result.exit_code) == ("exit", 0)
    assert result.leftovers_killed >= 2


def test_a_leftover_may_heed_sigterm(run: Run, tmp_path: Path) -> None:
    polite = "trap 'echo closed > closed; exit' TERM; echo up; sleep 60 & wait"
    run(["sh", "-c", f'setsid sh -c "{polite}" & wait'], on_line=stop_at_once, stop_grace_s=10)
    assert (tmp_path / "closed").read_text() == "closed\n"


def test_a_daemon_whose_name_looks_like_a_stat_line_is_found(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x) Z 1 (").symlink_to("/bin/sleep")
    assert run(["sh", "-c", "setsid './x) Z 1 (' 60 & exit 0"]).leftovers_killed == 1


def test_a_stopped_process_is_ended_too(run: Run) -> None:
    result = run(["sh", "-c", "sleep 60 & kill -STOP $!; echo stopped; wait"], on_line=stop_at_once)
    assert (result.leftovers_killed, result.survivors) == (1, 0)


def test_orphans_that_end_do_not_pile_up_as_zombies(run: Run) -> None:
    result = run(python(COUNT_ADOPTED_ZOMBIES))
    assert result.stdout_path.read_text() == "0\n"


def test_a_command_that_kills_its_warden_dies_with_it(run: Run) -> None:
    result = run(["sh", "-c", "setsid sleep 60 & kill -KILL $PPID; sleep 60"])
    assert (result.ended_by, result.exit_code, result.duration_s) == ("lost", None, None)


def test_the_warden_of_the_next_command_gets_ready_meanwhile_and_is_replaced_when_it_is_killed(
    run: Run,
) -> None:
    run(["true"])
    (waiting,) = warding_room._spare._wardens
    assert run(["sh", "-c", "echo $PPID"]).stdout_path.read_text() == f"{waiting._process.pid}\n"
    (waiting,) = warding_room._spare._wardens
    waiting.kill()
    waiting._process.wait()
    assert run(["sh", "-c", "exit 3"]).exit_code == 3


def test_a_command_that_stops_its_warden_can_still_be_stopped(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warding_room, "KILL_LIMIT_S", 0.1)
    monkeypatch.setattr(warding_room, "_MARGIN_S", 0.1)
    result = run(["sh", "-c", "kill -STOP $PPID; echo alone; sleep 60"], on_line=stop_at_once)
    assert (result.ended_by, result.stop_reason) == ("stopped", "enough")


def test_without_a_subreaper_the_process_group_is_ended_and_the_result_says_so(
    tmp_path: Path,
    run_id: str,
    wait_until_none_survives: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    fresh_spare: warding_room._Spare,
) -> None:
    program = tmp_path / "warden_elsewhere.py"
    program.write_text(
        f"import sys; sys.path.append({str(warding_room.WARDEN_PROGRAM.parents[2])!r})\n"
        "from pytest_searchlight.warden import program\n"
        "program.become_subreaper = lambda: False; program.main()\n"
    )
    monkeypatch.setattr(warding_room, "WARDEN_PROGRAM", program)
    monkeypatch.setattr(warding_room, "_spare", fresh_spare)
    result = run_process(
        ["sh", "-c", "sleep 60 & exit 6"],
        cwd=tmp_path,
        env={"PATH": os.defpath},
        run_id=run_id,
        stdout_path=tmp_path / "stdout",
        stderr_path=tmp_path / "stderr",
        timeout_s=20,
    )
    wait_until_none_survives()
    assert (result.ended_by, result.exit_code) == ("exit", 6)
    assert result.limited_reach == f"{sys.platform}: only the process group was ended"


def test_fifty_runs_in_a_row_leave_no_process_no_folder_and_no_descriptor(
    tmp_path: Path, run_id: str, run: Run
) -> None:
    run(["true"])  # from here on a spare warden waits
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    descriptors = count_descriptors()
    with create_scratch_root(scratch) as root:
        for number in range(50):
            daemon = "sleep 60 &" if number % 10 == 0 else ""
            with root.create_workspace() as workspace:
                result = run_process(
                    ["sh", "-c", f"echo x > kept; {daemon} exit 0"],
                    cwd=workspace.work,
                    env={"PATH": os.defpath, "HOME": str(workspace.home)},
                    run_id=run_id,
                    stdout_path=workspace.private / "stdout",
                    stderr_path=workspace.private / "stderr",
                    timeout_s=20,
                )
                assert (result.exit_code, result.leftovers_killed) == (0, int(bool(daemon)))
    assert find_marked_processes(run_id) == []
    assert list(scratch.iterdir()) == []
    assert count_descriptors() == descriptors
