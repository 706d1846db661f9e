"""Events: the stream that this program writes, one JSON object a line, as agent products do."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import TextIO


class EventStream:
    """Writes events to `sink`; times are seconds since the stream was opened."""

    def __init__(self, sink: TextIO) -> None:
        self._sink = sink
        self._opened = time.monotonic()
        self._calls = 0

    @property
    def now_s(self) -> float:
        """Seconds since the stream was opened."""
        return round(time.monotonic() - self._opened, 6)

    def report_start(
        self, *, version: str, server: str | None, tools: Sequence[str], problem: str = ""
    ) -> None:
        """Say which tools are there; `problem` says why a server's are not."""
        self._write(
            type="init", agent="baseline", version=version, server=server, tools=list(tools), problem=problem
        )

    def report_call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Say that `tool` is called now; returns the id that its result must carry."""
        self._calls += 1
        call_id = f"call-{self._calls}"
        self._write(type="tool_use", id=call_id, tool=tool, arguments=dict(arguments), at_s=self.now_s)
        return call_id

    def report_result(self, call_id: str, *, text: str, is_error: bool) -> None:
        """Say what the call returned."""
        self._write(type="tool_result", id=call_id, is_error=is_error, text=text, at_s=self.now_s)

    def report_answer(self, text: str) -> None:
        """The final message. There is no LLM, so the tokens are 0 and known to be."""
        usage = {"input_tokens": 0, "output_tokens": 0}
        self._write(type="result", answer=text, usage=usage, at_s=self.now_s)

    def _write(self, **event: object) -> None:
        # ASCII only: a lone surrogate from a page must not end the stream.
        self._sink.write(json.dumps(event, ensure_ascii=True) + "\n")
        self._sink.flush()
