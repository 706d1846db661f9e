"""What a scripted model is asked and what it says: one small vocabulary for both wire formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Wire = Literal["messages", "responses"]
RequestKind = Literal["turn", "web-search", "count-tokens"]


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Usage of one model turn, in disjoint classes; each wire adds them up as its own rules say."""

    fresh_input: int = 100
    cached_input: int = 40
    cache_write: int = 10
    output: int = 20
    reasoning: int = 5


# --- what the model says ---------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Answer:
    """End the turn with `text`. `searches` are hosted web searches done on the way (responses wire only)."""

    text: str
    searches: tuple[str, ...] = ()
    tokens: Tokens | None = Tokens()
    delay_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class CallTool:
    """Call one tool. `server` is an MCP server's name, None for one of the agent's own tools."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    server: str | None = None
    text: str = ""
    tokens: Tokens | None = Tokens()
    delay_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RunCode:
    """Run JavaScript, which is how code-mode models call tools (responses wire only)."""

    source: str
    tokens: Tokens | None = Tokens()


LIST_TOOLS = RunCode(source="text(JSON.stringify(ALL_TOOLS.map(tool => tool.name)))")
"""Has Codex itself tell a code-mode model every tool that it may call."""


@dataclass(frozen=True, kw_only=True)
class SearchResults:
    """Reply to a web-search request that the agent makes on its own: pages as (title, URL)."""

    pages: tuple[tuple[str, str], ...]
    summary: str = "Found pages."


@dataclass(frozen=True, kw_only=True)
class Refuse:
    """Decline the task itself, in the form the wire has for that."""

    text: str = "I can't help with that."


@dataclass(frozen=True, kw_only=True)
class Fail:
    """Answer with an HTTP error. `code` is the API's own error type."""

    status: int
    code: str
    message: str
    retry_after_s: int | None = None


@dataclass(frozen=True, kw_only=True)
class FailTurn:
    """Start a stream and end it with the API's failure event (responses wire: ``response.failed``)."""

    code: str
    message: str


@dataclass(frozen=True, kw_only=True)
class CutStream:
    """Say `text` and drop the connection in the middle of the stream."""

    text: str = "The answer is"


@dataclass(frozen=True, kw_only=True)
class Hang:
    """Send headers, then nothing, until the client goes away or the server stops."""


Step = Answer | CallTool | RunCode | SearchResults | Refuse | Fail | FailTurn | CutStream | Hang


# --- what the model is asked -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """One request, as recorded.

    Attributes:
        wire: which API was called.
        kind: an ordinary model turn, a web search that the agent makes on its own, or a token count.
        turn: how many rounds of tool results the conversation holds; 0 for the first request.
        model: the model that was asked for.
        tools: what the model was offered, `mcp__<server>__<tool>` for MCP tools on both wires.
        last_result: text of the newest tool result, or None.
        body: the whole request body.
    """

    wire: Wire
    kind: RequestKind
    turn: int
    model: str
    tools: tuple[str, ...]
    last_result: str | None
    body: dict[str, Any]


Script = Callable[[ModelRequest], Step]


def play_turns(*steps: Step, pages: tuple[tuple[str, str], ...] = ()) -> Script:
    """A script that plays `steps` in order; the last one repeats. `pages` feed web-search requests.

    The turn is read from the conversation in the request, so one script serves any number of runs at once.
    """

    def choose_step(request: ModelRequest) -> Step:
        if request.kind == "web-search":
            return SearchResults(pages=pages)
        return steps[min(request.turn, len(steps) - 1)]

    return choose_step
