"""Texts that reach pytest's reports: cleaned, cut, and the same everywhere."""

from __future__ import annotations

import re
from typing import Final

from pytest_searchlight.domain import CheckOutcome, RunRecord, RunStatus, Score

_LONGEST_TEXT: Final = 4096
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
UNKNOWN: Final = "-"


def format_usd(value: float) -> str:
    """US dollars in cents; what is less than one, yet something, is not told as nothing."""
    return "<$0.01" if 0 < value < 0.01 else f"${value:.2f}"


def clean_text(value: object) -> str:
    """Plain printable text of at most 4 kB, safe for reports, xdist and XML."""
    text = str(value).encode("utf-8", "replace").decode("utf-8")
    text = _CONTROL.sub("�", text)
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"


def list_properties(record: RunRecord) -> list[tuple[str, str]]:
    """The run's facts as junit properties; what is unknown is a dash."""
    properties = {
        "setup": record.setup,
        "agent": record.agent,
        "model": record.model_name,
        "repetition": record.repetition,
        "status": record.status,
        "tokens": record.usage.total_tokens,
        "cost": record.cost.total_usd,
        "calls": record.provider_calls,
    }
    return [(name, UNKNOWN if value is None else clean_text(value)) for name, value in properties.items()]


def explain_failure(record: RunRecord, score: Score, *, evidence: str) -> str:
    """Why a run failed, for a person: status, each check that did not pass, where the evidence is."""
    lines = [f"{record.status}: {record.reason}" if record.status is not RunStatus.GRADED else "wrong answer"]
    lines += [
        f"  {verdict.outcome:<8} {verdict.kind} {verdict.target}: {verdict.reason}"
        for verdict in score.verdicts
        if verdict.outcome is not CheckOutcome.PASS
    ]
    return clean_text("\n".join([*lines, f"evidence: {evidence}"]))


def format_duration(seconds: float) -> str:
    """``m:ss``, or ``h:mm:ss`` from an hour on."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
