"""What judges are worth: their audits in figures, and the record of them that a project keeps."""

from pytest_searchlight.judge_audits.figures import AuditFigures, CaseRate, is_passed, measure_audit
from pytest_searchlight.judge_audits.lines import render_audit
from pytest_searchlight.judge_audits.records import JudgeAudits, locate_audits, make_audit, read_audits

__all__ = [
    "AuditFigures",
    "CaseRate",
    "JudgeAudits",
    "is_passed",
    "locate_audits",
    "make_audit",
    "measure_audit",
    "read_audits",
    "render_audit",
]
