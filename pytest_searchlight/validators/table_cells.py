"""Whether the rows of a table hold what they should, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, JsonValue, model_validator

from pytest_searchlight.deliverables import shorten
from pytest_searchlight.domain import CheckOutcome, Record, Text, Verdict
from pytest_searchlight.validators.declines import find_fabrication, is_declined
from pytest_searchlight.validators.expectations import Expectation, Finding, meet_expectation
from pytest_searchlight.validators.fields import FieldParams, FieldValidator
from pytest_searchlight.validators.wording import matches_name


class Cell(Expectation):
    """What a cell should hold: a value, or `unpublished`, an honest statement that there is none."""

    unpublished: Literal[True] | None = None

    def list_words(self) -> tuple[str, ...]:
        """Which of the words are given."""
        return (*super().list_words(), *(("unpublished",) if self.unpublished else ()))


class Row(Record):
    """A row by the other names it goes by, and its cells by column."""

    aliases: tuple[Text, ...] = ()
    cells: Annotated[dict[str, Cell], Field(min_length=1)]


class TableCellsParams(FieldParams):
    """A list of rows.

    row_key: the field of a row that names it.
    rows: what each row should hold, by its name.
    closed: whether a row that is not listed is wrong.
    """

    row_key: Text
    rows: Annotated[dict[str, Row], Field(min_length=1)]
    closed: bool = False

    @model_validator(mode="after")
    def _demand_other_columns(self) -> Self:
        if any(self.row_key in row.cells for row in self.rows.values()):
            raise ValueError(f"{self.row_key!r} → the row key is no cell → remove it from the cells")
        return self


class CellFinding(NamedTuple):
    """What came of one cell."""

    place: str
    finding: Finding


class TableCellsValidator(FieldValidator[TableCellsParams]):
    """Rows of objects, matched by name, cell by cell."""

    kind = "table-cells"
    params_model = TableCellsParams

    def judge(self, value: JsonValue, params: TableCellsParams) -> Verdict:
        """Wrong when any cell is wrong; missing when cells or rows are declined or left out."""
        if is_declined(value):
            return self.decide(CheckOutcome.MISSING, params, reason="no rows are given")
        if not isinstance(value, list):
            return self.decide(CheckOutcome.WRONG, params, reason="is not a list of rows")
        findings = [*_check_rows(value, params), *_find_strangers(value, params)]
        return self._weigh(findings, params)

    def _weigh(self, findings: list[CellFinding], params: TableCellsParams) -> Verdict:
        by_outcome = {
            outcome: [each for each in findings if each.finding.outcome is outcome]
            for outcome in CheckOutcome
        }
        worst = next(
            (each for each in (CheckOutcome.WRONG, CheckOutcome.MISSING) if by_outcome[each]),
            CheckOutcome.PASS,
        )
        told = [f"{each.place}: {each.finding.reason}" for each in by_outcome[worst][:6]]
        reason = f"{len(by_outcome[CheckOutcome.PASS])} of {len(findings)} cells are right"
        details: dict[str, JsonValue] = {
            outcome.value: [each.place for each in by_outcome[outcome]]
            for outcome in (CheckOutcome.WRONG, CheckOutcome.MISSING)
        }
        reason += "" if worst is CheckOutcome.PASS else "; " + "; ".join(told)
        return self.decide(worst, params, reason=reason, details=details)


def _check_rows(rows: list[JsonValue], params: TableCellsParams) -> Iterator[CellFinding]:
    for name, row in params.rows.items():
        written = [each for each in rows if _is_row(each, params.row_key, (name, *row.aliases))]
        for column, cell in row.cells.items():
            values = [each.get(column) for each in written if isinstance(each, dict)]
            yield CellFinding(f"{name}/{column}", _check_cell(values, cell))


def _is_row(row: JsonValue, row_key: str, names: tuple[str, ...]) -> bool:
    told = row.get(row_key) if isinstance(row, dict) else None
    return isinstance(told, str | int | float) and any(matches_name(str(told), name) for name in names)


def _check_cell(values: list[JsonValue], cell: Cell) -> Finding:
    """The finding on a cell; of a row that stands there twice the worse one, so that guessing never pays."""
    if not values:
        return Finding(CheckOutcome.MISSING, "the row is left out")
    order = (CheckOutcome.WRONG, CheckOutcome.MISSING, CheckOutcome.PASS)
    return min((_meet_cell(value, cell) for value in values), key=lambda found: order.index(found.outcome))


def _meet_cell(value: JsonValue, cell: Cell) -> Finding:
    if not cell.unpublished:
        return meet_expectation(value, cell)
    fabricated = find_fabrication(value)
    if fabricated is None:
        return Finding(CheckOutcome.PASS, "says that nothing is published")
    return Finding(CheckOutcome.WRONG, f"claims {shorten(fabricated)!r}, but nothing is published")


def _find_strangers(rows: list[JsonValue], params: TableCellsParams) -> Iterator[CellFinding]:
    """Rows that are not listed, when the table is closed."""
    names = [(name, *row.aliases) for name, row in params.rows.items()]
    for row in rows if params.closed else []:
        if not any(_is_row(row, params.row_key, each) for each in names):
            told = row.get(params.row_key) if isinstance(row, Mapping) else row
            yield CellFinding(shorten(told), Finding(CheckOutcome.WRONG, "is not a row of this table"))
