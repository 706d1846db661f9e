"""The assignment: what the prompt asks for, read from its Markdown sections."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_TASK: Final = re.compile(r"^# Task\s*$", re.MULTILINE)
_SCHEMA: Final = re.compile(
    r"^# Deliverable\s*\n[^\n]*\n+```json\s*\n(?P<schema>.*?)^```\s*$", re.MULTILINE | re.DOTALL
)
_REFERENCE: Final = re.compile(
    r"^# Reference material\s*$(?P<lead>.*?)^<reference>\s*\n(?P<excerpt>.*)^</reference>\s*$",
    re.MULTILINE | re.DOTALL,
)
_ATTRIBUTION: Final = re.compile(
    r"^\W*(?P<url>https?://[^\s<>\"')\]]*[^\s<>\"')\].,:;])[.,:;)\]]*\s*(?P<rest>.*)$"
)
_URL: Final = re.compile(r"https?://[^\s<>\"')\]]+")


@dataclass(frozen=True)
class Reference:
    """A passage of reference material, and where it comes from when the prompt says so."""

    url: str | None
    text: str


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """A prompt taken apart.

    Attributes:
        task: the task's own text.
        schema: JSON Schema of the deliverable; empty when the prompt holds none that can be read.
        references: passages of the reference material given in the prompt.
    """

    task: str
    schema: Mapping[str, Any]
    references: tuple[Reference, ...] = ()


def read_assignment(prompt: str) -> Assignment:
    """Take `prompt` apart. A prompt without the known headings is all task."""
    deliverable = _last_match(_SCHEMA, prompt)
    before = prompt[: deliverable.start()] if deliverable else prompt
    reference = _REFERENCE.search(before)
    task_text = before[: reference.start()] if reference else before
    heading = _TASK.search(task_text)
    return Assignment(
        task=(task_text[heading.end() :] if heading else task_text).strip(),
        schema=_read_schema(deliverable["schema"]) if deliverable else {},
        references=tuple(_split_reference(reference)) if reference else (),
    )


def _split_reference(reference: re.Match[str]) -> Iterator[Reference]:
    """The passages of an excerpt; a line that begins with an address says where what follows is from."""
    source = _URL.search(reference["lead"])
    url = source.group().rstrip(".,:;") if source else None
    passage: list[str] = []
    for line in reference["excerpt"].splitlines():
        attributed = _ATTRIBUTION.match(line)
        if attributed:
            yield from _make_reference(url, passage)
            url, passage = attributed["url"], [attributed["rest"]]
        else:
            passage.append(line)
    yield from _make_reference(url, passage)


def _make_reference(url: str | None, lines: Sequence[str]) -> Iterator[Reference]:
    text = "\n".join(lines).strip()
    if text:
        yield Reference(url, text)


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The last match: a task may quote a heading, but the template's own section comes after it."""
    return max(pattern.finditer(text), key=lambda match: match.start(), default=None)


def _read_schema(text: str) -> Mapping[str, Any]:
    try:
        schema = json.loads(text)
    except ValueError:
        return {}
    return schema if isinstance(schema, dict) else {}
