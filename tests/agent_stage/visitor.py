"""A small agent: it calls one tool of the MCP server whose command it is given, and leaves in some manner.

    visitor.py MANNER COMMAND [ARGUMENT ...]

    politely    closes the server's input and waits for its end
    outright    kills the server and leaves at once, as Codex does
    untidily    the same, and leaves behind a daemon and a folder that nobody may enter
    never       does not leave

It prints one JSON object: the tool's ``text``, and how many scratch ``folders`` there are, its own included.
Hundreds of it are started, so it imports little.
"""

from __future__ import annotations

import json
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

MODEL_TURN_S = 0.05
"""No model takes less between its last call and its answer."""
SIGKILL = 9
REQUESTS = (
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
    {"id": 3, "method": "tools/call", "params": {"name": "web_search", "arguments": {"query": "x"}}},
)


def start_server(command: list[str]) -> tuple[int, IO[bytes], IO[bytes]]:
    """Its process id, what takes requests, what gives answers."""
    child_in, requests = os.pipe()
    answers, child_out = os.pipe()
    ends = [(os.POSIX_SPAWN_DUP2, child_in, 0), (os.POSIX_SPAWN_DUP2, child_out, 1)]
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=ends)
    for descriptor in (child_in, child_out):
        os.close(descriptor)
    return pid, os.fdopen(requests, "wb", buffering=0), os.fdopen(answers, "rb")


def call_once(requests: IO[bytes], answers: IO[bytes]) -> str:
    """The text of the tool's answer; every request waits for the answer to the one before."""
    answer: dict[str, Any] = {}
    for request in REQUESTS:
        requests.write(json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n")
        answer = json.loads(answers.readline()) if "id" in request else answer
    text: str = answer["result"]["content"][0]["text"]
    return text


def count_scratch_folders() -> int:
    with os.scandir("../..") as entries:
        return sum(entry.is_dir() for entry in entries)


def leave_things_behind() -> None:
    os.mkdir("locked", mode=0)  # noqa: PTH102
    if os.fork() == 0:
        os.setsid()
        os.execve("/bin/sleep", ["sleep", "300"], {})  # noqa: S606 - a daemon without any mark


def main() -> None:
    manner, command = sys.argv[1], sys.argv[2:]
    server, requests, answers = start_server(command)
    text = call_once(requests, answers)
    time.sleep(MODEL_TURN_S)
    print(json.dumps({"text": text, "folders": count_scratch_folders()}), flush=True)
    match manner:
        case "politely":
            requests.close()
            os.waitpid(server, 0)
        case "outright":
            os.kill(server, SIGKILL)
        case "untidily":
            os.kill(server, SIGKILL)
            leave_things_behind()
        case "never":
            time.sleep(300)


if __name__ == "__main__":
    main()
