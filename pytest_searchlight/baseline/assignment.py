"""The assignment: what the prompt asks for, read from its Markdown sections."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_TASK: Final = re.compile(r"^# Task\s*$", re.MULTILINE)
_SCHEMA: Final = re.compile(r"^# Deliverable\s*\n[^\n]*\n+```json\s*\n(?P<schema>.*?)^```\s*$", re.MULTILINE | re.DOTALL)
_REFERENCE: Final = re.compile(
    r"^# Reference material\s*$(?P<lead>.*?)^<reference>\s*\n(?P<excerpt>.*)^</reference>\s*$", re.MULTILINE | re.DOTALL
)
_URL: Final = re.compile(r"https?://[^\s<>\"')\]]+")


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """A prompt taken apart.

    Attributes:
        task: the task's own text.
        schema: JSON Schema of the deliverable; empty when the prompt holds none that can be read.
        reference: reference material given in the prompt, or None.
        reference_url: where that material comes from, or None when the prompt does not say.
    """

    task: str
    schema: Mapping[str, Any]
    reference: str | None = None
    reference_url: str | None = None


def read_assignment(prompt: str) -> Assignment:
    """Take `prompt` apart. A prompt without the known headings is all task."""
    deliverable = _last_match(_SCHEMA, prompt)
    before = prompt[: deliverable.start()] if deliverable else prompt
    reference = _REFERENCE.search(before)
    task_text = before[: reference.start()] if reference else before
    heading = _TASK.search(task_text)
    source = _URL.search(reference["lead"]) if reference else None
    return Assignment(
        task=(task_text[heading.end() :] if heading else task_text).strip(),
        schema=_read_schema(deliverable["schema"]) if deliverable else {},
        reference=reference["excerpt"].strip() if reference else None,
        reference_url=source.group().rstrip(".,:;") if source else None,
    )


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The last match: a task may quote a heading, but the template's own section comes after it."""
    return max(pattern.finditer(text), key=lambda match: match.start(), default=None)


def _read_schema(text: str) -> Mapping[str, Any]:
    try:
        schema = json.loads(text)
    except ValueError:
        return {}
    return schema if isinstance(schema, dict) else {}
