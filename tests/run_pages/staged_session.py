"""A session to look at: bundles sealed by the functions that real runs use, and rows by the thousand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plugin.small_project import make_task
from rooms.records_for_tests import SHOP, make_record, make_run, observe

from pytest_searchlight.domain import (
    AuditFinding,
    CallOutcome,
    CheckOutcome,
    Cost,
    RunRecord,
    RunStatus,
    Score,
    SearchSetup,
    SetupKind,
    Task,
    ToolCall,
    Verdict,
)
from pytest_searchlight.domain.judging import (
    ClaimLabel,
    FactLabel,
    Judgement,
    JudgePayload,
    PayloadClaim,
    PayloadFact,
    PayloadSource,
)
from pytest_searchlight.evidence import (
    SEAL,
    Scrubber,
    SessionFolder,
    encode_json_line,
    open_bundle,
    seal_bundle,
)
from pytest_searchlight.extensions import AgentTrace, Registry
from pytest_searchlight.grading import GradedRun, describe_files, describe_head, describe_unrun, grade_run
from pytest_searchlight.grading.audit import register_audit_rules
from pytest_searchlight.judges import Assessment
from pytest_searchlight.metering import MeteredCall, Metering, ServerInfo
from pytest_searchlight.run_pages import RunPages
from pytest_searchlight.run_pages.listing import RunList
from pytest_searchlight.run_rows import PlannedRun
from pytest_searchlight.validators import register_validators

SETUPS = ("floor", "no-search", "built-in", "exa", "tavily")
RIGHT = '{"colour": "blue"}'
CITED_URL = "https://norrvik.example/sky?a=1&b=2"


@dataclass
class StagedSession:
    """A session folder to which runs are added."""

    folder: SessionFolder

    def __post_init__(self) -> None:
        self.folder.create()
        facts = {"name": "staged", "started_at": "2026-11-30T12:00:00+00:00", "seed": 7}
        self.folder.session_file.write_text(json.dumps(facts), encoding="utf-8")

    def add_run(
        self,
        *,
        setup: SearchSetup = SHOP,
        repetition: int = 1,
        answer: str | None = RIGHT,
        status: RunStatus = RunStatus.GRADED,
        reported: Iterable[ToolCall] = (),
        metering: Metering | None = None,
        prompt: str = "Which colour has the sky?",
        task: str = "sky",
        attempt_of: str | None = None,
        changes: Any = None,  # noqa: ANN401 - any field of a graded run
    ) -> str:
        """Seal a run, as an earlier attempt when `attempt_of` names the run, and give its id."""
        run_id = attempt_of or f"small.{task}.agent.{setup.name}.r{repetition}.0123456789"
        run = make_run(setup, run_id=run_id, repetition=repetition, task=Task.model_validate(make_task(task)))
        trace = AgentTrace(status=status, reason="", answer_text=answer, tool_calls=tuple(reported))
        observed = replace(observe(trace, run=run, metering=metering), prompt=prompt)
        graded = replace(_grade(observed), **(changes or {}))
        if attempt_of is None:
            self.plan(graded.record)
            self._seal(graded, self.folder.runs / run_id)
        else:
            self._seal(graded, self.folder.attempts / f"{run_id}.1")
        return run_id

    def add_full_run(self, text: str = "The harbour sky over Norrvik is blue.") -> str:
        """Seal a run with something in every part of its page, and give its id."""
        asked = {"query": text}
        answer, changes = judge_brief(text=text, url=CITED_URL, source=f"Weather. {text} Fog came later.")
        finding = AuditFinding(rule="wire-tools", message=f"tool {text!r} is odd", contaminates=False)
        failed = meter_call(
            "read", text, arguments=asked, outcome="tool_error", error_text=text, latency_s=1.5
        )
        return self.add_run(
            prompt=f"# Task\n{text}",
            answer=answer,
            reported=[
                report_call("find", text, arguments=asked),
                report_call("read", f"{text} again", arguments=asked),
            ],
            metering=meter(meter_call("find", text, arguments=asked), failed),
            changes={**changes, "findings": (finding,)},
        )

    def plan(self, *records: RunRecord) -> None:
        """Plan runs that are not made yet."""
        with self.folder.plan_file.open("a", encoding="utf-8") as plan:
            for record in records:
                unmade = make_unmade(record)
                nodeid = f"catalogs/small/tasks.yaml::{record.task}[{record.setup}-r{record.repetition}]"
                plan.write(PlannedRun(nodeid=nodeid, record=unmade).model_dump_json() + "\n")

    def add_rows(self, records: Iterable[RunRecord]) -> None:
        """Plan runs and seal each with its row and nothing else, which is quick."""
        for record in records:
            self.plan(record)
            folder = self.folder.runs / record.run_id
            folder.mkdir()
            head = {"record": record.model_dump(mode="json"), "files": {}}
            (folder / SEAL).write_text(encode_json_line(head), encoding="utf-8")

    def write_pages(self, *paths: str) -> Path:
        """Pages as files; the place of the last one."""
        runs = RunList(self.folder).read()
        pages = RunPages(session=self.folder, runs=runs, shown_root="staged")
        for path in paths:
            page, place = pages.render(path), self.folder.root / "out" / path
            assert page is not None, path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(page)
        return self.folder.root / "out" / paths[-1]

    def _seal(self, graded: GradedRun, destination: Path) -> None:
        seal_bundle(
            open_bundle(self.folder, destination.name),
            destination=destination,
            head=describe_head(graded),
            files=describe_files(graded),
            scrub=Scrubber(()),
            sync=False,
        )


def open_staged_session(root: Path) -> StagedSession:
    """An empty session in the folder `root`."""
    return StagedSession(SessionFolder(root))


def make_unmade(record: RunRecord) -> RunRecord:
    """The record of the same run before it was made."""
    unmade = describe_unrun(make_run(), status=RunStatus.NOT_RUN, reason="the session ended before it")
    same = ("run_id", "catalog", "task", "family", "agent", "model_name", "setup", "setup_kind", "repetition")
    return unmade.model_copy(update={name: getattr(record, name) for name in same})


def make_rows(count: int) -> Iterable[RunRecord]:
    """Rows of a battery: 50 tasks under five setups, every third run a failure, every 50th a fault."""
    for number in range(count):
        place, setup = divmod(number, len(SETUPS))
        repetition, task = divmod(place, 50)
        fault = number % 50 == 49
        yield make_record(
            run_id=f"small.task-{task}.agent.{SETUPS[setup]}.r{repetition + 1}.{number:010x}",
            task=f"task-{task}",
            setup=SETUPS[setup],
            setup_kind=SetupKind.PROVIDER if setup > 2 else SetupKind(SETUPS[setup]),
            repetition=repetition + 1,
            status=RunStatus.RATE_LIMITED if fault else RunStatus.GRADED,
            passed=None if fault else number % 3 != 0,
            reason="the provider said 429" if fault else "",
            cost=Cost(agent_usd=number / 1000, provider_usd=None if fault else 0.0),
        )


def report_call(tool: str, result: str | None = "A page.", **facts: Any) -> ToolCall:  # noqa: ANN401
    """A call as an agent reports it."""
    told = {"server": "shop", "arguments": {"query": tool}, "outcome": CallOutcome.OK, "result_text": result}
    return ToolCall.model_validate({"tool": tool, **told, **facts})


def meter_call(tool: str, result: str | None = "A page.", **facts: Any) -> MeteredCall:  # noqa: ANN401
    """A call as the wire saw it."""
    seen = {
        "request_id": 1,
        "arguments": {"query": tool},
        "started_s": 0.5,
        "latency_s": 0.25,
        "request_bytes": 101,
        "response_bytes": 202,
        "model_visible_chars": None if result is None else len(result),
        "result_text": result,
        "outcome": "ok",
    }
    return MeteredCall.model_validate({"tool": tool, **seen, **facts})


def meter(*calls: MeteredCall) -> Metering:
    """What a proxy saw that missed nothing."""
    return Metering(
        sessions=1,
        started=True,
        spawned=True,
        initialized=True,
        server_info=ServerInfo(name="shop-server", version="1"),
        calls=calls,
        ended=True,
        intact=True,
        recording_incomplete=False,
    )


def judge_brief(*, text: str, url: str, source: str) -> tuple[str, dict[str, Any]]:
    """An answer that is a brief of one claim, and the changes that make a graded run one that was judged.

    Args:
        text: the brief, its claim, and the judge's reasons.
        url: what the claim cites.
        source: what the page says.
    """
    answer = json.dumps({"brief": text, "claims": [{"text": text, "citation_urls": [url]}]})
    payload = JudgePayload(
        question="Which colour has the sky?",
        brief=text,
        facts=(PayloadFact(number=1, text="The sky over Norrvik is blue."),),
        claims=(PayloadClaim(number=1, text=text, sources=(1,)),),
        sources=(PayloadSource(number=1, urls=(url,), text=source),),
    )
    facts = (FactLabel(number=1, covered=True, reason=text),)
    claims = (ClaimLabel(number=1, supported=False, reason=text),)
    judgement = Judgement(judge="lexical", model_name=None, facts=facts, claims=claims)
    labels: dict[str, Any] = {
        "fact_labels": [label.model_dump(mode="json") for label in facts],
        "claim_labels": [label.model_dump(mode="json") for label in claims],
    }
    verdict = Verdict(
        kind="rubric", target="lexical", outcome=CheckOutcome.WRONG, reason=text, details=labels
    )
    assessment = Assessment(verdict=verdict, payload=payload, judgement=judgement)
    score = Score(passed=False, share=0.0, verdicts=(verdict,))
    return answer, {"score": score, "assessment": assessment}


def _grade(observed: Any) -> GradedRun:  # noqa: ANN401
    registry = Registry()
    register_audit_rules(registry)
    register_validators(registry)
    return grade_run(observed, registry=registry, price=lambda _: Cost(agent_usd=0.5, provider_usd=None))
