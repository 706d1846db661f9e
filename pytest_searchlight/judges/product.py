"""Agent products as judges: headless, without tools, one private home and one call a brief."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_searchlight.agents.claude_code import OUTPUT_TOOL, ClaudeCodeAgent
from pytest_searchlight.agents.codex import CodexAgent
from pytest_searchlight.domain import Budgets, RunStatus, SearchSetup, SetupKind, Task, TestRun
from pytest_searchlight.domain.judging import Judgement, JudgePayload
from pytest_searchlight.extensions import AgentJob, AgentTrace
from pytest_searchlight.judges.instructions import write_instructions
from pytest_searchlight.judges.labels import LABELS_SCHEMA, NoJudgementError, read_labels
from pytest_searchlight.workspace import Workspace, create_scratch_root

_NO_SEARCH: Final = SearchSetup(name="no-search", kind=SetupKind.NO_SEARCH)


@dataclass(frozen=True, kw_only=True)
class ProductJudge:
    """Judges with an agent product and its pinned model.

    Attributes:
        agent: the product, as it is installed.
        environment: allow-listed environment for its process.
        timeout_s: wall clock of one judgement.
    """

    agent: ClaudeCodeAgent | CodexAgent
    environment: Mapping[str, str]
    timeout_s: float = 600.0

    @property
    def name(self) -> str:
        """The product's name."""
        return self.agent.name

    @property
    def model_name(self) -> str:
        """The model that the product is pinned to."""
        return self.agent.default_model

    def explain_unavailable(self) -> str | None:
        """What is missing: the product, or a login and a key."""
        installation = self.agent.installation
        if installation.program is None:
            pin = self.agent.pin
            return f"{pin.command!r} is not on PATH; npm install -g {pin.package}@{pin.version}"
        if not installation.credentials and installation.login_folder is None:
            return f"{self.name} has no login here; log in with it, or set {self.agent.pin.key_variables[0]}"
        return None

    def judge(self, payload: JudgePayload, *, record: Path) -> Judgement:
        """Ask the product once; its raw event stream stays in `record`."""
        with (
            create_scratch_root(Path(tempfile.gettempdir())) as root,
            root.create_workspace() as workspace,
        ):
            trace = self._ask(write_instructions(payload), workspace=workspace, record=record)
        self._demand_sound(trace)
        return read_labels(
            trace.answer_text or "",
            payload=payload,
            judge=self.name,
            model_name=self.model_name,
            usage=trace.usage,
        )

    def _ask(self, prompt: str, *, workspace: Workspace, record: Path) -> AgentTrace:
        product = dataclasses.replace(self.agent, output_schema=LABELS_SCHEMA)
        return product.run(
            AgentJob(
                run=self._describe_run(prompt),
                prompt=prompt,
                workspace=workspace.work,
                home=workspace.home,
                record=record,
                server=None,
                environment=self.environment,
            )
        )

    def _describe_run(self, prompt: str) -> TestRun:
        task = Task(
            id="judgement",
            family="judgement",
            prompt=prompt,
            deliverable=LABELS_SCHEMA,
            budgets=Budgets(wall_clock_s=self.timeout_s),
        )
        return TestRun(
            run_id="judgement",
            identity="judgement",
            catalog="judgement",
            task=task,
            setup=_NO_SEARCH,
            agent=self.name,
            model_name=self.model_name,
            repetition=1,
        )

    def _demand_sound(self, trace: AgentTrace) -> None:
        """A judgement that came by a fault, by another model or with help from outside is none."""
        problem = None
        used = {call.tool for call in trace.tool_calls if call.executed is not False} - {OUTPUT_TOOL}
        if trace.status is not RunStatus.GRADED:
            problem = f"{trace.status.value}: {trace.reason}"
        elif "other_model" in trace.flags:
            problem = f"was answered by {', '.join(trace.model_names)} instead of {self.model_name}"
        elif used:
            problem = f"used {', '.join(sorted(used))}, although it has no tools"
        if problem is not None:
            raise NoJudgementError(
                f"judge {self.name}: {problem}", usage=trace.usage, retry_after_s=trace.retry_after_s
            )
