"""What a model is shown of a tool's result."""

from __future__ import annotations

import json

from pydantic import JsonValue


def list_visible_texts(result: dict[str, JsonValue]) -> list[str]:
    """The texts in ``content`` as a model reads them, a part each; media have none.

    ``structuredContent`` is not among them: it repeats the content, for programs.
    """
    content = result.get("content")
    parts = content if isinstance(content, list) else []
    return [text for part in parts if isinstance(part, dict) and (text := _show_part(part))]


def count_structured_chars(result: dict[str, JsonValue]) -> int:
    """Size of ``structuredContent`` as compact JSON, 0 without."""
    if "structuredContent" not in result:
        return 0
    return len(json.dumps(result["structuredContent"], ensure_ascii=False, separators=(",", ":")))


def _show_part(part: dict[str, JsonValue]) -> str:
    match part:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "resource", "resource": {"text": str(text)}}:
            return text
        case {"type": "resource_link"}:
            named = (part.get(name) for name in ("name", "uri", "description"))
            return " ".join(value for value in named if isinstance(value, str))
    return ""
