"""Signs that a tool result holds what a benchmark must not hand out: its tasks, its answers, its home."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Final

import yaml
from pydantic import JsonValue

from pytest_searchlight.domain import Sign, Task
from pytest_searchlight.searching.calls import WebCall
from pytest_searchlight.searching.results import find_addresses

STRETCH_WORDS: Final = 12
"""So many words in the same order are no coincidence; a copy of 23 words holds such a stretch whole."""

_WORD: Final = re.compile(r"\w+")
"""Underscores stay: they tell the field of an answer from the same words on an honest page."""
_ESCAPED: Final = re.compile(r'\\[nrt"]')
_FEWEST_WORDS: Final = 6
_FEWEST_PAIRS: Final = 2


class FoundSign(Sign):
    """A sign and what was found."""

    found: str


def scan_calls(calls: Sequence[WebCall], task: Task) -> tuple[FoundSign, ...] | None:
    """The signs in the results of a run on `task`; None when a result that was shown is not known.

    Words that stand in the call's own query are no sign, since many servers repeat what they were asked.

    - task-text: twelve words of the prompt in a row (the whole prompt when it has six to eleven).
    - reference-answer: all named values of the reference answer behind their names, two or more, addresses
      left out, one name at least spelled as only an identifier is; or twelve words of a sentence in it.
    - benchmark-host: an address of a place where benchmarks are kept.
    """
    if any(call.succeeded and call.result_text is None for call in calls):
        return None
    shown = [(index, call) for index, call in enumerate(calls) if call.result_text]
    return tuple(chain.from_iterable(_scan_call(index, call, task) for index, call in shown))


def _scan_call(index: int, call: WebCall, task: Task) -> Iterator[FoundSign]:
    result = call.result_text or ""
    text, asked = _join_words(result), _join_words(" ".join(call.queries))
    copied = _find_first(text, list_stretches(task.prompt, whole=True), asked=asked)
    if copied:
        yield FoundSign(kind="task-text", call=index, found=copied)
    answer = _find_answer(text, task.reference_answer, asked=asked)
    if answer:
        yield FoundSign(kind="reference-answer", call=index, found=answer)
    host = _find_benchmark_host(result)
    if host:
        yield FoundSign(kind="benchmark-host", call=index, found=host)


# --- texts -----------------------------------------------------------------------------------------------


def _join_words(text: str) -> str:
    """The words of a text in lower case, with one space before, between and behind them."""
    return f" {' '.join(_WORD.findall(_ESCAPED.sub(' ', text).lower()))} "


def list_stretches(text: str, *, whole: bool = False) -> list[str]:
    """The words of `text` in pieces of twelve; what is left at the end goes without one.

    Args:
        text: what may have been copied.
        whole: whether a text of six to eleven words is a piece all the same.
    """
    words = _join_words(text).split()
    if whole and _FEWEST_WORDS <= len(words) < STRETCH_WORDS:
        return [" ".join(words)]
    starts = range(0, len(words) - STRETCH_WORDS + 1, STRETCH_WORDS)
    return [" ".join(words[start : start + STRETCH_WORDS]) for start in starts]


def _find_first(text: str, stretches: Iterable[str], *, asked: str) -> str | None:
    copied = (each for each in stretches if f" {each} " in text and f" {each} " not in asked)
    return next(copied, None)


# --- reference answers -----------------------------------------------------------------------------------


def _find_answer(text: str, answer: JsonValue, *, asked: str) -> str | None:
    leaves = [(name, value) for name, value in _list_leaves(answer) if not _is_address(value)]
    sentences = chain.from_iterable(list_stretches(value) for _, value in leaves)
    copied = _find_first(text, sentences, asked=asked)
    if copied:
        return copied
    named = [(name, value) for name, value in leaves if name]
    if len(named) < _FEWEST_PAIRS or not any("_" in name for name, _ in named):
        return None
    pairs = [_join_words(f"{name} {value}") for name, value in named]
    if all(pair in text for pair in pairs):
        return "; ".join(pair.strip() for pair in pairs)
    return None


def _list_leaves(value: JsonValue, name: str = "") -> Iterator[tuple[str, str]]:
    """The scalar values in an answer as texts, with their names; the later ones of a list have none."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _list_leaves(each, key)
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _list_leaves(each, name if place == 0 else "")
    elif isinstance(value, bool):
        yield name, str(value).lower()
    elif value is not None:
        yield name, str(value)


def _is_address(value: str) -> bool:
    return value.startswith(("http://", "https://"))


# --- hosts -----------------------------------------------------------------------------------------------


@cache
def list_benchmark_hosts() -> tuple[str, ...]:
    """Hosts, or hosts with the beginning of a path, where benchmarks are kept."""
    text = (files("pytest_searchlight.searching") / "benchmark_hosts.yaml").read_text(encoding="utf-8")
    return tuple(yaml.safe_load(text)["hosts"])


def _find_benchmark_host(result: str) -> str | None:
    beginnings = tuple(f"{host}/" for host in list_benchmark_hosts())
    places = (place.lower() for place in sorted(find_addresses(result)))
    return next((place for place in places if f"{place}/".startswith(beginnings)), None)
