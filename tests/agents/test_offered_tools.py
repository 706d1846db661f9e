"""Every cell of the table of agents and setups, run for real: what the model is offered, what it may do."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from agent_stage import (
    AGENTS,
    NAMESPACE_MODEL,
    SERVER_NAME,
    SERVER_TOOLS,
    Played,
    Stage,
    make_server,
    read_pin,
)
from scripted_model import LIST_TOOLS, Answer, CallTool, Step, play_turns

from pytest_searchlight.agents.contract import write_contract
from pytest_searchlight.domain import AuditFinding, CallOutcome, RunStatus, SetupKind
from pytest_searchlight.extensions import ObservedRun
from pytest_searchlight.grading.audit import check_calls_in_contract

PAGES = (("Lighthouse", "https://light.example/"),)
CODEX_ALWAYS = {
    "apply_patch",  # refused by the read-only sandbox
    "clock__curr_time",
    "list_mcp_resource_templates",
    "list_mcp_resources",
    "read_mcp_resource",
}
CODE_MODE_OWN = {"functions__exec", "functions__wait"}
NO_TOOL_KINDS = (SetupKind.NO_SEARCH, SetupKind.FLOOR, SetupKind.CEILING)


@dataclass(frozen=True)
class Cell:
    """A cell of the table, and the model where one cell has several ways of offering tools."""

    agent: str
    kind: SetupKind
    model_name: str | None = None

    @property
    def is_code_mode(self) -> bool:
        return self.agent == "codex" and self.model_name is None

    def __str__(self) -> str:
        return "-".join(filter(None, (self.agent, self.kind.value, self.model_name)))


CELLS = [
    *(Cell(agent, kind) for agent in AGENTS for kind in SetupKind),
    *(
        Cell("codex", kind, NAMESPACE_MODEL)
        for kind in (SetupKind.PROVIDER, SetupKind.BUILT_IN, SetupKind.NO_SEARCH)
    ),
]
OUTSIDE = {"claude-code": "Bash", "codex": "shell"}


def write_calls(cell: Cell) -> list[Step]:
    """A call to every tool of the cell's contract, then one to a tool outside it."""
    calls: list[Step] = [LIST_TOOLS] if cell.is_code_mode else []
    if cell.kind is SetupKind.PROVIDER:
        calls += [
            CallTool(tool=tool, server=SERVER_NAME, arguments={"query": "red"}) for tool in SERVER_TOOLS
        ]
    elif cell.kind is SetupKind.BUILT_IN and cell.agent == "claude-code":
        calls += [
            CallTool(tool="WebSearch", arguments={"query": "red light"}),
            CallTool(tool="WebFetch", arguments={"url": "https://light.example/", "prompt": "colour?"}),
        ]
    elif cell.kind is SetupKind.BUILT_IN and cell.is_code_mode:
        calls += [CallTool(tool="web__run", arguments={"search_query": [{"q": "red light"}]})]
    searched = ("red light",) if cell.kind is SetupKind.BUILT_IN and cell.model_name else ()
    return [*calls, CallTool(tool=OUTSIDE[cell.agent]), Answer(text='{"colour": "red"}', searches=searched)]


@pytest.fixture(scope="module", params=CELLS, ids=str)
def cell(request: pytest.FixtureRequest) -> Cell:
    assert isinstance(request.param, Cell)
    return request.param


@pytest.fixture(scope="module")
def played(cell: Cell, stage: Stage) -> Played:
    """The cell's one run; module scope keeps the tests of a cell together, on one worker as a rule."""
    server = make_server() if cell.kind is SetupKind.PROVIDER else None
    script = play_turns(*write_calls(cell), pages=PAGES)
    return stage.play(cell.agent, script, kind=cell.kind, server=server, model_name=cell.model_name)


def list_offered(cell: Cell, played: Played) -> set[str]:
    """Everything the model could call: code-mode models are told by Codex itself, on being asked."""
    offered = set(played.requests[0].tools)
    if not cell.is_code_mode:
        return offered
    assert offered == CODE_MODE_OWN
    told = played.requests[1].last_result or ""
    return set(json.loads(told[told.index("[") :]))


