"""When the harness dies, is interrupted or was started with odd signal dispositions."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pytest_searchlight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AGENT = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print("running", flush=True)
        time.sleep(60)
    os._exit(0)
time.sleep(60)
"""
HARNESS = f"""
import signal, sys
from pathlib import Path
from pytest_searchlight.workspace import find_marked_processes, run_process

def leave(number, frame):
    sys.exit("terminated")

def say(line):
    print(line.decode(), flush=True)

if "handle-term" in sys.argv:
    signal.signal(signal.SIGTERM, leave)
try:
    run_process(
        [sys.executable, "-I", "-S", "-c", {AGENT!r}],
        cwd=Path.cwd(), env={{}}, run_id=sys.argv[1], stdout_path=Path("stdout"), stderr_path=Path("stderr"),
        timeout_s=30, stop_grace_s=0.2, on_line=say,
    )
except BaseException as error:
    print(type(error).__name__, find_marked_processes(sys.argv[1]), flush=True)
"""
Harness = subprocess.Popen[str]

KEPT_BY_LIBC = 0b11 << 31
"""Signals 32 and 33, which the C library keeps for itself and lets nobody reset."""


@pytest.fixture
def start_harness(tmp_path: Path, run_id: str) -> Iterator[Callable[..., Harness]]:
    """Starts a harness with a stubborn agent and a daemon under it; returns once both are running."""
    started: list[Harness] = []

    def start(*options: str, ignoring: str = "") -> Harness:
        script = f"trap '' {ignoring}; exec \"$@\"" if ignoring else 'exec "$@"'
        harness = subprocess.Popen(
            ["sh", "-c", script, "sh", sys.executable, "-c", HARNESS, run_id, *options],
            cwd=tmp_path,
            env={"PATH": os.defpath, "PYTHONPATH": str(Path(pytest_searchlight.__file__).parents[1])},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        started.append(harness)
        assert harness.stdout is not None
        assert harness.stdout.readline() == "running\n"
        return harness

    yield start
    for harness in started:
        harness.kill()
        harness.communicate(timeout=20)


def test_nothing_survives_a_harness_that_was_killed(
    start_harness: Callable[..., Harness], wait_until_none_survives: Callable[[], None]
) -> None:
    start_harness().kill()
    wait_until_none_survives()


def test_nothing_survives_a_harness_that_ignores_interrupts_and_is_terminated(
    start_harness: Callable[..., Harness], wait_until_none_survives: Callable[[], None]
) -> None:
    start_harness(ignoring="INT").terminate()
    wait_until_none_survives()


def test_all_is_gone_before_the_interrupt_is_felt(start_harness: Callable[..., Harness]) -> None:
    harness = start_harness()
    harness.send_signal(signal.SIGINT)
    assert harness.communicate(timeout=20)[0] == "KeyboardInterrupt []\n"


@pytest.mark.parametrize("ignoring", ["", "INT", "INT CHLD"])
def test_all_is_gone_before_a_signal_handlers_exception_is_felt(
    start_harness: Callable[..., Harness], ignoring: str
) -> None:
    harness = start_harness("handle-term", ignoring=ignoring)
    harness.terminate()
    assert harness.communicate(timeout=20)[0] == "SystemExit []\n"


def test_a_second_interrupt_leaves_at_once_and_nothing_survives(
    start_harness: Callable[..., Harness], wait_until_none_survives: Callable[[], None]
) -> None:
    harness = start_harness()
    harness.send_signal(signal.SIGINT)
    harness.send_signal(signal.SIGINT)
    harness.communicate(timeout=20)
    wait_until_none_survives()


@pytest.mark.parametrize("death", ["sys.exit()", "os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_the_warden_that_waits_for_work_goes_with_its_harness(
    tmp_path: Path, run_id: str, death: str, wait_until_gone: Callable[[int], None]
) -> None:
    script = (
        "import os, sys; from pathlib import Path\n"
        "from pytest_searchlight.workspace import run_process, warding\n"
        "run_process(['true'], cwd=Path.cwd(), env={'PATH': os.defpath}, run_id=sys.argv[1], timeout_s=20,"
        " stdout_path=Path('stdout'), stderr_path=Path('stderr'))\n"
        "print(warding._spare._wardens[0]._process.pid, flush=True)\n"
        f"{death}"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, run_id],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(pytest_searchlight.__file__).parents[1])},
        stdout=subprocess.PIPE,
        timeout=20,
        check=False,
    )
    wait_until_gone(int(done.stdout))


def test_the_command_gets_default_dispositions_whatever_the_harness_inherited(
    tmp_path: Path, run_id: str
) -> None:
    ignored = "INT TERM HUP QUIT CHLD PIPE USR1"
    script = (
        "import sys; from pathlib import Path; from pytest_searchlight.workspace import run_process\n"
        "result = run_process(['sh', '-c', 'grep -E \"Sig(Blk|Ign)\" /proc/self/status; exit 3'],"
        " cwd=Path.cwd(), env={'PATH': '/usr/bin:/bin'}, run_id=sys.argv[1], timeout_s=20,"
        " stdout_path=Path('stdout'), stderr_path=Path('stderr'))\n"
        "print(result.exit_code, result.stdout_path.read_text().split())"
    )
    done = subprocess.run(
        ["sh", "-c", f"trap '' {ignored}; exec \"$@\"", "sh", sys.executable, "-c", script, run_id],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(pytest_searchlight.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    code, blocked, ignored_mask = re.findall(r"\b[0-9a-f]{16}\b|^\d+", done.stdout)
    assert (code, int(blocked, 16)) == ("3", 0)
    assert int(ignored_mask, 16) & ~KEPT_BY_LIBC == 0
