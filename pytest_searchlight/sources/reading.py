"""From an origin's response to readable text, or to the name of what came instead of the page."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_searchlight.domain import RunStatus
from pytest_searchlight.errors import RunError
from pytest_searchlight.sources import decoding
from pytest_searchlight.sources.records import CaptureStatus, OriginResponse
from pytest_searchlight.workspace import run_process

_TEXT_TYPES: Final = frozenset(
    f"application/{name}"
    for name in ("xml", "yaml", "x-yaml", "toml", "javascript", "x-javascript", "x-ndjson")
)
_ABSENT: Final = frozenset({404, 410})
_TURNED_AWAY: Final = frozenset({401, 402, 403, 429, 451})
_SHORT_PAGE_CHARS: Final = 1500
"""Block pages and soft errors say little; a long page that speaks of captchas is about captchas."""
_FEW_CHARS: Final = 200
_HEAVY_BYTES: Final = 1_000_000
_MANY_TAGS: Final = 3000
"""A body beyond either is decoded in a process of its own, as a PDF always is: each may take for ever.

Tags that nest take time with the square of their number, and no count of depth is safe from wrong end tags.
"""

_GARBLED_SHARE: Final = 0.05
_FOREIGN_SHARE: Final = 0.3
"""No language of Latin letters has so many with accents; another alphabet read as Windows-1252 has more."""

_BLOCK_WORDS: Final = re.compile(
    r"just a moment\.\.\.|checking your browser|verify (that )?you are (a )?human|are you a robot|"
    r"captcha|attention required! \| cloudflare|access denied|request (was )?blocked|unusual traffic|"
    r"you have been blocked|access to this page has been denied",
    re.IGNORECASE,
)
_SOFT_ERROR_WORDS: Final = re.compile(
    r"page (was |could )?not (be )?found|\b404\b|page (no longer|does not|doesn.t) exist|"
    r"(this|the) page (isn.t|is not) available|something went wrong|internal server error",
    re.IGNORECASE,
)
_SCRIPT_WORDS: Final = re.compile(r"(enable|requires?|turn on|without) java ?script", re.IGNORECASE)
_SCRIPT_TAG: Final = re.compile(rb"<script\b", re.IGNORECASE)
_LOADING: Final = re.compile(
    r"^\W*(loading|please wait|redirecting|you are being redirected)\W*$", re.IGNORECASE | re.MULTILINE
)
_PASSWORD_FIELD: Final = re.compile(rb"<input[^>]{0,200}type\s*=\s*[\"']?password", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a response reads like; `reason` goes with every status but captured."""

    status: CaptureStatus
    reason: str = ""
    content_type: str = ""
    text: str = ""


def read_response(response: OriginResponse, *, decode_s: float) -> Reading:
    """The readable text of `response`, or why it is none. A decoder in its own process gets `decode_s`."""
    media_type = sniff_media_type(response)
    if media_type is None:
        return Reading(
            status=CaptureStatus.FAILED,
            reason=f"is {response.content_type or 'of no stated type'}, which has no readable text",
            content_type=response.content_type,
        )
    text = _read_text(response, media_type, decode_s=decode_s)
    if isinstance(text, Reading):
        return text
    status, reason = _name_what_came(response, text)
    return Reading(status=status, reason=reason, content_type=media_type, text=text)


def sniff_media_type(response: OriginResponse) -> str | None:
    """The type to read a body as: by its first bytes, then as stated; None when it cannot be read."""
    head = response.body[:1024].lstrip()
    stated = re.split("[;,]", response.content_type)[0].strip().lower()
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    looks_like_html = head[:200].lower().startswith((b"<!doctype html", b"<html"))
    if stated == "application/xhtml+xml" or (looks_like_html and stated in {"", "application/octet-stream"}):
        return "text/html"
    if stated == "application/json" or stated.endswith("+json"):
        return "application/json"
    is_text = stated.startswith("text/") or stated in _TEXT_TYPES or stated.endswith("+xml")
    return stated if is_text else None


