"""A model made of scripts: plays both wire formats on loopback, for the real agent products to talk to."""

from __future__ import annotations

from scripted_model.script import (
    LIST_TOOLS,
    Answer,
    CallTool,
    CutStream,
    Fail,
    FailTurn,
    Hang,
    ModelRequest,
    Refuse,
    RunCode,
    Script,
    SearchResults,
    Step,
    Tokens,
    play_turns,
)
from scripted_model.server import ScriptedModel, serve_model

__all__ = [
    "LIST_TOOLS",
    "Answer",
    "CallTool",
    "CutStream",
    "Fail",
    "FailTurn",
    "Hang",
    "ModelRequest",
    "Refuse",
    "RunCode",
    "Script",
    "ScriptedModel",
    "SearchResults",
    "Step",
    "Tokens",
    "play_turns",
    "serve_model",
]
