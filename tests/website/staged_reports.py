"""A folder of reports to build sites of: measured and transcribed ones, with texts that try to break out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, JsonValue
from rooms.records_for_tests import make_record, make_searching

from pytest_searchlight.agreements import AGREEMENT_FILE, SecondOpinion, SecondOpinions
from pytest_searchlight.calibration import CalibrationRecord, ReferenceRuns
from pytest_searchlight.calibration.records import DEFAULT_THRESHOLDS, Calibration
from pytest_searchlight.domain import Access, Cost, JudgeCost, RunRecord, RunStatus, SetupKind, Usage
from pytest_searchlight.judges.agreement import FamilyLean, JudgeAgreement, measure_agreement
from pytest_searchlight.report_folder import (
    CALIBRATION_FILE,
    MANIFEST_FILE,
    SUMMARY_FILE,
    TRANSCRIPTION_FILE,
    Manifest,
    TranscribedBattery,
    TranscribedRow,
    TranscribedTest,
    Transcription,
)
from pytest_searchlight.settings import find_shipped
from pytest_searchlight.summary import summarize
from pytest_searchlight.website.house import House, read_house

HOSTILE: Final = '<img src=x onerror="document.title=1">|*[x](javascript:alert(1))*'
"""Text that would be markup, and run, were it not escaped."""

SETUPS: Final = {
    "exa": SetupKind.PROVIDER,
    "tavily": SetupKind.PROVIDER,
    "built-in": SetupKind.BUILT_IN,
    "no-search": SetupKind.NO_SEARCH,
    "floor": SetupKind.FLOOR,
    "ceiling": SetupKind.CEILING,
}
AGENTS: Final = {"claude-code": "claude-opus-5-5", "codex": None}
_PASSES_IN_TEN: Final = {"exa": 7, "tavily": 6, "built-in": 5, "no-search": 2, "floor": 0, "ceiling": 9}
_FACTS: Final[dict[str, JsonValue]] = {
    "schema_version": 1,
    "name": "20261130-120000-abcd",
    "started_at": "2026-11-30T12:00:00+00:00",
    "searchlight_version": "0.1.0",
    "python_version": "3.11.7",
    "platform": "Linux x86_64",
    "packages": {"pytest": "9.2.0"},
    "seed": 7,
    "options": {
        "setup": ["exa", "no-search"],
        "repetitions": 2,
        "uncalibrated": True,
        "seed": 7,
        "judge": None,
    },
    "catalogs": {"gap": "0" * 64},
    "servers": {"exa": "3.4.1"},
    "judges": {"lexical": {"model_name": None, "audit": {"passed": True}}},
    "selection": {"paths": ["catalogs/gap"], "keyword": "cve or x", "markers": ""},
}


def write_record(record: BaseModel, file: Path) -> None:
    """Put a record where a reader looks for it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(record.model_dump_json(), "utf-8")


def write_measured(
    reports: Path,
    name: str = "battery",
    *,
    records: Sequence[RunRecord] | None = None,
    facts: dict[str, Any] | None = None,
    **manifest: Any,  # noqa: ANN401 - any field of a manifest
) -> Path:
    """A measured report and its folder; by default of two agents, with everything that a page can show."""
    told = {"date": dt.date(2026, 11, 30), "title": "A battery", "kind": "measured", **manifest}
    made = Manifest(name=name, **told)
    folder = reports / made.folder_name
    rows = list(make_rows()) if records is None else records
    write_record(made, folder / MANIFEST_FILE)
    write_record(summarize(rows, facts={**_FACTS, **(facts or {})}, extra={}), folder / SUMMARY_FILE)
    return folder


def make_rows(*, tasks: int = 5, repetitions: int = 2) -> Iterator[RunRecord]:
    """Runs of two agents under every setup; a few are excluded, contaminated or flagged."""
    for agent, model in AGENTS.items():
        for setup, kind in SETUPS.items():
            for task in range(tasks):
                for repetition in range(1, repetitions + 1):
                    yield _make_row(agent, model, setup, kind, task, repetition)


def _make_row(  # noqa: PLR0917 - the cell of a matrix
    agent: str, model: str | None, setup: str, kind: SetupKind, task: int, repetition: int
) -> RunRecord:
    place = task + 3 * repetition + 2 * (agent == "codex")
    facts: dict[str, Any] = {
        "run_id": f"gap.task-{task}.{agent}.{setup}.r{repetition}",
        "catalog": "gap",
        "task": f"task-{task}",
        "family": f"family-{task % 3}",
        "agent": agent,
        "model_name": model,
        "setup": setup,
        "setup_kind": kind,
        "repetition": repetition,
        "passed": place % 10 < _PASSES_IN_TEN[setup],
        "cost": Cost(agent_usd=None if agent == "codex" else 0.2 + place / 50, provider_usd=0.0),
        "usage": Usage(input_tokens=40_000 + 500 * place, output_tokens=2_000),
        "searching": make_searching(searches=2, queries=3, query_words=15, fetches=place % 4),
        "access": Access.FETCHED if place % 2 else Access.SURFACED,
    }
    if setup == "tavily" and task == 0:
        facts |= {"status": RunStatus.RATE_LIMITED, "passed": None}
    return make_record(**facts)