def _read_text(response: OriginResponse, media_type: str, *, decode_s: float) -> str | Reading:
    parameters = response.content_type.partition(";")[2]
    has_charset = parameters and media_type != "application/pdf"
    content_type = f"{media_type};{parameters}" if has_charset else media_type
    if media_type != "application/pdf" and not _is_heavy(response.body):
        return decoding.decode(response.body, content_type=content_type, url=response.url)
    try:
        return _decode_apart(response, content_type, limit_s=decode_s)
    except RunError as error:
        return Reading(
            status=CaptureStatus.FAILED,
            reason=f"is {media_type} that cannot be read: {error}",
            content_type=media_type,
        )


def _is_heavy(body: bytes) -> bool:
    return len(body) > _HEAVY_BYTES or body.count(b"<") > _MANY_TAGS


def _decode_apart(response: OriginResponse, content_type: str, *, limit_s: float) -> str:
    """The text, read by a process that is ended after `limit_s` seconds. Raises RunError when none comes."""
    with tempfile.TemporaryDirectory(prefix="searchlight-decoding-") as name:
        folder = Path(name)
        done = run_process(
            # By path, so that it loads nothing but what it needs.
            [sys.executable, "-I", decoding.__file__, content_type, response.url],
            cwd=folder,
            env={},
            run_id="capture",
            stdout_path=folder / "text.json",
            stderr_path=folder / "stderr.log",
            timeout_s=limit_s,
            stdin_bytes=response.body,
        )
        if done.ended_by != "exit" or done.exit_code != 0:
            problem = done.stop_reason or f"the decoder ended with code {done.exit_code}"
            raise RunError(problem, status=RunStatus.UNGRADED)
        result = json.loads(done.stdout_path.read_bytes())
    if "problem" in result:
        raise RunError(result["problem"], status=RunStatus.UNGRADED)
    return str(result["text"])


def _name_what_came(response: OriginResponse, text: str) -> tuple[CaptureStatus, str]:
    """Whether `text` is the page, and if not, what it is."""
    is_short = len(text) < _SHORT_PAGE_CHARS
    if response.status in _ABSENT:
        return CaptureStatus.ABSENT, f"the origin answers {response.status}: there is no such page"
    blocked = _BLOCK_WORDS.search(text) if is_short else None
    if response.status in _TURNED_AWAY or blocked:
        why = f"says {blocked[0]!r}" if blocked else "turns us away"
        return CaptureStatus.BLOCKED, f"the origin answers {response.status} and {why}"
    if response.status != 200:
        return CaptureStatus.FAILED, f"the origin answers {response.status}"
    if (doubt := _find_doubt(response, text)) is not None:
        return CaptureStatus.SUSPECT, doubt
    return CaptureStatus.CAPTURED, ""


def _find_doubt(response: OriginResponse, text: str) -> str | None:
    if not text.strip():
        return "has no readable text"
    if len(text) < _SHORT_PAGE_CHARS and (found := _SCRIPT_WORDS.search(text)):
        return f"is a page of scripts: says {found[0]!r}"
    scripts = len(_SCRIPT_TAG.findall(response.body))
    if len(text) < _FEW_CHARS and (scripts >= 2 or (scripts and _LOADING.search(text))):
        return "is a page of scripts with next to no text"
    if len(text) < _FEW_CHARS and _PASSWORD_FIELD.search(response.body):
        return "asks for a login"
    # What a whole page is about stands in its first lines; further down it may well speak of errors.
    if len(text) < _SHORT_PAGE_CHARS and (found := _SOFT_ERROR_WORDS.search(text[:_FEW_CHARS])):
        return f"calls itself an error although it answers 200: says {found[0]!r}"
    return _find_garble(text)


def _find_garble(text: str) -> str | None:
    """What wrong charsets and fonts without a map leave: characters that stand for nothing, or for others."""
    odd = sum(char == "\ufffd" or "\ue000" <= char <= "\uf8ff" for char in text)
    if odd > _GARBLED_SHARE * len(text):
        return f"is garbled: {odd} of {len(text)} characters stand for nothing"
    letters = re.findall(r"\S", text)
    foreign = sum("\u0080" <= char <= "\u00ff" for char in letters)
    if foreign > _FOREIGN_SHARE * len(letters):
        return "is in a charset that neither the page nor its origin states"
    return None
