"""A second judge on a finished session: it reads what the primary one read, and decides nothing."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pytest_searchlight.agreements import AGREEMENT_FILE, SecondOpinion, read_opinions
from pytest_searchlight.costs.runs import price_judging
from pytest_searchlight.domain import Rubric, Score, Task, ToolCall, Usage, Verdict, add_usage
from pytest_searchlight.domain.judging import Judgement, JudgePayload
from pytest_searchlight.errors import UserError
from pytest_searchlight.evidence import SealedBundle, SessionFolder, encode_json, read_bundle, write_atomic
from pytest_searchlight.judges import RUBRIC_KIND, ask_judge, list_cited_urls
from pytest_searchlight.judges.agreement import (
    Agreement,
    JudgeAgreement,
    TwiceJudged,
    compare_judges,
    pair_verdicts,
)
from pytest_searchlight.judges.blinding import BlindingError
from pytest_searchlight.judges.briefs import read_brief
from pytest_searchlight.judges.labels import NoJudgementError
from pytest_searchlight.judges.payload import BlindedBrief, blind_brief
from pytest_searchlight.judges.verdict import decide_verdict, refuse_verdict
from pytest_searchlight.judging import BriefJudging, open_judging
from pytest_searchlight.run_rows import PlannedRun, read_plan
from pytest_searchlight.session.benchmark import BenchmarkSession
from pytest_searchlight.sources import gather_sources


@dataclass(frozen=True, kw_only=True)
class _JudgedBrief:
    """A brief that the primary judge was asked about; `task` is None when today's asks for something else."""

    bundle: SealedBundle
    task: Task | None
    payload: JudgePayload
    verdict: Verdict

    @property
    def run_id(self) -> str:
        return self.bundle.folder.name

    @property
    def agent(self) -> str:
        return str(self.bundle.head["record"]["agent"])


def add_second_judge(folder: SessionFolder, *, judge: str, session: BenchmarkSession) -> SecondOpinion:
    """Have `judge` read every brief that the session in `folder` had judged, and store how far they agree.

    What other second judges said stays beside it. Nothing is fetched. Judgements are kept in the session, so
    a second call asks for missing ones only.

    Args:
        folder: a finished session.
        judge: name of the second judge.
        session: the project's, for its judges and catalogs.

    Raises:
        UserError: the judge is unknown or unavailable, or no other judge has read anything.
        EvidenceError: the session's evidence was altered or cannot be written.
    """
    session.registry.judges.get(judge)
    judging = open_judging(
        judge, registry=session.registry, folder=folder, prices=session.prices, catalogs=None
    )
    if (reason := judging.judge.explain_unavailable()) is not None:
        raise UserError(f"judge {judge!r} is unavailable: {reason}")
    briefs = [brief for brief in _list_judged(folder, session) if brief.verdict.target != judge]
    if not briefs:
        raise UserError(f"{folder.root}: no brief there was read by another judge than {judge!r}")
    path = folder.root / AGREEMENT_FILE
    earlier = read_opinions(path)
    opinion = _gather_opinions(briefs, judging=judging)
    write_atomic(path, encode_json(earlier.add(opinion).model_dump(mode="json")))
    return opinion


# --- what the primary judge has read ---------------------------------------------------------------------


def _list_judged(folder: SessionFolder, session: BenchmarkSession) -> Iterator[_JudgedBrief]:
    sealed = {path.name: path for path in folder.find_bundles()}
    for planned in read_plan(folder):
        path = sealed.get(planned.record.run_id)
        brief = path and _read_judged(read_bundle(path), planned, session=session)
        if brief:
            yield brief


def _read_judged(
    bundle: SealedBundle, planned: PlannedRun, *, session: BenchmarkSession
) -> _JudgedBrief | None:
    """The brief in `bundle`, None when no judge was asked: for want of a rubric, a brief or a claim."""
    if "judgement.json" not in bundle.head.get("files", ()):
        return None
    bundle.verify()
    stored = json.loads(bundle.read_text("judgement.json"))
    if stored["payload"] is None:
        return None
    score = Score.model_validate_json(bundle.read_text("verdicts.json"))
    verdict = next(each for each in score.verdicts if each.kind == RUBRIC_KIND)
    return _JudgedBrief(
        bundle=bundle,
        task=_find_task(planned, grading_hash=bundle.head["record"]["grading_hash"], session=session),
        payload=JudgePayload.model_validate(stored["payload"]),
        verdict=_keep_own_labels(
            verdict, stored["judgement"] and Judgement.model_validate(stored["judgement"])
        ),
    )


def _find_task(planned: PlannedRun, *, grading_hash: str, session: BenchmarkSession) -> Task | None:
    path = session.settings.root / planned.nodeid.partition("::")[0]
    wanted = planned.record.task, grading_hash
    tasks = session.read_catalog(path).tasks
    return next((task for task in tasks if (task.id, task.grading_hash) == wanted), None)