def add_calibration(folder: Path) -> None:
    """Two tasks, of which one is admitted."""
    records = tuple(
        CalibrationRecord(
            catalog="gap",
            catalog_hash="0" * 64,
            task=task,
            task_hash="1" * 64,
            agent="codex",
            model_name=None,
            thresholds=DEFAULT_THRESHOLDS,
            floor=_make_reference(0),
            ceiling=_make_reference(passes),
            admitted=passes >= 4,
        )
        for task, passes in (("task-0", 5), ("task-1", 2))
    )
    write_record(Calibration(records=records), folder / CALIBRATION_FILE)


def _make_reference(passes: int) -> ReferenceRuns:
    ids = tuple(f"run-{number}" for number in range(5))
    return ReferenceRuns(model_name=None, agent_versions=("1.0",), graded=5, passes=passes, run_ids=ids)


def add_agreement(folder: Path) -> None:
    """A second judge that agrees on nine of ten verdicts."""
    pairs = [(True, True)] * 5 + [(False, False)] * 4 + [(True, False)]
    found = JudgeAgreement(
        primary="claude-code",
        second="codex",
        runs=(),
        facts=measure_agreement(pairs),
        claims=measure_agreement([]),
        verdicts=measure_agreement(pairs),
        disputed=("run-9",),
        unpaired=(),
        leans=(FamilyLean(judge="codex", own_runs=5, other_runs=5, lean=0.1),),
    )
    cost = JudgeCost(judge="codex", model_name="gpt-6.1-sol", usage=Usage(), usd=None)
    opinion = SecondOpinion(
        second="codex", model_name="gpt-6.1-sol", cost=cost, agreements=(found,), changed=()
    )
    write_record(SecondOpinions(opinions=(opinion,)), folder / AGREEMENT_FILE)


def write_transcribed(reports: Path, name: str = "printed") -> Path:
    """A transcribed report, whose rows were printed by rate."""
    manifest = Manifest(name=name, date=dt.date(2026, 10, 3), title="Printed elsewhere", kind="transcribed")
    battery = TranscribedBattery(
        title="Gap bench",
        date=dt.date(2026, 10, 3),
        agent="claude-code",
        model_name="claude-opus-5-5[1m]",
        tasks=7,
        repetitions=3,
        rows=(
            _make_printed("tavily", 20, closure=1.0, remark=HOSTILE),
            _make_printed("exa", 15, closure=0.75, cost_per_success_usd=0.159, cost_is_lower_bound=True),
            _make_printed("floor", 0),
        ),
        tests=(TranscribedTest(setup="exa", reference="floor", p_value=0.0001, is_bound=True),),
        agreement_kappa=0.79,
        passes_by_task={"org-migration": {"exa": 2, "tavily": 3}},
    )
    transcription = Transcription(
        source="A public report.",
        read_on=dt.date(2026, 11, 30),
        batteries=(battery,),
        replicated=("Search against no search.",),
        not_replicated=("The order of providers.",),
        limitations=("Raw runs were not published.",),
    )
    folder = reports / manifest.folder_name
    write_record(manifest, folder / MANIFEST_FILE)
    write_record(transcription, folder / TRANSCRIPTION_FILE)
    return folder


def _make_printed(setup: str, passes: int, *, closure: float | None = None, **facts: Any) -> TranscribedRow:  # noqa: ANN401
    kind = SETUPS[setup]
    return TranscribedRow(
        setup=setup,
        setup_kind=kind,
        runs=21,
        passes=passes,
        pass_rate_percent_ci95=(passes, 90),
        gap_closure=closure,
        gap_closure_ci95=None if closure is None else (closure - 0.2, closure + 0.2),
        **facts,
    )


def write_all(reports: Path) -> None:
    """Everything at once: a corrected report, its correction, a transcribed one, and hostile texts."""
    first = write_measured(reports, "first", date=dt.date(2026, 11, 1), corrected_by=("2026-11-30-second",))
    add_calibration(first)
    second = write_measured(
        reports,
        "second",
        title=f"Second {HOSTILE}",
        note=f"We make search ourselves. {HOSTILE}\n\nSecond paragraph.",
        corrects=first.name,
    )
    add_calibration(second)
    add_agreement(second)
    write_transcribed(reports)


def read_shipped_house() -> House:
    """The house as it is shipped."""
    return read_house([find_shipped("config")], catalogs=find_shipped("catalogs"))
