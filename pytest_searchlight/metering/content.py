"""What a model is shown of a tool's result."""

from __future__ import annotations

import json

from pydantic import JsonValue


def list_visible_texts(result: dict[str, JsonValue]) -> list[str]:
    """The texts in ``content`` as a model reads them, a part each; media have none.

    ``structuredContent`` is not among them, since it repeats the content, for programs; where there is no
    content to repeat, it is what the model is shown.
    """
    content = result.get("content")
    if not content and (structured := write_structured(result)):
        return [structured]
    parts = content if isinstance(content, list) else []
    return [text for part in parts if isinstance(part, dict) and (text := _show_part(part))]


def write_structured(result: dict[str, JsonValue]) -> str:
    """``structuredContent`` as compact JSON, empty without."""
    structured = result.get("structuredContent")
    return "" if structured is None else json.dumps(structured, ensure_ascii=False, separators=(",", ":"))


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
