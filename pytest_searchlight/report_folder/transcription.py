"""``transcribed.json``: figures that somebody published without the rows they came from.

Every number stands as it was printed. None says that the publication did not give it.
"""

from __future__ import annotations

import datetime as dt
from typing import Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt, model_validator

from pytest_searchlight.domain import SetupKind
from pytest_searchlight.domain.base import Record, Slug, Text


class TranscribedRow(Record):
    """One search setup in one battery, as printed.

    Attributes:
        label: what the publication called the row, where that says more than `setup`.
        runs: runs in the denominator.
        pass_rate_percent_ci95: the printed interval, in whole percent.
        gap_closure: the printed closure, `gap_closure_ci95` its interval.
        tokens_per_run, tokens_per_success: in tokens, those of failed runs included.
        cost_per_success_usd: in US dollars; `cost_is_lower_bound` where only some runs were priced.
        other_judge_passes: passes had the second judge decided.
        remark: anything the reader must know of this row.
    """

    setup: Slug
    setup_kind: SetupKind
    label: str | None = None
    runs: PositiveInt
    passes: NonNegativeInt
    pass_rate_percent_ci95: tuple[NonNegativeInt, NonNegativeInt] | None = None
    gap_closure: float | None = None
    gap_closure_ci95: tuple[float, float] | None = None
    tokens_per_run: NonNegativeFloat | None = None
    tokens_per_success: NonNegativeFloat | None = None
    cost_per_success_usd: NonNegativeFloat | None = None
    cost_is_lower_bound: bool = False
    provider_calls: NonNegativeInt | None = None
    other_judge_passes: NonNegativeInt | None = None
    remark: str | None = None


class TranscribedTest(Record):
    """A printed p-value of a comparison. `is_bound` where it was printed as "below"."""

    setup: Slug
    label: str | None = None
    reference: Slug
    p_value: NonNegativeFloat
    is_bound: bool = False


class TranscribedBattery(Record):
    """One table of the publication.

    `agreement_kappa` is Cohen's kappa of the two judges' labels; `passes_by_task` gives, where it was
    published, passes by task and setup, of `repetitions` each.
    """

    title: Text
    date: dt.date
    agent: Slug
    model_name: str
    tasks: PositiveInt
    repetitions: PositiveInt
    rows: tuple[TranscribedRow, ...]
    tests: tuple[TranscribedTest, ...] = ()
    agreement_kappa: float | None = None
    passes_by_task: dict[str, dict[str, NonNegativeInt]] = Field(default_factory=dict)
    remarks: tuple[Text, ...] = ()


class TranscribedMeasure(Record):
    """A line of a table: what was measured, and the figure of each column that was given one.

    `of` is the most that a count could have been.
    """

    label: Text
    unit: Text | None = None
    of: PositiveInt | None = None
    values: dict[Slug, NonNegativeInt | NonNegativeFloat]

    @model_validator(mode="after")
    def _stay_within_most(self) -> Self:
        beyond = {name: value for name, value in self.values.items() if self.of and value > self.of}
        if beyond:
            raise ValueError(f"{self.label}: {beyond} is more than all there were, {self.of}")
        return self


class TranscribedTable(Record):
    """Figures that are no battery of runs; the columns are setups, providers or agents."""

    title: Text
    date: dt.date
    measures: tuple[TranscribedMeasure, ...]
    remarks: tuple[Text, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that a measure has a figure for, in the order of their first."""
        return tuple(dict.fromkeys(name for measure in self.measures for name in measure.values))


class Transcription(Record):
    """What was read where, what of it repeated itself, and what did not."""

    schema_version: Literal[1] = 1
    source: Text
    read_on: dt.date
    batteries: tuple[TranscribedBattery, ...] = ()
    tables: tuple[TranscribedTable, ...] = ()
    replicated: tuple[Text, ...] = ()
    not_replicated: tuple[Text, ...] = ()
    limitations: tuple[Text, ...]

    @property
    def date(self) -> dt.date:
        """The day of the latest battery or table; that of reading where there is neither."""
        dates = [*(battery.date for battery in self.batteries), *(table.date for table in self.tables)]
        return max(dates, default=self.read_on)
