"""Spaces tool calls so that all workers of a session together stay below a provider's rate limit."""

from __future__ import annotations

import fcntl
import os
import time

LONGEST_POSTPONEMENT_S = 120.0


class Pace:
    """Turns at calling a provider, given out through a small file that all meters of a session share.

    The file holds when the next turn is, in seconds of the monotonic clock, which all processes share.
    A file that cannot be used means no pacing: it is a courtesy, and traffic goes first.

    Args:
        path: the shared file, None for no pacing.
        calls_per_s: how many calls a second all meters together may make.
    """

    def __init__(self, path: str | None, *, calls_per_s: float) -> None:
        self._path = path
        self._interval_s = 1.0 / calls_per_s if path is not None else 0.0

    @property
    def is_set(self) -> bool:
        """Whether calls have to wait for turns at all."""
        return self._path is not None

    def wait_turn(self) -> float:
        """Waits for the next turn and takes it; gives the seconds waited."""
        if self._path is None:
            return 0.0
        now = time.monotonic()
        turn = self._reserve(earliest=now, length_s=self._interval_s)
        waited_s = max(0.0, turn - now)
        time.sleep(waited_s)
        return waited_s

    def postpone(self, seconds: float) -> None:
        """Lets no turn begin for some time, as the provider asked for."""
        if self._path is not None:
            wait_s = min(seconds, LONGEST_POSTPONEMENT_S)
            self._reserve(earliest=time.monotonic() + wait_s, length_s=0.0)

    def _reserve(self, *, earliest: float, length_s: float) -> float:
        """Takes the first stretch of time from `earliest` on that nobody has taken; gives its beginning."""
        assert self._path is not None
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return earliest
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            text = os.read(descriptor, 64)
            begins = max(earliest, float(text) if text else 0.0)
            os.pwrite(descriptor, b"%-32.6f" % (begins + length_s), 0)
        except (OSError, ValueError):
            return earliest
        finally:
            os.close(descriptor)
        return begins
