"""Second judges in a report are published with the labels that their figures come of, and recomputed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from publishing.reports_for_tests import Reports, change_json

from pytest_searchlight.agreements import AGREEMENT_FILE, SecondOpinion, SecondOpinions
from pytest_searchlight.domain import Usage
from pytest_searchlight.domain.records import JudgeCost
from pytest_searchlight.judges.agreement import PairedLabel, TwiceJudged, compare_judges
from pytest_searchlight.report_folder import read_row_file


@pytest.fixture
def judged(reports: Reports, tmp_path: Path) -> Path:
    """A report with a second judge that differs from the first on every third run."""
    session = tmp_path / "session"
    session.mkdir()
    for name in ("session.json", "summary.json", "runs.jsonl"):
        shutil.copy(reports.project.root / "session" / name, session)
    rows = [row for row in read_row_file(session / "runs.jsonl") if row.passed is not None]
    twice = [
        TwiceJudged(
            run_id=row.run_id,
            agent=row.agent,
            primary_passed=row.passed,
            second_passed=row.passed is (number % 3 > 0),
            facts=(PairedLabel(number=1, primary=row.passed is True, second=number % 2 == 0),),
            claims=(),
        )
        for number, row in enumerate(rows)
    ]
    agreement = compare_judges(twice, primary="lexical", second="other")
    cost = JudgeCost(judge="other", model_name=None, usage=Usage(), usd=0.0)
    opinion = SecondOpinion(second="other", model_name=None, cost=cost, agreements=(agreement,), changed=())
    (session / AGREEMENT_FILE).write_text(SecondOpinions(opinions=(opinion,)).model_dump_json())
    said = reports.publish(source=session)
    assert said.code == 0, said.err
    return reports.find()


def get_agreement(opinions: Any) -> Any:  # noqa: ANN401 - the JSON of a file
    return opinions["opinions"][0]["agreements"][0]


def test_second_judges_are_published_and_hold(reports: Reports, judged: Path) -> None:
    assert get_agreement(json.loads((judged / AGREEMENT_FILE).read_bytes()))["verdicts"]["pairs"] > 0
    assert reports.check().code == 0


def test_a_forged_kappa_is_named_with_the_one_that_the_labels_give(reports: Reports, judged: Path) -> None:
    change_json(judged / AGREEMENT_FILE, lambda file: get_agreement(file)["verdicts"].update(kappa=0.99))
    said = reports.check()
    assert said.code == 1
    assert "agreement.json: other: verdicts.kappa is 0.99, and its runs give " in said.out


def test_judged_runs_are_those_of_the_report(reports: Reports, judged: Path) -> None:
    file = judged / AGREEMENT_FILE
    change_json(file, lambda opinions: get_agreement(opinions)["runs"][0].update(agent="somebody"))
    change_json(file, lambda opinions: get_agreement(opinions)["runs"][1].update(run_id="some-run"))
    said = reports.check()
    assert "is said to be of somebody, and its row of reader" in said.out
    assert "some-run is no run of this report" in said.out
