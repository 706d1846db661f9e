"""A runner with sensible bounds, and proof that nothing of a run is left."""

from __future__ import annotations

import os
import subprocess
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_searchlight.workspace import ProcessResult, Stop, find_marked_processes, run_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

GIVE_UP_S = 20.0


class Run(Protocol):
    """`run_process` with the arguments that most tests do not care about filled in."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        stdout_path: Path | None = None,
        stderr_path: Path | None = None,
        timeout_s: float = GIVE_UP_S,
        stdin_bytes: bytes = b"",
        on_line: Callable[[bytes], Stop | None] | None = None,
        stop_grace_s: float = 0.3,
    ) -> ProcessResult: ...


@pytest.fixture
def run_id() -> str:
    """An id that no other test, worker or session shares."""
    return uuid.uuid4().hex


@pytest.fixture
def wait_until_none_survives(run_id: str) -> Callable[[], None]:
    """Fails unless every process of this test's runs is gone within a bounded time."""

    def wait() -> None:
        deadline_s = time.monotonic() + GIVE_UP_S
        while (survivors := find_marked_processes(run_id)) and time.monotonic() < deadline_s:
            time.sleep(0.02)
        assert survivors == []

    return wait


@pytest.fixture
def wait_until_gone() -> Callable[[int], None]:
    """Fails unless a process is gone within a bounded time."""

    def wait(pid: int) -> None:
        deadline_s = time.monotonic() + GIVE_UP_S
        while is_alive(pid) and time.monotonic() < deadline_s:
            time.sleep(0.02)
        assert not is_alive(pid)

    return wait


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


@pytest.fixture
def run(tmp_path: Path, run_id: str) -> Iterator[Run]:
    """Runs commands; after the test, none of their processes may be left, not even for a moment."""

    def run_bounded(
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        stdout_path: Path | None = None,
        stderr_path: Path | None = None,
        timeout_s: float = GIVE_UP_S,
        stdin_bytes: bytes = b"",
        on_line: Callable[[bytes], Stop | None] | None = None,
        stop_grace_s: float = 0.3,
    ) -> ProcessResult:
        return run_process(
            argv,
            cwd=tmp_path,
            env={"PATH": os.defpath} if env is None else env,
            run_id=run_id,
            stdout_path=stdout_path or tmp_path / "stdout",
            stderr_path=stderr_path or tmp_path / "stderr",
            timeout_s=timeout_s,
            stdin_bytes=stdin_bytes,
            on_line=on_line,
            stop_grace_s=stop_grace_s,
        )

    yield run_bounded
    assert find_marked_processes(run_id) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)]
    if os.getuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount a file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
