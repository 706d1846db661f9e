"""Sources too long to show whole: the paragraphs that have most to do with the claims, in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_searchlight.domain.judging import JudgePayload, PayloadSource
from pytest_searchlight.judges.statements import read_sentence

GAP: Final = "[...]"
_LONGEST_PARAGRAPH_CHARS: Final = 2000
_BREAK: Final = re.compile(r"\n\s*\n")


def shorten_sources(payload: JudgePayload, *, most_chars: int) -> tuple[PayloadSource, ...]:
    """The sources of `payload` within `most_chars` together; what short ones leave over is the others'."""
    left, waiting = most_chars, len(payload.sources)
    shortened: dict[int, PayloadSource] = {}
    for source in sorted(payload.sources, key=lambda each: len(each.text)):
        text = _shorten(source, payload, most_chars=left // waiting)
        shortened[source.number] = source.model_copy(update={"text": text})
        left, waiting = left - len(text), waiting - 1
    return tuple(shortened[source.number] for source in payload.sources)


def _shorten(source: PayloadSource, payload: JudgePayload, *, most_chars: int) -> str:
    if len(source.text) <= most_chars:
        return source.text
    claims = [claim.text for claim in payload.claims if source.number in claim.sources]
    wanted = frozenset[str]().union(*(_find_terms(text) for text in claims))
    paragraphs = list(_split_paragraphs(source.text))
    gains = [len(_find_terms(text) & wanted) for text in paragraphs]
    kept: set[int] = set()
    most_chars -= len(GAP)
    for index in sorted(range(len(paragraphs)), key=lambda each: (-gains[each], each)):
        cost = len(paragraphs[index]) + len(GAP) + 4
        if cost <= most_chars:
            kept.add(index)
            most_chars -= cost
    return _join(paragraphs, kept)


def _split_paragraphs(text: str) -> Iterator[str]:
    for paragraph in _BREAK.split(text):
        for start in range(0, len(paragraph), _LONGEST_PARAGRAPH_CHARS):
            yield paragraph[start : start + _LONGEST_PARAGRAPH_CHARS]


def _join(paragraphs: list[str], kept: set[int]) -> str:
    """The kept paragraphs, one gap for whatever is left out between them."""
    shown = [text if index in kept else GAP for index, text in enumerate(paragraphs)]
    return "\n\n".join(
        text for text, before in zip(shown, ["", *shown], strict=False) if text != GAP or before != GAP
    )


def _find_terms(text: str) -> frozenset[str]:
    statement = read_sentence(" ".join(text.split()))
    return statement.words | statement.figures | statement.names
