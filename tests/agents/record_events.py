"""Records the event streams that the parsers are tested with, by running the real products.

Run it with ``tests`` on PYTHONPATH after a change of a pinned version, and look at the difference.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from agent_stage import SERVER_NAME, Stage, make_server
from scripted_model import (
    Answer,
    CallTool,
    CutStream,
    Fail,
    FailTurn,
    Refuse,
    Script,
    play_turns,
    serve_model,
)

from pytest_searchlight.domain import SetupKind

RECORDED: Final = Path(__file__).with_name("recorded")
ANSWER: Final = Answer(text='The lighthouse is red.\n\n```json\n{"colour": "red"}\n```')
SEARCH: Final = CallTool(tool="web_search", server=SERVER_NAME, arguments={"query": "lighthouse colour"})
FAILED_SEARCH: Final = CallTool(tool="web_search", server=SERVER_NAME, arguments={"query": "fail"})
BAD_KEY: Final = Fail(status=401, code="authentication_error", message="invalid key")

SCENES: Final[dict[tuple[str, str], Script]] = {
    ("claude-code", "search"): play_turns(SEARCH, FAILED_SEARCH, CallTool(tool="Bash"), ANSWER),
    ("claude-code", "bad-key"): play_turns(BAD_KEY),
    ("claude-code", "refusal"): play_turns(Refuse()),
    ("claude-code", "cut-stream"): play_turns(CutStream()),
    ("codex", "search"): play_turns(SEARCH, FAILED_SEARCH, ANSWER),
    ("codex", "bad-key"): play_turns(BAD_KEY),
    ("codex", "overload"): play_turns(FailTurn(code="server_is_overloaded", message="Overloaded")),
}


def main() -> None:
    RECORDED.mkdir(exist_ok=True)
    with serve_model() as model, tempfile.TemporaryDirectory() as folder:
        stage = Stage(model=model, folder=Path(folder, "stage"))
        for (agent, scene), script in SCENES.items():
            played = stage.play(agent, script, kind=SetupKind.PROVIDER, server=make_server())
            events = (played.job.record / "events.jsonl").read_text("utf-8")
            anonymous = events.replace(str(played.job.home.parent), "/run").replace(
                model.url, "http://model.test"
            )
            (RECORDED / f"{agent}-{scene}.jsonl").write_text(anonymous, "utf-8")


if __name__ == "__main__":
    main()
