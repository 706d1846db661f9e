"""How runs are bounded, which tasks count, how answers are graded and how runs end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_searchlight.agents.contract import CALL_LIMIT_S
from pytest_searchlight.calibration import DEFAULT_THRESHOLDS
from pytest_searchlight.catalog.reading import Catalog
from pytest_searchlight.domain import RunStatus
from pytest_searchlight.judges.verdict import MOST_EXCLUDED
from pytest_searchlight.runner import MAX_ATTEMPTS
from pytest_searchlight.website.formats import DASH, join_words, show_count
from pytest_searchlight.website.house import House
from pytest_searchlight.website.sections.parts import Section, describe_statuses
from pytest_searchlight.website.tables import Cell, make_table, number

_JUDGED: Final = (
    "An answer must conform to the task's schema and pass every deterministic check. A brief with a rubric "
    "is then read by a judge against the pages that it cites, as they were captured. It labels each key fact "
    "as covered or not, and each claim as supported or not; the verdict is computed from its labels, not "
    "asked for. A judge that is not available leaves the run ungraded, never failed."
)
_BLINDED: Final = (
    "The judge is not told setup, provider or agent: providers' addresses and remarks on what the writer had "
    "at hand are put neutrally, and a brief that still tells is kept from the judge, which leaves its run "
    "ungraded."
)
_UNREAD: Final = (
    "A page that could not be captured is read as the run's own fetch of it returned it, unless that is a "
    "model's word on the page. It may be a part of the page, so it supports claims and refutes none; setups "
    "without a fetch tool have no such way out. A claim that could not be decided for want of a page is left "
    f"out, and where that is more than {MOST_EXCLUDED:.0%} of a brief's claims its run is ungraded. A page "
    "that is not there supports nothing."
)
_PROVEN: Final = (
    "A question without an answer is passed by declining. “sew validate” proves a catalog: its checks pass "
    "every reference answer, and fail every wrong one that they do not leave to the judge."
)


def describe_limits(house: House) -> Section:
    """What one run may use."""
    text = (
        "A run that used up its own time or tokens, cached ones included, has failed. A call over the number "
        "of provider calls is answered with that word, and the run goes on; an agent product's own search is "
        f"bounded by time and tokens only. One call to a provider may take {CALL_LIMIT_S} seconds; what a "
        "run waits for its turn at a provider is in its time, and in no call's latency."
    )
    faults = (
        f"A fault of the infrastructure is tried again, up to {MAX_ATTEMPTS} attempts in all, each in a "
        "folder of its own; a refused login and a wrong answer never are. Three such runs in a row put off "
        "the rest of their setup under that agent and model, and these runs count as skipped."
    )
    table = make_table(
        "Limits of one run, by catalog",
        labels=("Catalog", "Title", "Tasks", "Repetitions", "Seconds", "Tokens", "Provider calls"),
        rows=[_make_limits(catalog) for catalog in house.catalogs],
        notes=["Two numbers are the least and the most among the catalog's tasks."],
        texts=2,
    )
    return Section(id="limits", title="Limits of a run", paragraphs=(text, faults), tables=(table,))


def _make_limits(catalog: Catalog) -> list[Cell | str]:
    budgets = [task.budgets for task in catalog.tasks]
    return [
        catalog.name,
        catalog.title,
        number(len(catalog.tasks), show_count(len(catalog.tasks))),
        number(catalog.defaults.repetitions, show_count(catalog.defaults.repetitions)),
        _show_range([budget.wall_clock_s for budget in budgets]),
        _show_range([budget.tokens for budget in budgets]),
        _show_range([budget.provider_calls for budget in budgets]),
    ]


def _show_range(values: Sequence[float | None]) -> Cell:
    known = [value for value in values if value is not None]
    if not known:
        return Cell(text="no limit")
    ends = dict.fromkeys(show_count(end) for end in (min(known), max(known)))
    return number(max(known), " to ".join(ends))


def describe_admission(house: House) -> Section:
    """Which tasks count."""
    limits = DEFAULT_THRESHOLDS
    calibrated = [catalog.name for catalog in house.catalogs if catalog.defaults.needs_calibration]
    text = (
        f"A calibration runs every task {limits.runs} times without search (the floor) and {limits.runs} "
        "times with the answer's source in the prompt (the ceiling), for each agent and model. The task is "
        f"admitted where the floor passes at most {limits.most_floor_passes} and the ceiling at least "
        f"{limits.fewest_ceiling_passes}: it can be done, and not without looking. Runs that could not be "
        "measured speak against admission. A record holds for one version of the task and of the agent."
    )
    needs = f"Calibration is required by the catalog {join_words(calibrated)}; all tasks of the others count."
    return Section(
        id="admission", title="Which tasks count", paragraphs=(text, needs) if calibrated else (text,)
    )


def describe_grading(house: House) -> Section:
    """Checks first, then a judge where a brief needs one; and the audit beside both."""
    tables = (
        make_table(
            "Deterministic checks",
            labels=("Check", "What it holds an answer to"),
            rows=[[kind, text] for kind, text in house.checks.items()],
            texts=2,
        ),
        make_table(
            "Rules of the audit",
            labels=("Rule", "What must hold"),
            rows=[[name, text] for name, text in house.audit_rules.items()],
            texts=2,
        ),
    )
    paragraphs = (_JUDGED, _BLINDED, _UNREAD, _PROVEN)
    return Section(id="grading", title="How answers are graded", paragraphs=paragraphs, tables=tables)


def describe_counting() -> Section:
    """How runs end and what is in the denominator."""
    text = (
        "Planned runs are passes, failures and everything left out, counted by status; a run without a "
        f"result stays “{RunStatus.NOT_RUN.replace('_', ' ')}”. Where that does not add up, no summary is "
        f"written. A dash ({DASH}) stands for what is not known."
    )
    return Section(id="statuses", title="What counts", paragraphs=(text,), tables=(describe_statuses(),))
