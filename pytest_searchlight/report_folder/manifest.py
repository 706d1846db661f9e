"""``report.json``: what a report is, apart from its numbers."""

from __future__ import annotations

import datetime as dt
import hashlib
import zlib
from typing import Final, Literal

from pydantic import Field

from pytest_searchlight.domain.base import Record, Slug, Text


class Manifest(Record):
    """What a report is.

    Attributes:
        name: its name without the date.
        date: the day its session began, or of the publication that it was transcribed from.
        title: a line for people.
        kind: whether its numbers can be recomputed from its rows.
        note: what its authors say first, limits and interests; plain text, a blank line between paragraphs.
        corrects: folder name of the earlier report that this one corrects.
        corrected_by: folder names of later reports that correct this one, in order.
        files: SHA-256 (hex) of each data file, so that a changed digit is found also where no number is
            computed from it.
        lines: see `mark_lines`, of each data file whose lines no rule could name otherwise.
    """

    schema_version: Literal[1] = 1
    name: Slug
    date: dt.date
    title: Text
    kind: Literal["measured", "transcribed"]
    note: str = ""
    corrects: str | None = None
    corrected_by: tuple[str, ...] = ()
    files: dict[str, str] = Field(default_factory=dict)
    lines: dict[str, str] = Field(default_factory=dict)

    @property
    def folder_name(self) -> str:
        """``<date>-<name>``, by which reports refer to each other."""
        return f"{self.date.isoformat()}-{self.name}"


def hash_data(content: bytes) -> str:
    """The hash by which a manifest knows a data file: SHA-256, hex."""
    return hashlib.sha256(content).hexdigest()


_MARK_LETTERS: Final = 4


def mark_lines(content: bytes) -> str:
    """Four hex digits for each line, one after the other; where they differ, a line was changed.

    They only tell where: that a file was changed at all is for `hash_data` to tell.
    """
    view, start, sums = memoryview(content), 0, list[int]()  # a view, so that no line is copied
    while (end := content.find(b"\n", start)) >= 0:
        sums.append(zlib.crc32(view[start:end]))
        start = end + 1
    sums.append(zlib.crc32(view[start:]))
    return b"".join([each.to_bytes(4, "big")[2:] for each in sums]).hex()


def find_changed_lines(marks: str, *, published: str) -> list[int]:
    """The numbers, from 1, of the lines that `marks` and `published` tell apart."""
    longest = max(len(marks), len(published))
    starts = range(0, longest, _MARK_LETTERS)
    return [
        number
        for number, start in enumerate(starts, start=1)
        if marks[start : start + _MARK_LETTERS] != published[start : start + _MARK_LETTERS]
    ]
