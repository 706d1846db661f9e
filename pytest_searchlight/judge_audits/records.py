"""``judge-audit.json``: the audits that a project's judges have had, for its sessions to refer to."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import Literal

from pytest_searchlight.domain import Record
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.evidence import encode_json, write_atomic
from pytest_searchlight.extensions import Judge
from pytest_searchlight.judges import RecordedJudge
from pytest_searchlight.judges.audit import AUDIT_SET, JudgeAudit, audit_judge
from pytest_searchlight.record_file import read_record_file
from pytest_searchlight.settings import STATE_FOLDER

Place = tuple[str, str, str]
"""Judge, model (empty without one) and hash of the audit set."""


class JudgeAudits(Record):
    """The latest audit of each judge and model with each audit set."""

    schema_version: Literal[1] = 1
    audits: tuple[JudgeAudit, ...] = ()

    def find(self, judge: Judge) -> JudgeAudit | None:
        """The audit of `judge` with its present model and the present audit set, or None."""
        wanted = judge.name, judge.model_name or "", _hash_audit_set()
        return self._by_place().get(wanted)

    def add(self, audit: JudgeAudit) -> JudgeAudits:
        """The audits with `audit` in place of an earlier one of its place."""
        merged = {**self._by_place(), _find_place(audit): audit}
        return JudgeAudits(audits=tuple(merged[place] for place in sorted(merged)))

    def _by_place(self) -> dict[Place, JudgeAudit]:
        return {_find_place(audit): audit for audit in self.audits}


def _find_place(audit: JudgeAudit) -> Place:
    return audit.judge, audit.model_name or "", audit.set_sha256


def _hash_audit_set() -> str:
    return hashlib.sha256(AUDIT_SET.read_bytes()).hexdigest()


def locate_audits(root: Path) -> Path:
    """Where the project in `root` keeps its judges' audits."""
    return root / STATE_FOLDER / "judge-audit.json"


def make_audit(judge: Judge, *, path: Path) -> JudgeAudit:
    """Audit `judge` and keep the result in `path`.

    Judgements are kept beside it until the audit ends: one that was interrupted goes on where it was, and one
    that ended is made anew.

    Raises:
        SettingsError: what `path` holds cannot be read.
        DiskError: the disk refuses.
    """
    earlier, begun = read_audits(path), path.with_suffix(".begun")
    # Raw output of a product may hold its key, and no bundle's seal scrubs it here: it is not kept.
    with tempfile.TemporaryDirectory(prefix="searchlight-judge-audit-") as record:
        audit = audit_judge(RecordedJudge(original=judge, folder=begun), record=Path(record))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, encode_json(earlier.add(audit).model_dump(mode="json")))
    shutil.rmtree(begun, ignore_errors=True)
    return audit


def read_audits(path: Path) -> JudgeAudits:
    """The audits in `path`; none when there is no such file. Raises SettingsError when it cannot be read."""
    if not path.exists():
        return JudgeAudits()
    return read_record_file(
        path,
        JudgeAudits,
        complain=lambda problem: SettingsError(
            f"{path}: not a readable record of audits ({problem}); remove it and audit again"
        ),
    )
