"""What second judges said of a session's briefs: each beside the judge that decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pytest_searchlight.agreements import AGREEMENT_FILE, SecondOpinion, read_opinions
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.judges.agreement import PairedLabel


@dataclass(frozen=True, kw_only=True)
class SecondReading:
    """What a second judge said of one brief.

    Attributes:
        judge: its name, with its model.
        primary: the judge that decides, None where this one was not asked.
        passed: whether its labels make the brief pass, None when it came to no verdict.
        facts: the labels of key facts that both judges gave.
        claims: those of claims.
    """

    judge: str
    primary: str | None = None
    passed: bool | None = None
    facts: tuple[PairedLabel, ...] = ()
    claims: tuple[PairedLabel, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SecondReadings:
    """The readings of a session by run id; `problem` says why they cannot be read."""

    by_run: Mapping[str, tuple[SecondReading, ...]] = field(default_factory=dict)
    problem: str = ""


def read_second_readings(session: SessionFolder) -> SecondReadings:
    """All that second judges said in `session`; a page without it is better than none."""
    try:
        opinions = read_opinions(session.root / AGREEMENT_FILE).opinions
    except (EvidenceError, OSError) as error:
        return SecondReadings(problem=str(error))
    by_run: defaultdict[str, list[SecondReading]] = defaultdict(list)
    for run_id, reading in _list_readings(opinions):
        by_run[run_id].append(reading)
    return SecondReadings(by_run={run_id: tuple(found) for run_id, found in by_run.items()})


def _list_readings(opinions: Iterable[SecondOpinion]) -> Iterator[tuple[str, SecondReading]]:
    for opinion in opinions:
        judge = " with ".join(opinion.place) if opinion.model_name else opinion.second
        yield from ((run_id, SecondReading(judge=judge)) for run_id in opinion.changed)
        for agreement in opinion.agreements:
            for run in agreement.runs:
                yield (
                    run.run_id,
                    SecondReading(
                        judge=judge,
                        primary=agreement.primary,
                        passed=run.second_passed,
                        facts=run.facts,
                        claims=run.claims,
                    ),
                )
