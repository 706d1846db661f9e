"""Claude Code: its command line, its private home, and how its run becomes a trace."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import JsonValue

from pytest_searchlight.agents.claude_events import ClaudeStream, find_fault, read_usage
from pytest_searchlight.agents.contract import CALL_LIMIT_S, Contract, write_contract
from pytest_searchlight.agents.endings import Ending, conclude
from pytest_searchlight.agents.event_stream import read_dict, read_text, read_usd
from pytest_searchlight.agents.installation import InstalledAgent, read_version
from pytest_searchlight.agents.private_files import write_private_json
from pytest_searchlight.extensions import AgentJob, AgentTrace

MOST_RESULT_TOKENS: Final = 25_000
"""Of a result by the setup's server; what is longer goes to a file that the product's model may read."""

_FIXED_ENVIRONMENT: Final = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # A memory folder and a second model would make one run differ from the next.
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK": "1",
    # Left to itself the product decides by remote configuration whether ToolSearch exists, and how much of
    # a result it shows: both must be the same for every setup.
    "ENABLE_TOOL_SEARCH": "true",
    "MAX_MCP_OUTPUT_TOKENS": str(MOST_RESULT_TOKENS),
}
OUTPUT_TOOL: Final = "StructuredOutput"
"""The tool by which the product's model gives an answer that has a schema; it reaches nothing."""

_RESULTS_FOLDER: Final = "Read(~/.claude/projects/**)"
"""Where the product puts results that are too long to show: all that Read is for, and all it may read."""


@dataclass(frozen=True, kw_only=True)
class ClaudeCodeAgent(InstalledAgent):
    """Runs Claude Code headless, one private home a run."""

    name: ClassVar[str] = "claude-code"

    def run(self, job: AgentJob) -> AgentTrace:
        """Run the product on `job` and read its event stream while it comes."""
        program = self.require_program()
        contract = write_contract(self.pin, setup=job.run.setup, server=job.server)
        if self.output_schema is not None:
            contract = replace(contract, own_tools=(*contract.own_tools, OUTPUT_TOOL))
        config_file = self._furnish_home(job)
        stream = ClaudeStream(contract, token_budget=job.run.task.budgets.tokens)
        command = build_command(
            program,
            contract=contract,
            model=self.choose_model(job),
            config=config_file,
            output_schema=self.output_schema,
        )
        result = self.run_command(
            command,
            job,
            env=self._build_environment(job),
            config_folder=_find_config_folder(job.home),
            on_line=stream.hear,
        )
        flags = self.pin.explain_version(read_version(program))
        return conclude(read_ending(stream, model=self.choose_model(job)), result=result, flags=flags)

    def _furnish_home(self, job: AgentJob) -> Path:
        """Fill the private home, and write the MCP servers that the product is to start."""
        self.furnish_home(job.home)
        config_file = job.home / "claude-mcp.json"
        write_private_json(config_file, {"mcpServers": list_mcp_servers(job)})
        return config_file

    def _build_environment(self, job: AgentJob) -> Mapping[str, str]:
        start_limit_ms = str(round(1000 * job.server.start_timeout_s)) if job.server else "1000"
        base_url = self.installation.base_url
        return {
            **job.environment,
            **self.installation.credentials,
            **_FIXED_ENVIRONMENT,
            **({self.pin.base_url_variable: base_url} if base_url else {}),
            "HOME": str(job.home),
            "TMPDIR": str(job.home / "tmp"),
            "CLAUDE_CONFIG_DIR": str(_find_config_folder(job.home)),
            "CLAUDE_CODE_MAX_RETRIES": str(self.installation.max_retries),
            # Both limits hold back the first turn until the server is up: one caps a server's start, the
            # other how long all of them together are waited for.
            "MCP_TIMEOUT": start_limit_ms,
            "MCP_CONNECT_TIMEOUT_MS": start_limit_ms,
            "MCP_TOOL_TIMEOUT": str(1000 * CALL_LIMIT_S),
        }


def build_command(
    program: str,
    *,
    contract: Contract,
    model: str,
    config: Path,
    output_schema: Mapping[str, JsonValue] | None = None,
) -> list[str]:
    """The command line; exposed and approved tools both come from `contract`."""
    approved = [_RESULTS_FOLDER if tool == "Read" else tool for tool in contract.tools]
    return [
        program,
        "--print",
        *("--output-format", "stream-json", "--verbose"),
        "--no-session-persistence",
        "--disable-slash-commands",
        *("--setting-sources", ""),
        *("--model", model),
        *("--mcp-config", str(config), "--strict-mcp-config"),
        *("--tools", ",".join(contract.own_tools)),
        *("--allowedTools", ",".join(approved)),
        *(("--json-schema", json.dumps(output_schema)) if output_schema is not None else ()),
    ]


def list_mcp_servers(job: AgentJob) -> dict[str, Any]:
    """The MCP servers of a run, as Claude Code's configuration has them.

    `alwaysLoad` is what makes the product wait for the server before the first turn; without it a server
    that needs more than two seconds is simply not there.
    """
    if job.server is None:
        return {}
    program, *arguments = job.server.command
    return {job.server.name: {"command": program, "args": arguments, "alwaysLoad": True}}


def read_ending(stream: ClaudeStream, *, model: str) -> Ending:
    """What the events say of how the run ended."""
    last = stream.endings[-1] if stream.endings else {}
    models = tuple(sorted(read_dict(last.get("modelUsage"))))
    other_model = any(not name.startswith(model) for name in models)
    return Ending(
        unavailable=stream.unavailable,
        over_budget=stream.over_budget,
        waiting=stream.find_waiting(),
        finished=len(stream.endings) == 1,
        contradictory=len(stream.endings) > 1,
        fault=find_fault(last, stream.log) if last else None,
        denied_tools=stream.list_denied(),
        answer_text=read_text(last.get("result")),
        transcript=stream.log.list_steps(),
        tool_calls=stream.list_calls(),
        usage=read_usage(last),
        cli_reported_usd=read_usd(last.get("total_cost_usd")),
        model_names=models,
        tools_offered=stream.list_tools_offered(),
        retry_after_s=_find_retry_after_s(stream),
        offloaded_chars=stream.count_offloaded_chars(),
        flags=(*stream.list_flags(), *(("other_model",) if other_model else ())),
    )


def _find_retry_after_s(stream: ClaudeStream) -> float | None:
    """How long the model's API asked to wait, in seconds.

    The product reports its waits alike whether they were asked for or are its own; only those asked for
    are whole seconds, its own are random to the microsecond.
    """
    waits_ms = [
        event.body.get("retry_delay_ms")
        for event in stream.log.find("system")
        if event.body.get("subtype") == "api_retry"
    ]
    last = waits_ms[-1] if waits_ms else None
    return last / 1000 if isinstance(last, int | float) and last % 1000 == 0 else None


def _find_config_folder(home: Path) -> Path:
    return home / ".claude"
