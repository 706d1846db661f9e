"""Two judges compared: agreement beyond chance, disputes, and kinship."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_searchlight.agreements import SecondOpinion, SecondOpinions, read_opinions, recompute_agreement
from pytest_searchlight.domain import CheckOutcome, JudgeCost, Usage, Verdict
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.judges.agreement import TwiceJudged, compare_judges, measure_agreement, pair_verdicts


def repeat(*counts: tuple[bool, bool, int]) -> list[tuple[bool, bool]]:
    return [(first, second) for first, second, times in counts for _ in range(times)]


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [
        (repeat((True, True, 20), (True, False, 5), (False, True, 10), (False, False, 15)), 0.4),
        (repeat((True, True, 45), (True, False, 15), (False, True, 25), (False, False, 15)), 0.1304347826),
        (repeat((True, True, 3), (False, False, 3)), 1.0),
        (repeat((True, False, 3), (False, True, 3)), -1.0),
        (repeat((True, True, 3), (True, False, 1)), 0.0),
        (repeat((True, True, 9)), None),
        ([], None),
    ],
)
def test_kappa_is_cohens_and_undefined_where_chance_explains_all(
    pairs: list[tuple[bool, bool]], kappa: float | None
) -> None:
    measured = measure_agreement(pairs).kappa
    assert measured == (None if kappa is None else pytest.approx(kappa))


def make_verdict(passed: bool | None, *, covered: tuple[bool, ...] = ()) -> Verdict:
    outcome = {True: CheckOutcome.PASS, False: CheckOutcome.WRONG, None: CheckOutcome.UNGRADED}[passed]
    labels = [{"number": n, "covered": label, "reason": "x"} for n, label in enumerate(covered, start=1)]
    return Verdict(kind="rubric", outcome=outcome, reason="x", details={"fact_labels": [*labels]})


def make_run(run_id: str, agent: str, first: bool | None, second: bool | None) -> TwiceJudged:
    return pair_verdicts(run_id, agent=agent, primary=make_verdict(first), second=make_verdict(second))


def test_labels_are_paired_by_their_numbers_over_all_runs() -> None:
    runs = [
        pair_verdicts(
            "a",
            agent="codex",
            primary=make_verdict(True, covered=(True, True, False)),
            second=make_verdict(True, covered=(True, False)),
        )
    ]
    agreement = compare_judges(runs, primary="claude-code", second="lexical")
    assert (agreement.facts.pairs, agreement.facts.agreed) == (2, 1)
    assert (agreement.claims.pairs, agreement.claims.kappa) == (0, None)


def test_disputed_and_ungraded_runs_are_named_and_not_mixed() -> None:
    runs = [
        make_run("same", "codex", True, True),
        make_run("disputed", "codex", True, False),
        make_run("open", "codex", None, False),
    ]
    agreement = compare_judges(runs, primary="claude-code", second="lexical")
    assert (agreement.disputed, agreement.unpaired) == (("disputed",), ("open",))
    assert (agreement.verdicts.pairs, agreement.verdicts.agreed) == (2, 1)


def test_a_judge_that_passes_its_own_agent_where_the_other_does_not_leans() -> None:
    runs = [
        make_run("1", "claude-code", True, False),
        make_run("2", "claude-code", True, True),
        make_run("3", "codex", True, True),
        make_run("4", "codex", False, False),
    ]
    agreement = compare_judges(runs, primary="claude-code", second="codex")
    assert [(each.judge, each.lean) for each in agreement.leans] == [("claude-code", 0.5), ("codex", 0.5)]


def test_no_lean_is_told_without_another_agent_to_compare_with() -> None:
    runs = [make_run("1", "claude-code", True, False)]
    (lean,) = compare_judges(runs, primary="claude-code", second="lexical").leans
    assert (lean.own_runs, lean.other_runs, lean.lean) == (1, 0, None)


def test_every_figure_is_recomputed_from_the_labels_of_the_runs() -> None:
    runs = [
        make_run("1", "claude-code", True, False),
        make_run("2", "codex", True, True),
        make_run("3", "codex", None, True),
        pair_verdicts(
            "4",
            agent="codex",
            primary=make_verdict(True, covered=(True, True, False)),
            second=make_verdict(False, covered=(True, False, False)),
        ),
    ]
    agreement = compare_judges(runs, primary="claude-code", second="codex")
    stored = type(agreement).model_validate_json(agreement.model_dump_json())
    assert recompute_agreement(stored) == agreement
    forged = stored.model_copy(update={"disputed": ()})
    assert recompute_agreement(forged) != forged


def test_labels_of_a_run_that_one_judge_left_open_are_not_paired() -> None:
    run = pair_verdicts(
        "a",
        agent="codex",
        primary=make_verdict(None, covered=(True,)),
        second=make_verdict(True, covered=(True,)),
    )
    assert (run.passes, run.facts) == (None, ())


def test_second_judges_stand_beside_each_other_and_a_later_opinion_replaces_ones_own() -> None:
    def opine(second: str, *changed: str) -> SecondOpinion:
        cost = JudgeCost(judge=second, model_name=None, usage=Usage(), usd=0.0)
        return SecondOpinion(second=second, model_name=None, cost=cost, agreements=(), changed=changed)

    opinions = SecondOpinions().add(opine("lexical")).add(opine("codex")).add(opine("lexical", "run"))
    assert [(each.second, each.changed) for each in opinions.opinions] == [
        ("codex", ()),
        ("lexical", ("run",)),
    ]


def test_a_record_of_opinions_of_another_form_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "agreement.json"
    path.write_text('{"schema_version": 1, "second": "codex"}', encoding="utf-8")
    with pytest.raises(
        EvidenceError, match=r"agreement.json: not a readable .*; remove it and let `sew agree`"
    ):
        read_opinions(path)
