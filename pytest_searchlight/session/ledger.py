"""What the workers of one session share: spending, slots and breakers, in an SQLite file in WAL mode.

The ledger steers a running session and proves nothing: numbers come from evidence. So it trades
durability for speed (`synchronous=OFF`).
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_searchlight.domain import STATUS_RULES, RunRecord, RunStatus
from pytest_searchlight.errors import DiskError
from pytest_searchlight.settings import SessionCaps

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spend (
    run_id TEXT NOT NULL, attempt INTEGER NOT NULL,
    tokens INTEGER, cost_usd REAL, provider_calls INTEGER,
    PRIMARY KEY (run_id, attempt)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS slots (name TEXT NOT NULL, holder INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS pauses (name TEXT PRIMARY KEY, until_s REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS interruptions (at_s REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS faults (
    lane TEXT PRIMARY KEY, in_a_row INTEGER NOT NULL, reason TEXT NOT NULL
) STRICT;
"""
FAULTS_IN_A_ROW: Final = 3
"""So many infrastructure faults of a lane in a row defer the rest of it."""

_SLOT_POLL_S: Final = 0.1
_LOCK_WAIT_S: Final = 30.0
_LOCK_POLL_S: Final = 0.02


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

        Raises:
            DiskError: the disk refuses, here and in every method.
        """
        self._path = path
        self._caps = caps
        self._started_at_s = started_at_s
        with self._explaining_faults():
            self._connection = sqlite3.connect(path, timeout=_LOCK_WAIT_S, isolation_level=None)
        for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=OFF", *_SCHEMA.split(";")):
            self._execute(statement)

    def _execute(self, statement: str, values: Sequence[str | float | None] = ()) -> sqlite3.Cursor:
        deadline_s = time.monotonic() + _LOCK_WAIT_S
        with self._explaining_faults():
            while True:
                try:
                    return self._connection.execute(statement, values)
                except sqlite3.OperationalError as error:
                    # Several workers opening the file at once are refused without SQLite's own waiting.
                    if "locked" not in str(error) or time.monotonic() > deadline_s:
                        raise
                    time.sleep(_LOCK_POLL_S)

    @contextmanager
    def _explaining_faults(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise DiskError(
                f"{self._path}: cannot keep the session's ledger ({error}); free some space, then go on with "
                "--searchlight-resume"
            ) from error

    def close(self) -> None:
        """Close the file; the ledger cannot be used afterwards."""
        self._connection.close()

    def record_spend(self, run_id: str, *, attempt: int, spend: Spend) -> None:
        """Add what an attempt used; the same attempt counts once."""
        self._execute(
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
            spent, unknown = self._execute(
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

    # --- slots -------------------------------------------------------------------------------------------

    @contextmanager
    def hold_slots(self, wanted: Mapping[str, int | None]) -> Iterator[bool]:
        """Wait until every name in `wanted` has a free slot and no pause, then hold one of each.

        Gives whether there was anything to wait for.

        Args:
            wanted: number of slots by name, such as a provider or an agent; the same in every worker. None is
                any number, which leaves the pauses to be waited for.
        """
        waited = False
        while not self._take_slots(wanted):
            waited = True
            time.sleep(_SLOT_POLL_S)
        try:
            yield waited
        finally:
            self._give_back(wanted)

    def _take_slots(self, wanted: Mapping[str, int | None]) -> bool:
        if self._is_any_paused(wanted):
            return False
        limited = {name: slots for name, slots in wanted.items() if slots is not None}
        if not limited:
            return True
        with self._transaction():
            self._forget_dead_holders()
            if any(self._count_taken(name) >= slots for name, slots in limited.items()):
                return False
            for name in limited:
                self._execute("INSERT INTO slots VALUES (?, ?)", (name, os.getpid()))
            return True

    def _count_taken(self, name: str) -> int:
        (taken,) = self._execute("SELECT count(*) FROM slots WHERE name = ?", (name,)).fetchone()
        return int(taken)

    def _is_any_paused(self, names: Iterable[str]) -> bool:
        paused = self._execute("SELECT name FROM pauses WHERE until_s > ?", (time.time(),)).fetchall()
        return any((name,) in paused for name in names)

    def _forget_dead_holders(self) -> None:
        for (holder,) in self._execute("SELECT DISTINCT holder FROM slots").fetchall():
            if not Path(f"/proc/{holder}").exists():
                self._execute("DELETE FROM slots WHERE holder = ?", (holder,))

    def _give_back(self, wanted: Mapping[str, int | None]) -> None:
        for name in (name for name, slots in wanted.items() if slots is not None):
            self._execute(
                "DELETE FROM slots WHERE rowid = "
                "(SELECT rowid FROM slots WHERE name = ? AND holder = ? LIMIT 1)",
                (name, os.getpid()),
            )

    def pause(self, name: str, *, seconds: float) -> None:
        """Let no run that wants `name` start for some time, as whoever it names asked for."""
        self._execute(
            "INSERT INTO pauses VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET until_s = max(until_s, ?2)",
            (name, time.time() + seconds),
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            self._execute("COMMIT")

    # --- breakers ----------------------------------------------------------------------------------------

    def record_outcome(self, lane: str, status: RunStatus, *, reason: str, is_lasting: bool = False) -> None:
        """Count a settled run of a lane: faults of infrastructure add up, a measured run starts over.

        Args:
            lane: setup, agent and model.
            status: how the run ended.
            reason: why; the message of runs that are deferred repeats it.
            is_lasting: whether the next run would meet the same fault, so that one is enough.
        """
        if STATUS_RULES[status].retry:
            text = f"{status}: {reason}".encode(
                "utf-8", "replace"
            ).decode()  # an agent's words may hold anything
            self._execute(
                "INSERT INTO faults VALUES (?1, ?2, ?3) "
                "ON CONFLICT (lane) DO UPDATE SET in_a_row = in_a_row + ?2, reason = ?3",
                (lane, FAULTS_IN_A_ROW if is_lasting else 1, text),
            )
        elif STATUS_RULES[status].counts:
            self._execute("DELETE FROM faults WHERE lane = ?", (lane,))

    def forget_faults(self) -> None:
        """Close all breakers and end all pauses: a session that is resumed tries again."""
        for table in ("faults", "pauses", "interruptions"):
            self._execute(f"DELETE FROM {table}")  # noqa: S608 - our own names

    def declare_interrupted(self) -> None:
        """Let no further run start: the session was interrupted, and workers hear of it late."""
        self._execute("INSERT INTO interruptions VALUES (?)", (time.time(),))

    def explain_interrupted(self) -> str | None:
        """Why no further run may start after an interruption, or None when there was none."""
        (count,) = self._execute("SELECT count(*) FROM interruptions").fetchone()
        return "the session was interrupted before it" if count else None

    def explain_broken(self, lane: str) -> str | None:
        """Why the rest of a lane is deferred, in a sentence, or None while it is not."""
        row = self._execute("SELECT in_a_row, reason FROM faults WHERE lane = ?", (lane,)).fetchone()
        if row is None or row[0] < FAULTS_IN_A_ROW:
            return None
        return f"deferred: runs of {lane} cannot be measured at present; the last one ended as {row[1]}"


def measure_spend(record: RunRecord) -> Spend:
    """What a finished attempt adds to the ledger: tokens of the agent, dollars of its judge too."""
    return Spend(
        tokens=record.usage.total_tokens,
        cost_usd=_add_judging(record),
        provider_calls=record.provider_calls,
    )


def _add_judging(record: RunRecord) -> float | None:
    run_usd, judge_usd = record.cost.total_usd, record.judging and record.judging.usd
    return None if run_usd is None else run_usd + (judge_usd or 0.0)