def _keep_own_labels(verdict: Verdict, judgement: Judgement | None) -> Verdict:
    """`verdict` with the judge's own labels only: claims that need no judge say nothing of agreement."""
    if judgement is None:
        return verdict
    labels = judgement.model_dump(mode="json")
    own = {"fact_labels": labels["facts"], "claim_labels": labels["claims"]}
    return verdict.model_copy(update={"details": {**verdict.details, **own}})


# --- what the second judge says --------------------------------------------------------------------------


def _gather_opinions(briefs: Iterable[_JudgedBrief], *, judging: BriefJudging) -> SecondOpinion:
    second, changed, used = judging.judge, list[str](), list[Usage]()
    by_primary: defaultdict[str, list[TwiceJudged]] = defaultdict(list)
    for brief in briefs:
        opinion = _give_opinion(brief, judging=judging)
        if opinion is None:
            changed.append(brief.run_id)
        else:
            verdict, usage = opinion
            used.append(usage)
            twice = pair_verdicts(brief.run_id, agent=brief.agent, primary=brief.verdict, second=verdict)
            by_primary[brief.verdict.target].append(twice)
    agreements = (
        compare_judges(runs, primary=primary, second=second.name) for primary, runs in by_primary.items()
    )
    return SecondOpinion(
        second=second.name,
        model_name=second.model_name,
        cost=price_judging(add_usage(used), second, prices=judging.prices, day=datetime.now(UTC).date()),
        agreements=tuple(agreements),
        changed=tuple(changed),
    )


def _give_opinion(brief: _JudgedBrief, *, judging: BriefJudging) -> tuple[Verdict, Usage] | None:
    """The second judge's verdict and what it took, None when it would be one on something else."""
    if brief.task is None or brief.task.rubric is None:
        return None
    rubric = brief.task.rubric
    blinded = _blind_again(brief, task=brief.task, rubric=rubric, judging=judging)
    if blinded is None or blinded.payload != brief.payload:
        return None
    try:
        # Raw output of a product may hold its key, and the bundle whose seal would scrub it is closed.
        with tempfile.TemporaryDirectory(prefix="searchlight-agree-") as record:
            judgement = ask_judge(judging.judge, blinded.payload, record=Path(record))
    except NoJudgementError as error:
        return refuse_verdict(str(error), judge=judging.judge.name), error.usage
    verdict = decide_verdict(blinded, rubric=rubric, judgement=judgement)
    return _keep_own_labels(verdict, judgement), judgement.usage


def _blind_again(
    brief: _JudgedBrief, *, task: Task, rubric: Rubric, judging: BriefJudging
) -> BlindedBrief | None:
    """The brief as it is blinded today, None when it would be refused today."""
    deliverable = json.loads(brief.bundle.read_text("deliverable.json"))
    calls = [ToolCall.model_validate(call) for call in brief.bundle.read_json_lines("tool_calls.jsonl")]
    urls = list_cited_urls(deliverable)
    sources = gather_sources(urls, store=judging.store, capture=None, calls=calls)
    try:
        return blind_brief(
            read_brief(deliverable), task=task, rubric=rubric, sources=sources, marks=judging.marks
        )
    except BlindingError:
        return None


# --- for people ------------------------------------------------------------------------------------------


def render_opinion(opinion: SecondOpinion) -> Iterator[str]:
    """Agreement and kappa on verdicts and labels, disputed runs and family leans, for each primary judge."""
    for agreement in opinion.agreements:
        yield from _render_agreement(agreement)
    if opinion.changed:
        yield f"left out, since task or blinding was changed since: {', '.join(opinion.changed)}"


def _render_agreement(found: JudgeAgreement) -> Iterator[str]:
    yield f"{found.second} beside {found.primary}, which decides"
    for what, agreement in (("verdicts", found.verdicts), ("facts", found.facts), ("claims", found.claims)):
        yield f"  {what:<9} {_render_counts(agreement)}"
    yield from (f"  disputed  {run_id}" for run_id in found.disputed)
    yield from (f"  unpaired  {run_id}: one of them came to no verdict" for run_id in found.unpaired)
    for lean in found.leans:
        size = "-" if lean.lean is None else f"{lean.lean:+.3f}"
        yield (
            f"  lean      {lean.judge} to its own agent: {size} "
            f"({lean.own_runs} runs of its own, {lean.other_runs} of others)"
        )


def _render_counts(agreement: Agreement) -> str:
    share = f"{agreement.agreed / agreement.pairs:.3f}" if agreement.pairs else "-"
    kappa = "-" if agreement.kappa is None else f"{agreement.kappa:.3f}"
    return f"agreement {share} ({agreement.agreed}/{agreement.pairs}), kappa {kappa}"
