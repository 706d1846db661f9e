"""What the workers of one session share: how much has been spent, in an SQLite file in WAL mode.

The ledger steers a running session and proves nothing: numbers come from evidence. So it trades
durability for speed (`synchronous=OFF`).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_searchlight.domain import RunRecord
from pytest_searchlight.settings import SessionCaps

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spend (
    run_id TEXT NOT NULL, attempt INTEGER NOT NULL,
    tokens INTEGER, cost_usd REAL, provider_calls INTEGER,
    PRIMARY KEY (run_id, attempt)
) STRICT, WITHOUT ROWID;
"""
_LOCK_WAIT_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Spend:
    """What an attempt used. None is unknown: no cap can be proven to hold after it."""

    tokens: int | None
    cost_usd: float | None
    provider_calls: int | None


class Ledger:
    """Open one per process. A session cap stops new runs; it never cuts a run that is in flight."""

    def __init__(self, path: Path, *, caps: SessionCaps, started_at_s: float) -> None:
        """Open or create the ledger.

        Args:
            path: the SQLite file, shared by all workers.
            caps: limits of the session.
            started_at_s: when the session started, seconds since the epoch.
        """
        self._caps = caps
        self._started_at_s = started_at_s
        self._connection = sqlite3.connect(path, timeout=_LOCK_WAIT_S, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=OFF")
        self._connection.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file; the ledger cannot be used afterwards."""
        self._connection.close()

    def record_spend(self, run_id: str, *, attempt: int, spend: Spend) -> None:
        """Add what an attempt used; the same attempt counts once."""
        self._connection.execute(
            "INSERT OR REPLACE INTO spend VALUES (?, ?, ?, ?, ?)",
            (run_id, attempt, spend.tokens, spend.cost_usd, spend.provider_calls),
        )

    def explain_exhausted(self) -> str | None:
        """Why no further run may start, in a sentence, or None while the budget holds."""
        return self._explain_time() or self._explain_spend()

    def _explain_time(self) -> str | None:
        limit = self._caps.wall_clock_s
        if limit is None or time.time() - self._started_at_s < limit:
            return None
        return (
            f"session budget used up: {limit:g} s of wall clock have passed (--searchlight-max-wall-clock-s)"
        )

    def _explain_spend(self) -> str | None:
        for column, limit in self._capped_columns():
            spent, unknown = self._connection.execute(
                f"SELECT coalesce(sum({column}), 0), count(*) - count({column}) FROM spend"  # noqa: S608 - our names
            ).fetchone()
            option = f"--searchlight-max-{column.replace('_', '-')}"
            if spent >= limit:
                return f"session budget used up: {spent:g} of {limit:g} {column} spent ({option})"
            if unknown:
                return f"session budget cannot be held: {column} of {unknown} attempt(s) unknown ({option})"
        return None

    def _capped_columns(self) -> Iterator[tuple[str, float]]:
        for column, limit in (
            ("cost_usd", self._caps.cost_usd),
            ("tokens", self._caps.tokens),
            ("provider_calls", self._caps.provider_calls),
        ):
            if limit is not None:
                yield column, limit


def measure_spend(record: RunRecord) -> Spend:
    """What a finished attempt adds to the ledger."""
    return Spend(
        tokens=record.usage.total_tokens,
        cost_usd=record.cost.total_usd,
        provider_calls=record.provider_calls,
    )
