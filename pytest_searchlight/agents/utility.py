"""The utility agents: `oracle` gives the reference answer, `noop` gives none. Neither uses any tool.

They prove a catalog and a pipeline: every task must pass for the one and fail for the other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from pytest_searchlight import __version__
from pytest_searchlight.domain import NOTHING_USED, RunStatus, SearchSetup
from pytest_searchlight.extensions import AgentJob, AgentTrace


@dataclass(frozen=True)
class UtilityAgent:
    """An agent that answers without thinking: the reference answer, or an empty message."""

    name: str
    reads_reference_answer: bool
    default_model: str | None = None
    calls_tools: bool = False

    def find_version(self) -> str:
        """This package's version."""
        return __version__

    def explain_unsupported(self, setup: SearchSetup) -> str | None:  # noqa: ARG002 - part of the Protocol
        """Every setup is supported, since none is used."""
        return None

    def list_own_tools(self, setup: SearchSetup) -> frozenset[str]:  # noqa: ARG002 - part of the Protocol
        """None."""
        return frozenset()

    def run(self, job: AgentJob) -> AgentTrace:
        """Answer at once."""
        answer = json.dumps(job.answer, ensure_ascii=False) if self.reads_reference_answer else ""
        return AgentTrace(
            status=RunStatus.GRADED,
            answer_text=answer,
            transcript=({"type": "answer", "text": answer},),
            usage=NOTHING_USED,
            tools_offered=(),
        )


ORACLE = UtilityAgent("oracle", reads_reference_answer=True)
NOOP = UtilityAgent("noop", reads_reference_answer=False)
