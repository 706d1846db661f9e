"""``transcribed.json``: figures that somebody published without the rows they came from.

Every number stands as it was printed. None says that the publication did not give it.
"""

from __future__ import annotations

import datetime as dt
from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from pytest_searchlight.domain import SetupKind
from pytest_searchlight.domain.base import Record, Slug, Text


class TranscribedRow(Record):
    """One search setup in one battery, as printed.

    Attributes:
        label: what the publication called the row, where that says more than `setup`.
        runs: runs in the denominator.
        pass_rate_percent_ci95: the printed interval, in whole percent.
        gap_closure: the printed closure, `gap_closure_ci95` its interval.
        tokens_per_success: in tokens.
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


class Transcription(Record):
    """What was read where, what of it repeated itself, and what did not."""

    schema_version: Literal[1] = 1
    source: Text
    read_on: dt.date
    batteries: tuple[TranscribedBattery, ...]
    replicated: tuple[Text, ...] = ()
    not_replicated: tuple[Text, ...] = ()
    limitations: tuple[Text, ...]
