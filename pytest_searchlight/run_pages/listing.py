"""The runs of a session as they stand now: what is sealed by then, and what is still to be made."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from pydantic import ValidationError

from pytest_searchlight.domain import STATUS_RULES, RunRecord
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import SEAL, SessionFolder, read_bundle
from pytest_searchlight.run_rows import PlannedRun, read_plan

_Read = TypeVar("_Read")


@dataclass(frozen=True, kw_only=True)
class ListedRun:
    """A planned run.

    Attributes:
        nodeid: its pytest item.
        record: the sealed one; the planned one while there is none or it cannot be read.
        problem: why the evidence cannot be read, None when it can or when there is none yet.
    """

    nodeid: str
    record: RunRecord
    problem: str | None = None

    @property
    def outcome(self) -> str:
        """``pass``, ``fail``, or ``uncounted`` for what is in no denominator."""
        if self.problem is not None or not STATUS_RULES[self.record.status].counts:
            return "uncounted"
        return "pass" if self.record.passed else "fail"

    @property
    def status(self) -> str:
        """How it ended, in a word."""
        return "unreadable" if self.problem is not None else self.record.status.value


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
        """Every planned run, in the plan's order. Raises EvidenceError when there is no readable plan."""
        with self._lock:
            plan = self._plan.read(self._session.plan_file, self._read_plan)
            return tuple(map(self._read_run, plan or ()))

    def _read_plan(self) -> tuple[PlannedRun, ...]:
        return tuple(read_plan(self._session))

    def _read_run(self, planned: PlannedRun) -> ListedRun:
        run_id = planned.record.run_id
        folder = self._session.runs / run_id
        kept = self._seals.setdefault(run_id, _KeptFile())
        sealed = kept.read(folder / SEAL, lambda: _read_sealed(folder, planned))
        return ListedRun(nodeid=planned.nodeid, record=planned.record) if sealed is None else sealed


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


def _read_sealed(folder: Path, planned: PlannedRun) -> ListedRun:
    try:
        record = _read_record(folder)
    except EvidenceError as error:
        return ListedRun(nodeid=planned.nodeid, record=planned.record, problem=str(error))
    return ListedRun(nodeid=planned.nodeid, record=record)


def _read_record(folder: Path) -> RunRecord:
    head = read_bundle(folder).head
    try:
        record = RunRecord.model_validate(head["record"])
    except (KeyError, TypeError, ValidationError) as error:
        raise EvidenceError(f"{folder}: the seal holds no valid record ({error})") from error
    if record.run_id != folder.name:
        raise EvidenceError(f"{folder}: the seal is that of another run, {record.run_id!r}")
    return record
