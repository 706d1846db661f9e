"""Judging briefs by what their sources say: blinding, rubric, judges, verdicts, agreement."""

from pytest_searchlight.judges.assessment import Assessment, Assessor, ask_judge, list_cited_urls
from pytest_searchlight.judges.blinding import BlindingMarks, list_marks
from pytest_searchlight.judges.lexical import LexicalJudge
from pytest_searchlight.judges.recorded import RecordedJudge
from pytest_searchlight.judges.verdict import RUBRIC_KIND

__all__ = [
    "RUBRIC_KIND",
    "Assessment",
    "Assessor",
    "BlindingMarks",
    "LexicalJudge",
    "RecordedJudge",
    "ask_judge",
    "list_cited_urls",
    "list_marks",
]