def expect_offered(cell: Cell) -> set[str]:
    own: dict[tuple[str, SetupKind], set[str]] = {
        # ToolSearch is on, but with nothing left to search for Claude Code does not offer it.
        ("claude-code", SetupKind.PROVIDER): {"Read"},
        ("claude-code", SetupKind.BUILT_IN): {"Read", "WebFetch", "WebSearch"},
        ("codex", SetupKind.BUILT_IN): {"web__run" if cell.is_code_mode else "web_search"},
    }
    server_name = SERVER_NAME if cell.agent == "claude-code" else SERVER_NAME.replace("-", "_")
    provider = {f"mcp__{server_name}__{tool}" for tool in SERVER_TOOLS}
    expected = own.get((cell.agent, cell.kind), set())
    expected = expected | (provider if cell.kind is SetupKind.PROVIDER else set())
    if cell.is_code_mode:
        return expected | CODEX_ALWAYS
    if cell.agent == "codex" and cell.kind is SetupKind.PROVIDER:
        return expected | {"list_mcp_resource_templates", "list_mcp_resources", "read_mcp_resource"}
    return expected


def test_the_model_is_offered_exactly_the_tools_of_its_contract(cell: Cell, played: Played) -> None:
    assert list_offered(cell, played) == expect_offered(cell)


def test_no_tool_of_the_contract_is_refused(cell: Cell, played: Played) -> None:
    contract = write_contract(read_pin(cell.agent), setup=played.job.run.setup, server=played.job.server)
    inside = [call for call in played.trace.tool_calls if contract.allows(server=call.server, tool=call.tool)]
    assert all(call.executed for call in inside), inside
    called = {call.tool for call in inside}
    assert called == ({*SERVER_TOOLS} if cell.kind is SetupKind.PROVIDER else called)
    assert bool(called) == cell.kind.gives_tools
    assert played.trace.status is RunStatus.GRADED, played.trace.reason


def test_a_call_outside_the_contract_is_seen_as_attempted_and_not_executed(
    cell: Cell, played: Played
) -> None:
    attempts = [call for call in played.trace.tool_calls if call.tool == OUTSIDE[cell.agent]]
    if cell.is_code_mode:
        # Code that calls what is not there fails inside the model's own code; Codex reports no call.
        assert not attempts
        assert "is not a function" in (played.requests[-1].last_result or "")
    else:
        assert [(call.outcome, call.executed) for call in attempts] == [(CallOutcome.REFUSED, False)]


def test_the_answer_is_kept_word_for_word(played: Played) -> None:
    assert played.trace.answer_text == '{"colour": "red"}'


def test_the_prompt_reaches_the_model_unaltered(played: Played) -> None:
    sent = json.dumps(played.requests[0].body, ensure_ascii=False)
    assert json.dumps(played.job.prompt, ensure_ascii=False)[1:-1] in sent


def test_the_pinned_version_ran(cell: Cell, played: Played) -> None:
    assert "unpinned_version" not in played.trace.flags
    if cell.agent == "claude-code":
        assert played.trace.model_names == (read_pin("claude-code").default_model,)


@pytest.mark.parametrize("kind", [SetupKind.PROVIDER, *NO_TOOL_KINDS])
def test_a_search_that_codex_makes_all_the_same_contaminates_the_run(stage: Stage, kind: SetupKind) -> None:
    # The product executes and reports a search that the model's server makes, whatever its configuration.
    server = make_server() if kind is SetupKind.PROVIDER else None
    script = play_turns(Answer(text="red", searches=("red light",)))
    played = stage.play("codex", script, kind=kind, server=server)
    (finding,) = audit_calls(played)
    assert (finding.tool, finding.executed, finding.contaminates) == ("web_search", True, True)


def test_a_call_that_never_ran_is_found_and_does_not_contaminate(cell: Cell, played: Played) -> None:
    findings = audit_calls(played)
    assert not any(finding.contaminates for finding in findings), findings
    assert [finding.tool for finding in findings] == ([] if cell.is_code_mode else [OUTSIDE[cell.agent]])


def audit_calls(played: Played) -> list[AuditFinding]:
    run = played.job.run
    observed = ObservedRun(
        run=run,
        prompt=played.job.prompt,
        trace=played.trace,
        metering=None,
        own_tools=read_pin(run.agent).list_own_tools(run.setup.kind),
        agent_version=None,
        attempts=1,
        started_at="2026-03-01T00:00:00.000+00:00",
        duration_s=1.0,
    )
    return list(check_calls_in_contract(observed))
