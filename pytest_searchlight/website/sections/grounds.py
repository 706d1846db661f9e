"""What a report's numbers stand on: admitted tasks, judges, versions."""

from __future__ import annotations

from typing import Final

from pytest_searchlight.agreements import SecondOpinions
from pytest_searchlight.calibration import Calibration, CalibrationRecord, find_rejection_ground
from pytest_searchlight.domain import name_agent
from pytest_searchlight.judges.agreement import Agreement, FamilyLean, JudgeAgreement
from pytest_searchlight.summary_schema import ResultRow, Summary
from pytest_searchlight.website.formats import (
    DASH,
    count_things,
    show_count,
    show_decimal,
    show_moment,
    show_points,
    show_ratio,
    show_usd,
)
from pytest_searchlight.website.provenance import JudgeFacts, Provenance
from pytest_searchlight.website.sections.parts import Section
from pytest_searchlight.website.sections.pictures import chart_agreement
from pytest_searchlight.website.tables import Cell, Table, gather_reasons, illustrate, make_table, number

_JUDGES: Final = (
    "Briefs with a rubric were read by a judge that was not told setup, provider or agent. What the judges "
    "used is apart from what the agents used."
)
_AGREEMENT: Final = (
    "A second judge read the same briefs and sources. It decides nothing: the first judge's verdicts "
    "count. Kappa is Cohen's; lean is how much more often a judge passes its own vendor's agent than the "
    "other judge does, less the same for all other agents."
)
_HASH_LENGTH: Final = 12


def describe_calibration(calibration: Calibration | None, facts: Provenance) -> Section:
    """Which tasks were admitted, and why others were not."""
    if calibration is None or not calibration.records:
        text = (
            "This session counts its tasks whether or not a calibration admits them."
            if facts.is_uncalibrated
            else "No calibration belongs to this report: its catalogs do not ask for one."
        )
        return Section(id="calibration", title="Calibration", paragraphs=(text,))
    records = calibration.records
    limits = records[0].thresholds
    text = (
        f"A task counts where the floor passes at most {limits.most_floor_passes} and the ceiling at least "
        f"{limits.fewest_ceiling_passes} of {limits.runs}: {sum(record.admitted for record in records)} of "
        f"{count_things(len(records), 'task')} are admitted."
    )
    table = make_table(
        "Floor and ceiling of each task",
        labels=("Task", "Agent", "Catalog", "Admitted", "Floor", "Ceiling"),
        rows=[_make_calibrated(record) for record in records],
        notes=gather_reasons((record.task, find_rejection_ground(record)) for record in records),
        texts=4,
    )
    return Section(id="calibration", title="Calibration", paragraphs=(text,), tables=(table,))


def _make_calibrated(record: CalibrationRecord) -> list[Cell | str]:
    return [
        record.task,
        name_agent(record.agent, record.model_name),
        record.catalog,
        "yes" if record.admitted else "no",
        number(record.floor.passes, f"{record.floor.passes}/{record.floor.graded}"),
        number(record.ceiling.passes, f"{record.ceiling.passes}/{record.ceiling.graded}"),
    ]


def describe_judges(summary: Summary, facts: Provenance) -> Section:
    """Who graded briefs, and what that took; answers with checks alone need no judge."""
    judged = [row for row in summary.results if row.judging.judged_runs]
    if not facts.judges and not judged:
        text = "No brief was judged: every answer was graded by deterministic checks alone."
        return Section(id="judges", title="Judges", paragraphs=(text,))
    tables = (_make_judges(facts), *([_make_judging(judged)] if judged else []))
    return Section(id="judges", title="Judges", paragraphs=(_JUDGES,), tables=tables)


def _make_judges(facts: Provenance) -> Table:
    return make_table(
        "Judges of this session",
        labels=("Judge", "Model", "Audit"),
        rows=[[name, judge.model_name or DASH, _tell_audit(judge)] for name, judge in facts.judges.items()],
        texts=3,
    )


