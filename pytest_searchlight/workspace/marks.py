"""The mark in the environment of every process of a run, by which strays are found."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RUN_VARIABLE: Final = "SEARCHLIGHT_RUN"


def mark_environment(env: Mapping[str, str], *, run_id: str) -> tuple[dict[str, str], str]:
    """`env` with a mark for one attempt at a run, and the mark: the run's id and something unique."""
    mark = f"{run_id}/{os.urandom(6).hex()}"
    return {**env, RUN_VARIABLE: mark}, mark


def find_marked_processes(mark: str) -> list[int]:
    """Living processes started with this mark, or with any mark of this run id (Linux; elsewhere none).

    A process that cleared its environment cannot be found this way, nor can another user's.
    """
    return [pid for pid in _list_processes() if _matches(_read_mark(pid), mark)]


def end_marked_processes(mark: str, *, timeout_s: float = 5.0) -> int:
    """SIGKILL every process with this mark, and wait until none is left; return how many there were.

    The second line of defence, for when the warden of a run was killed itself.
    """
    ended: set[int] = set()
    deadline_s = time.monotonic() + timeout_s
    while (living := find_marked_processes(mark)) and time.monotonic() < deadline_s:
        for pid in living:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended.update(living)
        time.sleep(0.01)
    return len(ended)


def _list_processes() -> Iterator[int]:
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - names are all we want
    except OSError:
        return
    yield from (int(name) for name in names if name.isdigit())


def _read_mark(pid: int) -> str | None:
    """The mark of a living process; the environment of a zombie reads as empty."""
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return None
    prefix = f"{RUN_VARIABLE}=".encode()
    for entry in environment.split(b"\0"):
        if entry.startswith(prefix):
            return os.fsdecode(entry.removeprefix(prefix))
    return None


def _matches(found: str | None, mark: str) -> bool:
    return found is not None and (found == mark or found.startswith(f"{mark}/"))
