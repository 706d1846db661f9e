"""Tables as data: REPORT.md, the site and what stands behind a chart are renderings of the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_searchlight.website.charts import Chart
from pytest_searchlight.website.formats import DASH, join_words


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column's heading; numbers stand right and are sorted by value."""

    label: str
    is_number: bool = False


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What a reader sees, and what a column is sorted by: None, for a dash, comes last in either order."""

    text: str
    sort_key: float | str | None = None


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table whose first cell of each row names the row.

    Attributes:
        caption: what it shows.
        columns: as many as each row has cells.
        rows: in an order that says nothing about who is better.
        notes: what explains its dashes.
        chart: the same as a picture, on pages that show pictures.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    chart: Chart | None = None


def make_table(
    caption: str,
    *,
    labels: Sequence[str],
    rows: Iterable[Sequence[Cell | str]],
    notes: Iterable[str] = (),
    texts: int = 1,
) -> Table:
    """A table; a row's plain strings are cells that are sorted by their text.

    Args:
        caption: what it shows.
        labels: the headings.
        rows: a row a thing.
        notes: what explains its dashes; each is kept once.
        texts: how many columns, from the left, hold words; the others hold numbers.
    """
    return Table(
        caption=caption,
        columns=tuple(Column(label=label, is_number=place >= texts) for place, label in enumerate(labels)),
        rows=tuple(tuple(_make_cell(cell) for cell in row) for row in rows),
        notes=tuple(dict.fromkeys(notes)),
    )


def leave_out_empty_columns(table: Table) -> Table:
    """`table` without the columns that hold nothing but dashes."""
    kept = [
        place
        for place in range(len(table.columns))
        if any(row[place].sort_key is not None for row in table.rows)
    ]
    return replace(
        table,
        columns=tuple(table.columns[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in table.rows),
    )


def illustrate(table: Table, *, chart: Chart | None) -> Table:
    """`table` with a picture of it, where there is one."""
    return replace(table, chart=chart)


def gather_reasons(pairs: Iterable[tuple[str, str | None]]) -> Iterator[str]:
    """A line for each reason, with everything that it holds for; what has no reason is left out."""
    names: dict[str, list[str]] = {}
    for name, reason in pairs:
        if reason is not None:
            names.setdefault(reason, []).append(name)
    for reason, those in names.items():
        yield f"{join_words(list(dict.fromkeys(those)))}: {reason}"


def number(value: float | None, text: str) -> Cell:
    """A cell that is sorted by `value`."""
    return Cell(text=text, sort_key=value)


def _make_cell(cell: Cell | str) -> Cell:
    if isinstance(cell, Cell):
        return cell
    return Cell(text=cell or DASH, sort_key=cell if cell not in {"", DASH} else None)
