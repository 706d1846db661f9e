"""A comparison as a comment on a pull request: a table to see at once, details folded."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_searchlight.comparison.records import ChangeVerdict, LaneChange, SessionComparison
from pytest_searchlight.comparison.wording import (
    count_verdicts,
    describe_basis,
    describe_exclusions,
    describe_facts,
    describe_left_out,
    describe_use,
    describe_versions,
    format_ends,
    format_number,
    format_rate,
    list_tasks,
)
from pytest_searchlight.reporting.texts import UNKNOWN, clean_text

MARKER: Final = "<!-- searchlight-comparison -->"
"""The comment's first line, by which a bot finds its earlier comment to replace it."""

_HEADERS: Final = ("lane", "before", "after", "change", "95 %", "p (Holm)", "could detect")
_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~#@])")
_WORDS: Final = {
    ChangeVerdict.DROPPED: "**dropped**",
    ChangeVerdict.ROSE: "**rose**",
    ChangeVerdict.NO_SIGNIFICANT_CHANGE: "not significant",
    ChangeVerdict.NOT_COMPARED: "not compared",
}


def render_markdown(comparison: SessionComparison) -> str:
    """The comment, ended by a line end."""
    title = f"Searchlight: {escape(count_verdicts(comparison))}"
    names = f"{escape(comparison.name_before)} → {escape(comparison.name_after)}"
    table = [_HEADERS, ("---", *["---:"] * (len(_HEADERS) - 1)), *map(_render_row, comparison.lanes)]
    blocks = [
        f"{MARKER}\n### {title}",
        names,
        "\n".join(f"| {' | '.join(row)} |" for row in table),
        *map(_render_details, comparison.lanes),
        *_render_rest(comparison),
    ]
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """`text` so that Markdown and HTML show it as it is."""
    return _SPECIAL.sub(r"\\\1", html.escape(clean_text(text).replace("\n", " "), quote=False))


def _render_row(change: LaneChange) -> tuple[str, ...]:
    difference = change.difference.value
    points = UNKNOWN if difference is None else f"{100 * difference:+.0f} points"
    interval = change.difference.ci95
    detectable = change.detectable_difference.value
    return (
        escape(change.lane.describe()),
        format_rate(change.before),
        format_rate(change.after),
        f"{points}, {_WORDS[change.verdict]}",
        UNKNOWN if interval is None else format_ends(interval),
        format_number(change.p_value_holm.value, "{:.2g}"),
        UNKNOWN if detectable is None else f"{100 * detectable:.0f} points",
    )


def _render_details(change: LaneChange) -> str:
    lines = [
        describe_basis(change),
        *(f"Left out: {line}" for line in describe_left_out(change.left_out)),
        *(f"Not counted: {line}" for line in describe_exclusions(change)),
        *([f"Worse: {list_tasks(change.worse)}"] if change.worse else []),
        *([f"Better: {list_tasks(change.better)}"] if change.better else []),
        *(f"{name.capitalize()}: {line}" for name, line in describe_use(change) if change.tasks),
        *(f"Differs: {line}" for line in describe_versions(change)),
    ]
    return _fold(change.lane.describe(), lines)


def _render_rest(comparison: SessionComparison) -> Iterator[str]:
    lines = [
        *(f"Differs: {line}" for line in describe_facts(comparison)),
        *(f"Only before: {name.describe()}" for name in comparison.only_before),
        *(f"Only after: {name.describe()}" for name in comparison.only_after),
    ]
    if lines:
        yield _fold("What else differs", lines)


def _fold(title: str, lines: Sequence[str]) -> str:
    summary = html.escape(clean_text(title), quote=False)
    return f"<details><summary>{summary}</summary>\n\n{_itemize(lines)}\n\n</details>"


def _itemize(lines: Iterable[str]) -> str:
    return "\n".join(f"- {escape(line)}" for line in lines)
