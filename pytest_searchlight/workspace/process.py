"""Bounded processes: a command that cannot outlive its time, its harness or its welcome.

Every command runs under its own `warden` program, which ends all of its descendants when it ends, when we
ask, and when we die.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pytest_searchlight.domain import RunStatus
from pytest_searchlight.errors import RunError
from pytest_searchlight.workspace.streams import HeadTailFile, RawFile
from pytest_searchlight.workspace.supervision import EndedBy, PlannedEnd, Stop, Supervision
from pytest_searchlight.workspace.warding import WardenReport, ward

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

_STDERR_HEAD_BYTES: Final = 256 * 1024
_STDERR_TAIL_BYTES: Final = 256 * 1024
_TAIL_SHOWN_BYTES: Final = 4096


@dataclass(frozen=True, kw_only=True)
class ProcessResult:
    """How a command ended and what it used. None is unknown.

    Attributes:
        ended_by: ``exit`` by itself; ``timeout`` or ``stopped`` by us; ``output_failed`` because its output
            could not be stored; ``lost`` when its warden was killed.
        exit_code: 128 + n after signal n; None when lost.
        stop_reason: a sentence for every `ended_by` but ``exit``.
        duration_s: wall clock of the command itself, its own shutdown included, start-up and clean-up not.
        cpu_s: user + system time of the command and all its descendants.
        max_rss_bytes: of its largest process; values below about 10 MB are the warden's own.
        leftovers_killed: other processes of the command that had to be signalled.
        survivors: processes that even SIGKILL did not end in time.
        stdout_path: every byte of stdout, in order.
        stderr_path: stderr, its middle left out when it is long.
        stderr_tail: the last 4 kB of stderr as text.
        limited_reach: why a daemon of the command could have escaped, or None when none could.
    """

    ended_by: EndedBy
    exit_code: int | None
    stop_reason: str | None
    duration_s: float | None
    cpu_s: float | None
    max_rss_bytes: int | None
    leftovers_killed: int
    survivors: int
    stdout_path: Path
    stderr_path: Path
    stderr_tail: str
    limited_reach: str | None


def run_process(  # noqa: PLR0913 - the bounds of a command, all by keyword
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    run_id: str,
    stdout_path: Path,
    stderr_path: Path,
    timeout_s: float,
    stdin_bytes: bytes = b"",
    on_line: Callable[[bytes], Stop | None] | None = None,
    stop_grace_s: float = 3.0,
) -> ProcessResult:
    """Run a command to its end, or end it, with all its descendants. Nothing of it is left on return.

    Args:
        argv: the command; its program is looked up on the PATH in `env`.
        cwd: where it runs.
        env: its whole environment; only SEARCHLIGHT_RUN is added, by which its processes can be found.
        run_id: for that mark; the agent can read it, so it had better tell nothing.
        stdout_path: receives stdout, byte for byte, while it comes.
        stderr_path: receives stderr, at most 512 kB: the first and the last 256.
        timeout_s: wall clock; what was written till then is kept.
        stdin_bytes: fed as the command reads; it need not read.
        on_line: called with each line of stdout (cut at 0x0A only, line end removed, no length limit).
        stop_grace_s: between SIGTERM and SIGKILL, for the command and again for what it left behind. Longer
            than the metering proxy's own 2 s, so that it can end its server in good order.

    Raises:
        RunError: the command cannot be started, or the files for its output cannot be created.
        BaseException: whatever `on_line` or a signal handler raises, once everything has been ended. A second
            one during that leaves at once, and the warden finishes alone.
    """
    timeout = PlannedEnd(
        ended_by="timeout", reason=f"still running after {timeout_s:g} s", at_s=time.monotonic() + timeout_s
    )
    with contextlib.ExitStack() as stack:
        with _explaining(f"cannot create {stdout_path} or {stderr_path}"):
            stdout_file = stack.enter_context(RawFile(stdout_path))
            stderr_file = stack.enter_context(
                HeadTailFile(stderr_path, head_bytes=_STDERR_HEAD_BYTES, tail_bytes=_STDERR_TAIL_BYTES)
            )
        with _explaining(f"cannot start {argv[0]} in {cwd}"):
            warden = stack.enter_context(ward(argv, cwd=cwd, env=env, run_id=run_id, grace_s=stop_grace_s))
        supervision = Supervision(
            warden=warden,
            stdout_file=stdout_file,
            stderr_file=stderr_file,
            on_line=on_line,
            planned_end=timeout,
        )
        supervision.run(stdin_bytes)
    return _describe_end(supervision, command=f"{argv[0]} in {cwd}")


@contextlib.contextmanager
def _explaining(failure: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RunError(f"{failure}: {error.strerror}", status=RunStatus.AGENT_ERROR) from error


def _describe_end(supervision: Supervision, *, command: str) -> ProcessResult:
    report = supervision.warden.report
    if report.start_errno is not None:
        raise RunError(
            f"cannot start {command}: {os.strerror(report.start_errno)}", status=RunStatus.AGENT_ERROR
        )
    ended_by, reason = _name_end(report, supervision.planned_end)
    return ProcessResult(
        ended_by=ended_by,
        exit_code=report.exit_code,
        stop_reason=reason,
        duration_s=report.duration_s,
        cpu_s=report.cpu_s,
        max_rss_bytes=report.max_rss_bytes,
        leftovers_killed=report.leftovers_killed,
        survivors=report.survivors,
        stdout_path=supervision.stdout_file.path,
        stderr_path=supervision.stderr_file.path,
        stderr_tail=supervision.stderr_file.read_tail(_TAIL_SHOWN_BYTES),
        limited_reach=None if report.reaches_all else f"{sys.platform}: only the process group was ended",
    )


def _name_end(report: WardenReport, planned_end: PlannedEnd) -> tuple[EndedBy, str | None]:
    # A planned end that the command forestalled did not happen; lost output stays lost either way.
    if report.stopped or planned_end.ended_by == "output_failed":
        return planned_end.ended_by, planned_end.reason
    if report.is_lost:
        return "lost", "the command's warden was killed, and the command with it"
    return "exit", None
