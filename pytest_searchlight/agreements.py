"""``agreement.json``: the second judges of a session, each held against the judge that decided."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pytest_searchlight.domain import JudgeCost, Record
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.judges.agreement import JudgeAgreement, compare_judges
from pytest_searchlight.record_file import read_record_file

AGREEMENT_FILE: Final = "agreement.json"


class SecondOpinion(Record):
    """One second judge on the briefs of a session.

    Attributes:
        second: the second judge.
        model_name: its model, None without one.
        agreements: with each primary judge of the session; catalogs may differ in theirs.
        changed: runs left out, since the second judge would not read or weigh what the primary one did: their
            task was changed since, or what is known to tell a setup.
        cost: what its reading took.
    """

    second: str
    model_name: str | None
    cost: JudgeCost
    agreements: tuple[JudgeAgreement, ...]
    changed: tuple[str, ...]

    @property
    def place(self) -> tuple[str, str]:
        """What a session keeps one opinion for: judge and model, the latter empty without one."""
        return self.second, self.model_name or ""


class SecondOpinions(Record):
    """``agreement.json``: the latest opinion of each second judge and model."""

    schema_version: Literal[1] = 1
    opinions: tuple[SecondOpinion, ...] = ()

    def add(self, opinion: SecondOpinion) -> SecondOpinions:
        """The opinions with `opinion` in place of an earlier one of the same judge and model."""
        merged = {**{each.place: each for each in self.opinions}, opinion.place: opinion}
        return SecondOpinions(opinions=tuple(merged[place] for place in sorted(merged)))


def read_opinions(path: Path) -> SecondOpinions:
    """The opinions in `path`, none without such a file. Raises EvidenceError when it cannot be read."""
    if not path.exists():
        return SecondOpinions()
    return read_record_file(
        path,
        SecondOpinions,
        complain=lambda problem: EvidenceError(
            f"{path}: not a readable record of second opinions ({problem}); remove it and let `sew agree` "
            "write it anew"
        ),
    )


def recompute_agreement(agreement: JudgeAgreement) -> JudgeAgreement:
    """`agreement` with every figure computed from its runs; equal to it unless somebody changed a figure."""
    return compare_judges(agreement.runs, primary=agreement.primary, second=agreement.second)
