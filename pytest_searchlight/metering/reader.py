"""From the spool folder of a run to its `Metering`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from pytest_searchlight.metering.records import Metering
from pytest_searchlight.metering.wire import Entry, read_entries, read_timeline
from pytest_searchlight.metering.wire_log import WireLog

TAIL_BYTES: Final = 4000
_SPOOL: Final = re.compile(r"wire(-\d+)?\.spool")


class Recording(NamedTuple):
    """What one session of the meter left behind; `suffix` tells its files from those of other sessions."""

    suffix: str
    entries: list[Entry]
    intact: bool


def read_metering(spool_dir: Path) -> Metering:
    """What the meter recorded in `spool_dir`; `unobserved` when it never ran.

    Raises:
        OSError: a file in the folder cannot be read.
    """
    recordings = [read_recording(path, suffix) for suffix, path in find_spools(spool_dir)]
    entries = [entry for recording in recordings for entry in recording.entries]
    log = WireLog(origin_ns=min((entry.at_ns for entry in entries), default=0))
    for recording in recordings:
        log.add_session(read_timeline(recording.entries))
    intact = bool(recordings) and all(recording.intact for recording in recordings)
    known_complete = log.sessions > 0 and log.left_sessions == log.sessions
    return Metering(
        sessions=log.sessions,
        started=log.started,
        spawned=log.spawned,
        initialized=log.initialized,
        tools_listed=log.tools_listed,
        start_failure=log.start_failure,
        server_info=log.server_info,
        protocol_version=log.protocol_version,
        tools=tuple(log.tools.values()),
        repeated_cursor=log.repeated_cursor,
        calls=log.list_calls(),
        request_counts=dict(log.requests),
        server_request_counts=dict(log.server_requests),
        noise_lines=count_noise_lines(entries),
        noise_tail=read_tails(spool_dir, "stdout_noise", recordings),
        stderr_tail=read_tails(spool_dir, "stderr", recordings),
        server_exit=log.server_exit,
        client_bytes=count_bytes(entries, kinds="Cc"),
        server_bytes=count_bytes(entries, kinds="SsM"),
        ended=log.sessions > 0 and log.ended_sessions == log.sessions,
        intact=intact,
        recording_incomplete=not (known_complete and intact),
    )


def find_spools(spool_dir: Path) -> list[tuple[str, Path]]:
    """The spools of a run's sessions with their suffixes, in the order in which they began."""
    found = [
        (match[1] or "", path)
        for path in spool_dir.glob("wire*.spool")
        if (match := _SPOOL.fullmatch(path.name))
    ]
    return sorted((pair for pair in found if pair[1].is_file()), key=lambda pair: int(pair[0][1:] or 1))


def read_recording(path: Path, suffix: str) -> Recording:
    """One session's spool; it is intact if it ends well and the meter did not say otherwise."""
    entries, torn = read_entries(path)
    return Recording(suffix, entries, path.with_suffix(".intact").exists() and not torn)


def count_bytes(entries: Iterable[Entry], *, kinds: str) -> int:
    """Bytes of traffic; entries in small letters tell how much is not recorded."""
    return sum(
        int(bytes(entry.data).split(b" ")[0]) if entry.kind.islower() else len(entry.data)
        for entry in entries
        if entry.kind in kinds
    )


def count_noise_lines(entries: Iterable[Entry]) -> int:
    """Lines of the server's output that were no messages; an unfinished one counts too."""
    pieces = [bytes(entry.data).split(b" ") for entry in entries if entry.kind == "N"]
    return max(sum(int(frame_ends) for _, frame_ends in pieces), bool(pieces))


def read_tails(spool_dir: Path, name: str, recordings: Iterable[Recording]) -> str:
    """The last bytes of each session's log of that name, one after the other."""
    tails = (read_tail(spool_dir / f"{name}{recording.suffix}.log") for recording in recordings)
    return "\n".join(tail for tail in tails if tail)


def read_tail(path: Path) -> str:
    """The last `TAIL_BYTES` of a file as text; empty without one."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(file.seek(0, os.SEEK_END) - TAIL_BYTES, 0))
        return file.read().decode("utf-8", "replace")
