"""A model made of scripts: plays both wire formats on loopback, for the real agent products to talk to."""

from __future__ import annotations

from scripted_model.script import (
    Answer,
    CallTool,
    CutStream,
    Fail,
    FailTurn,
    Hang,
    ModelRequest,
    Refuse,
    Script,
    SearchResults,
    Step,
    Tokens,
    play_turns,
)
from scripted_model.server import ScriptedModel, serve_model

__all__ = [
    "Answer",
    "CallTool",
    "CutStream",
    "Fail",
    "FailTurn",
    "Hang",
    "ModelRequest",
    "Refuse",
    "Script",
    "ScriptedModel",
    "SearchResults",
    "Step",
    "Tokens",
    "play_turns",
    "serve_model",
]