def _make_judging(judged: list[ResultRow]) -> Table:
    return make_table(
        "What judging took",
        labels=("Setup", "Agent", "Catalog", "Judged runs", "Tokens", "Dollars"),
        rows=[
            [
                row.setup,
                name_agent(row.agent, row.model_name),
                row.catalog,
                number(row.judging.judged_runs, show_count(row.judging.judged_runs)),
                number(row.judging.tokens, show_count(row.judging.tokens)),
                number(row.judging.cost_usd, show_usd(row.judging.cost_usd)),
            ]
            for row in judged
        ],
        texts=3,
    )


def _tell_audit(judge: JudgeFacts) -> str:
    return {None: "not audited", True: "passed", False: "did not pass"}[judge.has_passed]


def describe_agreement(opinions: SecondOpinions | None) -> Section:
    """How far second judges agree with the one that decided."""
    if opinions is None or not opinions.opinions:
        text = "No second judge was asked, so nothing is known of how far another would agree."
        return Section(id="agreement", title="Agreement of judges", paragraphs=(text,))
    found = [agreement for opinion in opinions.opinions for agreement in opinion.agreements]
    leans = [lean for agreement in found for lean in agreement.leans]
    tables = (
        illustrate(_make_agreements(found), chart=chart_agreement(found)),
        *([_make_leans(leans)] if leans else []),
        _make_opinion_costs(opinions),
    )
    return Section(id="agreement", title="Agreement of judges", paragraphs=(_AGREEMENT,), tables=tables)


def _make_agreements(found: list[JudgeAgreement]) -> Table:
    kinds = ("Verdicts", "kappa", "Key facts", "kappa", "Claims", "kappa")
    return make_table(
        "Labels given alike",
        labels=("Judges", *kinds, "Disputed runs", "Unpaired runs"),
        rows=[_make_agreement(agreement) for agreement in found],
    )


def _make_agreement(found: JudgeAgreement) -> list[Cell | str]:
    kinds = (found.verdicts, found.facts, found.claims)
    return [
        f"{found.second} beside {found.primary}",
        *(cell for counted in kinds for cell in _make_counts(counted)),
        number(len(found.disputed), show_count(len(found.disputed))),
        number(len(found.unpaired), show_count(len(found.unpaired))),
    ]


def _make_counts(counted: Agreement) -> tuple[Cell, Cell]:
    share = counted.agreed / counted.pairs if counted.pairs else None
    return (
        number(share, show_ratio(counted.agreed, counted.pairs)),
        number(counted.kappa, show_decimal(counted.kappa, digits=2)),
    )


def _make_opinion_costs(opinions: SecondOpinions) -> Table:
    return make_table(
        "What the second judges took",
        labels=("Judge", "Model", "Tokens", "Dollars"),
        rows=[
            [
                opinion.second,
                opinion.model_name or DASH,
                number(opinion.cost.usage.total_tokens, show_count(opinion.cost.usage.total_tokens)),
                number(opinion.cost.usd, show_usd(opinion.cost.usd)),
            ]
            for opinion in opinions.opinions
        ],
        texts=2,
    )


def _make_leans(leans: list[FamilyLean]) -> Table:
    return make_table(
        "Whether a judge favours its own vendor's agent",
        labels=("Judge", "Lean, points", "Own runs", "Other runs"),
        rows=[
            [
                lean.judge,
                number(lean.lean, show_points(lean.lean)),
                number(lean.own_runs, show_count(lean.own_runs)),
                number(lean.other_runs, show_count(lean.other_runs)),
            ]
            for lean in leans
        ],
    )


def describe_versions(facts: Provenance) -> Section:
    """What the session was made with."""
    versions = {
        "Session": facts.name,
        "Started": facts.started_at and show_moment(facts.started_at),
        "Searchlight": facts.searchlight_version,
        "Python": facts.python_version,
        "Platform": facts.platform,
        "Seed": None if facts.seed is None else str(facts.seed),
        **{
            f"Catalog {name}": f"sha256 {digest[:_HASH_LENGTH]}…"
            for name, digest in sorted(facts.catalogs.items())
        },
        **{f"Server of {setup}": version for setup, version in sorted(facts.servers.items())},
        **dict(sorted(facts.packages.items())),
    }
    table = make_table(
        "What the session was made with",
        labels=("What", "Value"),
        rows=[[name, value or DASH] for name, value in versions.items()],
        texts=2,
    )
    return Section(id="versions", title="Versions", tables=(table,))
