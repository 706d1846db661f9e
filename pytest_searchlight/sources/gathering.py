"""All sources of one brief: kept ones first, then the origin, then what the run's own tools returned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_searchlight.domain import ToolCall
from pytest_searchlight.sources.capture import describe_capture
from pytest_searchlight.sources.reading import Reading
from pytest_searchlight.sources.received import read_received
from pytest_searchlight.sources.records import CapturedSource, CaptureStatus
from pytest_searchlight.sources.store import Capture, SourceStore


def gather_sources(
    urls: Iterable[str], *, store: SourceStore, capture: Capture | None, calls: Sequence[ToolCall]
) -> dict[str, CapturedSource]:
    """A source for each of `urls`, by the address as cited.

    Args:
        urls: what the brief cites.
        store: the session's captures.
        capture: captures what is not kept yet; None when nothing may be fetched, as in grading again.
        calls: the run's tool calls, for pages that could not be captured.
    """
    wanted = list(dict.fromkeys(urls))
    if capture is None:
        kept = {url: store.read(url) or _describe_unkept(url) for url in wanted}
    else:
        kept = store.obtain_all(wanted, capture=capture)
    return {url: read_received(source, calls=calls) for url, source in kept.items()}


def _describe_unkept(url: str) -> CapturedSource:
    reading = Reading(status=CaptureStatus.FAILED, reason="was not captured while the session ran")
    return describe_capture(url, reading)
