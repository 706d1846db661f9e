"""Looks for what must not be published: secrets, paths of somebody's machine, names of users and machines."""

from __future__ import annotations

import os
import pwd
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple

from pytest_searchlight.domain import RunRecord
from pytest_searchlight.evidence import Scrubber
from pytest_searchlight.publishing.private_marks import MARKS, Mark, mark_names
from pytest_searchlight.report_folder import ROWS_FILE

_SHOWN_CHARS: Final = 4


class Finding(NamedTuple):
    """Something private: the line that holds it, and what it is, in words that never show all of it."""

    line: int
    what: str


@dataclass(frozen=True, kw_only=True)
class PrivacyScan:
    """What to look for.

    Attributes:
        marks: the shapes.
        secrets: for each known secret by its variable's name, what finds it in any spelling.
    """

    marks: tuple[Mark, ...]
    secrets: Mapping[str, Scrubber]

    def scan_text(self, text: str) -> Iterator[Finding]:
        """What is private in `text`: each mark and secret, line by line."""
        data = text.encode("utf-8", "backslashreplace")
        # Most lines of a summary repeat, so each is looked at once before any is numbered.
        if any(self._find_marks(b"\n".join(set(data.split(b"\n"))))):
            yield from self._find_marks(data)
        yield from self._find_secrets(data)

    def scan_rows(self, rows: Sequence[RunRecord]) -> Iterator[Finding]:
        """What is private in the texts of `rows`, which stand one in a line."""
        # Most texts repeat from row to row, so each is looked at once before any line is named.
        if any(self.scan_text("\n".join(gather_texts(rows)))):
            yield from self.scan_text("\n".join(map(_join_texts, rows)))

    def _find_marks(self, data: bytes) -> Iterator[Finding]:
        lowered = data.lower()  # of bytes, which keeps every letter in its place
        for mark in self.marks:
            starts = {start for hint in mark.hints for start in _find_lines(lowered, hint)}
            for start in sorted(starts):
                line = data[start : _find_end(data, start)].decode("utf-8")
                for match in mark.pattern.finditer(line):
                    number = data.count(b"\n", 0, start) + 1
                    yield Finding(number, f"{match[0][:_SHOWN_CHARS]!r}... looks like {mark.looks_like}")

    def _find_secrets(self, data: bytes) -> Iterator[Finding]:
        for name, scrub in self.secrets.items():
            if scrub(data) != data:
                for number, line in enumerate(data.split(b"\n"), start=1):
                    if scrub(line) != line:
                        yield Finding(number, f"holds the value of {name}")


def _find_end(data: bytes, start: int) -> int:
    """Where the line ends that begins at `start`."""
    end = data.find(b"\n", start)
    return len(data) if end < 0 else end


def _find_lines(lowered: bytes, hint: str) -> Iterator[int]:
    """Where the lines begin that hold `hint`."""
    wanted, place = hint.encode(), 0
    while (place := lowered.find(wanted, place)) >= 0:
        yield lowered.rfind(b"\n", 0, place) + 1
        place = _find_end(lowered, place)


def prepare_scan(secrets: Mapping[str, str]) -> PrivacyScan:
    """A scan for private marks, the names of this machine, its host and its user, and for known `secrets`."""
    user = pwd.getpwuid(os.getuid()).pw_name
    return PrivacyScan(
        marks=(*MARKS, *mark_names((user, socket.gethostname()))),
        secrets={name: Scrubber([value]) for name, value in secrets.items()},
    )


_TEXTS: Final = attrgetter(
    "catalog", "task", "family", "agent", "agent_version", "model_name", "setup", "reason", "tags", "flags"
)
_HASHES: Final = attrgetter("identity", "job_hash", "grading_hash")
_HASH_LETTERS: Final = "0123456789abcdef"
_TIME_LETTERS: Final = "0123456789-:.+TZ"


def gather_texts(rows: Sequence[RunRecord]) -> set[str]:
    """Every text in `rows`, once, but those that only a known word can stand for.

    What differs in each row and gives nothing away, hashes and times, is left out as far as it is such.
    """
    if not rows:
        return set()
    *columns, tags, flags = map(set, zip(*map(_TEXTS, rows), strict=True))
    found = {text or "" for text in chain(*columns, *tags, *flags)}
    for hashes in zip(*map(_HASHES, rows), strict=True):
        found |= _strip_hashes({text or "" for text in hashes})
    found |= {(row.started_at or "").strip(_TIME_LETTERS) for row in rows}
    found |= {row.run_id.rsplit(".", 2)[0] for row in rows}
    found |= {text for row in rows for text in row.cost.unpriced}
    verdicts = {(verdict.kind, verdict.target) for row in rows for verdict in row.verdicts}
    judgings = [row.judging for row in rows if row.judging is not None]
    judges = {(judging.judge, judging.model_name or "", *judging.unpriced) for judging in judgings}
    return found.union(*verdicts, *judges)


def _strip_hashes(hashes: set[str]) -> set[str]:
    try:
        bytes.fromhex("".join(hashes))  # tells of all together that there is nothing else in them
    except ValueError:
        return {text.strip(_HASH_LETTERS) for text in hashes}
    return set()


def _join_texts(row: RunRecord) -> str:
    return " ".join(sorted(gather_texts([row]))).replace("\n", " ")


def scan_report(folder: Path, *, rows: Sequence[RunRecord], scan: PrivacyScan) -> Iterator[str]:
    """What is private in the files of a report, whose `rows` were read already; a sentence each."""
    for file in sorted(folder.iterdir()):
        if file.name == ROWS_FILE:
            findings = scan.scan_rows(rows)
        else:
            findings = scan.scan_text(file.read_text("utf-8", "backslashreplace"))
        yield from (f"{file.name}, line {line}: {what}" for line, what in findings)
