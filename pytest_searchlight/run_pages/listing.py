"""The runs of a session as they stand now: what is sealed by then, and what is still to be made."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from pytest_searchlight.domain import STATUS_RULES, RunRecord
from pytest_searchlight.evidence import SEAL, SessionFolder
from pytest_searchlight.run_rows import UNREADABLE, PlannedRun, find_record, read_plan

_Read = TypeVar("_Read")


@dataclass(frozen=True, kw_only=True)
class ListedRun:
    """A planned run.

    Attributes:
        nodeid: its pytest item.
        record: the sealed one; the planned one while there is none or it cannot be read.
    """

    nodeid: str
    record: RunRecord

    @property
    def is_unreadable(self) -> bool:
        """Whether there is evidence that cannot be read; the record's reason says why."""
        return UNREADABLE in self.record.flags

    @property
    def outcome(self) -> str:
        """``pass``, ``fail``, or ``uncounted`` for what is in no denominator."""
        if not STATUS_RULES[self.record.status].counts:
            return "uncounted"
        return "pass" if self.record.passed else "fail"

    @property
    def status(self) -> str:
        """How it ended, in a word."""
        return "unreadable" if self.is_unreadable else self.record.status.value


class RunList:
    """Lists the runs of a session; a file that did not change since is not read again.

    Threads may share it.
    """

    def __init__(self, session: SessionFolder) -> None:
        self._session = session
        self._plan: _KeptFile[tuple[PlannedRun, ...]] = _KeptFile()
        self._seals: dict[str, _KeptFile[ListedRun]] = {}
        self._lock: Final = threading.Lock()

    def read(self) -> tuple[ListedRun, ...]:
        """Every planned run, in the plan's order; none before there is a plan.

        Raises:
            EvidenceError: the plan cannot be read.
        """
        with self._lock:
            plan = self._plan.read(self._session.plan_file, self._read_plan)
            return tuple(map(self._read_run, plan or ()))

    def _read_plan(self) -> tuple[PlannedRun, ...]:
        return tuple(read_plan(self._session))

    def _read_run(self, planned: PlannedRun) -> ListedRun:
        run_id = planned.record.run_id
        kept = self._seals.setdefault(run_id, _KeptFile())
        sealed = kept.read(
            self._session.runs / run_id / SEAL,
            lambda: ListedRun(nodeid=planned.nodeid, record=find_record(self._session, planned)),
        )
        return sealed or ListedRun(nodeid=planned.nodeid, record=planned.record)


class _KeptFile(Generic[_Read]):
    """What was read from a file, for as long as the file stays the same."""

    def __init__(self) -> None:
        self._mark: tuple[int, ...] | None = None
        self._value: _Read | None = None

    def read(self, path: Path, read: Callable[[], _Read]) -> _Read | None:
        """What `read` makes of the file at `path`, None when there is none."""
        try:
            status = os.stat(path)  # noqa: PTH116 - a session has thousands of them
        except OSError:
            return None
        mark = (status.st_mtime_ns, status.st_size, status.st_ino)
        if mark != self._mark:
            self._value, self._mark = read(), mark
        return self._value
