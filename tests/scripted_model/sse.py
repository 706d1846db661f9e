"""Server-sent events, and the one way a stream can end badly."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any


class StreamCut(Exception):  # noqa: N818 - a planned event of the script, not an error
    """Raised by a reply to have the connection dropped where it stands."""


class StreamHang(Exception):  # noqa: N818 - a planned event of the script, not an error
    """Raised by a reply to have the connection kept open in silence."""


Event = dict[str, Any]


def encode_events(events: Iterable[Event]) -> Iterator[bytes]:
    """Each event as the bytes of one server-sent event named after its ``type``."""
    for event in events:
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
