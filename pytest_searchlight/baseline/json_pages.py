"""JSON: pages that are data, taken apart by their structure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from pytest_searchlight.baseline.pages import (
    MAX_PAGE_CHARS,
    Listing,
    Outline,
    Page,
    Statement,
    Table,
    state_cells,
)
from pytest_searchlight.baseline.words import split_name

_HEAD_LINES: Final = 12
_MAX_DEPTH: Final = 30


def outline_json(page: Page) -> Outline | None:
    """Take `page` apart, or None when it is no JSON document."""
    value = _read_document(page.text)
    if not isinstance(value, dict | list):
        return None
    reader = _JsonReader(page)
    reader.read(value, path="", depth=0)
    return reader.outline


def _read_document(text: str) -> object:
    """The JSON document in `text`, which may stand below a few header lines; None when there is none."""
    start = min((place for place in (text.find("{"), text.find("[")) if place >= 0), default=-1)
    if start < 0 or len(text) > MAX_PAGE_CHARS or text.count("\n", 0, start) > _HEAD_LINES:
        return None
    try:
        return json.loads(text[start:])
    except (ValueError, RecursionError):
        return None


class _JsonReader:
    """Turns scalars into labelled values, arrays of objects into tables, other arrays into lists."""

    def __init__(self, page: Page) -> None:
        self.outline = Outline()
        self._page = page

    def read(self, value: object, *, path: str, depth: int) -> None:
        if depth > _MAX_DEPTH or value is None:
            return
        if isinstance(value, dict):
            for key, part in value.items():
                self.read(part, path=_join_path(path, str(key)), depth=depth + 1)
        elif isinstance(value, list):
            self._read_array(value, path=path, depth=depth)
        else:
            head, _, label = path.rpartition(" / ")
            self.outline.statements.append(
                Statement(page=self._page, text=_show(value), shape="label", lead=label, heading=head)
            )

    def _read_array(self, array: Sequence[object], *, path: str, depth: int) -> None:
        rows = [part for part in array if isinstance(part, dict)]
        if rows:
            self._read_rows(rows, path=path)
        for row in rows:
            name = _show(next(iter(row.values()), None))
            for key, part in row.items():
                if isinstance(part, dict | list):
                    self.read(part, path=_join_path(_join_path(path, name), str(key)), depth=depth + 1)
        plain = tuple(_show(part) for part in array if isinstance(part, str | int | float))
        if plain:
            self.outline.listings.append(Listing(page=self._page, items=plain, lead=path))

    def _read_rows(self, rows: Sequence[dict[str, object]], *, path: str) -> None:
        keys = tuple(dict.fromkeys(key for row in rows for key in row))
        cells = tuple(tuple(_show(row.get(key)) for key in keys) for row in rows)
        table = Table(page=self._page, headers=tuple(map(split_name, keys)), rows=cells, lead=path)
        self.outline.tables.append(table)
        self.outline.statements.extend(state_cells(table))


def _join_path(path: str, key: str) -> str:
    return f"{path} / {split_name(key)}" if path else split_name(key)


def _show(value: object) -> str:
    if value is None or isinstance(value, dict | list):
        return ""
    return value if isinstance(value, str) else json.dumps(value)
