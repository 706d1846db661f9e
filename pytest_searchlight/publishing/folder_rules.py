"""What holds for every report folder: its files, their hashes, texts and links. One rule, one function."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from pytest_searchlight.agreements import AGREEMENT_FILE
from pytest_searchlight.errors import ReportError
from pytest_searchlight.publishing.examined import Surroundings
from pytest_searchlight.publishing.texts import TEXT_FILES, render_texts
from pytest_searchlight.report_folder import (
    CALIBRATION_FILE,
    MANIFEST_FILE,
    ROWS_FILE,
    SUMMARY_FILE,
    TRANSCRIPTION_FILE,
    Report,
    find_changed_lines,
    hash_data,
    mark_lines,
)

_DATA_FILES: Final = {
    "measured": ({SUMMARY_FILE, ROWS_FILE}, {CALIBRATION_FILE, AGREEMENT_FILE}),
    "transcribed": ({TRANSCRIPTION_FILE}, set[str]()),
}
"""By a report's kind, the data files that it must have, and those that it may have besides."""

MARKED_FILES: Final = frozenset({ROWS_FILE, CALIBRATION_FILE, AGREEMENT_FILE, TRANSCRIPTION_FILE})
"""Data files in which a rule that finds a change may not tell its place, so that each line has a mark."""

_LINK: Final = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)")
_LONGEST_LINE: Final = 80
_SHOWN_LINES: Final = 5


def check_files(report: Report) -> Iterator[str]:
    """A report holds its data, its manifest and its texts, and nothing else, such as a transcript."""
    needed, possible = _DATA_FILES[report.manifest.kind]
    present = {file.name for file in report.folder.iterdir()}
    texts = {MANIFEST_FILE, *TEXT_FILES}
    for name in sorted((needed | texts) - present):
        yield f"{name}: is missing"
    for name in sorted(present - needed - possible - texts):
        yield f"{name}: does not belong in a {report.manifest.kind} report"


def check_hashes(report: Report) -> Iterator[str]:
    """Every data file is what was published, to the last digit."""
    needed, possible = _DATA_FILES[report.manifest.kind]
    present = {name for name in needed | possible if (report.folder / name).exists()}
    for name in sorted(present | report.manifest.files.keys()):
        published = report.manifest.files.get(name)
        if published is None:
            yield f"{MANIFEST_FILE}: files does not name {name}, which is there"
        elif name not in present:
            yield f"{MANIFEST_FILE}: files names {name}, which is not there"
        else:
            yield from _check_content(report, name, published=published)


def _check_content(report: Report, name: str, *, published: str) -> Iterator[str]:
    content = report.rows_content if name == ROWS_FILE else (report.folder / name).read_bytes()
    found, marks = hash_data(content), report.manifest.lines.get(name)
    here = mark_lines(content) if name in MARKED_FILES else None
    if found != published:
        place = (
            "" if here is None or marks is None else _tell_lines(find_changed_lines(here, published=marks))
        )
        yield f"{name}: was changed{place}: its SHA-256 is {found}, {MANIFEST_FILE} says {published}"
    elif here != marks:
        yield f"{MANIFEST_FILE}: lines of {name} are not those of the file, whose hash holds"


def _tell_lines(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:_SHOWN_LINES]))
    more = f" and {len(numbers) - _SHOWN_LINES} more" if len(numbers) > _SHOWN_LINES else ""
    return f" in line {shown}{more}" if numbers else ""


def check_texts(report: Report) -> Iterator[str]:
    """Every text is what the renderer gives, so that it says nothing that the records do not hold."""
    try:
        texts = render_texts(report)
    except ReportError as error:
        yield str(error)
        return
    for name, expected in texts.items():
        file = report.folder / name
        if file.exists() and (text := file.read_text("utf-8", "backslashreplace")) != expected:
            yield f"{name}, {_tell_first_difference(text, expected)}"


def _tell_first_difference(text: str, expected: str) -> str:
    found, rendered = text.split("\n"), expected.split("\n")
    number = next(
        (place for place, (one, other) in enumerate(zip(found, rendered, strict=False)) if one != other),
        min(len(found), len(rendered)),
    )
    return (
        f"line {number + 1}: is {_show_line(found, number)}, and the renderer gives "
        f"{_show_line(rendered, number)}"
    )


def _show_line(lines: list[str], number: int) -> str:
    return repr(lines[number][:_LONGEST_LINE]) if number < len(lines) else "nothing"


def check_links(report: Report, surroundings: Surroundings) -> Iterator[str]:
    """Links lead to a file that is there, and corrections are told by both reports."""
    for name in TEXT_FILES:
        file = report.folder / name
        text = file.read_text("utf-8", "backslashreplace") if file.exists() else ""
        for number, line in enumerate(text.split("\n"), start=1):
            for link in _LINK.findall(line):
                if not _leads_somewhere(link, report.folder):
                    yield f"{name}, line {number}: the link {link} leads nowhere"
    yield from _check_corrections(report, surroundings)


def _leads_somewhere(link: str, folder: Path) -> bool:
    parts = urlsplit(link)
    if parts.scheme:
        return parts.scheme in {"http", "https"} and bool(parts.netloc)
    return not parts.path or (folder / unquote(parts.path)).exists()


def _check_corrections(report: Report, surroundings: Surroundings) -> Iterator[str]:
    manifest, known = report.manifest, surroundings.manifests
    if (earlier := manifest.corrects) is not None and earlier not in known:
        yield f"{MANIFEST_FILE}: corrects {earlier!r}, which is no report here"
    claimed = {name for name, each in known.items() if each.corrects == manifest.folder_name}
    for name in sorted(claimed ^ set(manifest.corrected_by)):
        said = "says that it does not" if name in known else "is no report here"
        told = f"{name} corrects it, which corrected_by does not say"
        yield f"{MANIFEST_FILE}: " + (
            told if name in claimed else f"corrected_by names {name!r}, which {said}"
        )
