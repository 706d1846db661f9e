"""A bundle as a page shows it: whole, or not at all where it cannot be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_searchlight.domain import RunRecord
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import SealedBundle, SessionFolder, read_bundle
from pytest_searchlight.run_pages.judged import JudgedBrief, read_judged
from pytest_searchlight.run_pages.run_evidence import RunEvidence, read_evidence
from pytest_searchlight.run_pages.second_readings import SecondReading
from pytest_searchlight.run_pages.timeline import Step, pair_calls


@dataclass(frozen=True, kw_only=True)
class ReadRun:
    """What could be read of a bundle.

    Attributes:
        record: the run's row, None when there is no bundle or it cannot be trusted.
        file_names: what the bundle holds besides its seal.
        evidence: all of it, None also when the run was never made.
        steps: its tool calls.
        judged: its brief, None when its task asks for none.
        problem: why the bundle cannot be trusted.
    """

    record: RunRecord | None = None
    file_names: tuple[str, ...] = ()
    evidence: RunEvidence | None = None
    steps: tuple[Step, ...] = ()
    judged: JudgedBrief | None = None
    problem: str | None = None


def read_run(folder: Path, *, session: SessionFolder, readings: Sequence[SecondReading] = ()) -> ReadRun:
    """What the bundle in `folder` holds; nothing of it is shown when a part was altered or is missing.

    Args:
        folder: the bundle.
        session: the session that it belongs to.
        readings: what second judges said of it.
    """
    if not folder.is_dir():
        return ReadRun()
    try:
        bundle = read_bundle(folder)
        bundle.verify()
        return _read_bundle(bundle, session, readings)
    except EvidenceError as error:
        return ReadRun(problem=str(error))
    except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        # The hashes hold, so another version wrote it, or somebody who knows how to seal.
        return ReadRun(problem=f"{folder}: not the evidence of a run ({type(error).__name__}: {error})")


def _read_bundle(bundle: SealedBundle, session: SessionFolder, readings: Sequence[SecondReading]) -> ReadRun:
    evidence = read_evidence(bundle) if "trace" in bundle.head else None
    return ReadRun(
        record=RunRecord.model_validate(bundle.head["record"]),
        file_names=tuple(sorted(bundle.head["files"])),
        evidence=evidence,
        steps=() if evidence is None else pair_calls(evidence.calls, metering=evidence.metering),
        judged=None if evidence is None else read_judged(evidence, session=session, readings=readings),
    )
