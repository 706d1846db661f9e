"""A user's login, lent to a run: copied into its private home, and given back when the product renewed it.

A login by account is a token that can be renewed only once, so a renewal that went down with the private home
would log the user out. Of several runs that renew at once only the first succeeds; the others fail as faults
of the login, which is why many workers are better served by an API key.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_searchlight.agents.pins import AgentPin
from pytest_searchlight.agents.private_files import write_private
from pytest_searchlight.domain import RunStatus
from pytest_searchlight.errors import RunError


@contextlib.contextmanager
def lend_login(pin: AgentPin, *, source: Path | None, target: Path) -> Iterator[None]:
    """Copy the login of `source` to `target`; on leaving, give back what the product renewed there.

    Args:
        pin: names the files that hold the login, and where in them its age is told.
        source: the user's own configuration folder of the product, None when no login is used.
        target: the configuration folder in a run's private home.

    Raises:
        RunError: `source` holds no login.
    """
    if source is None:
        yield
        return
    lent = copy_login(pin.login_files, source=source, target=target)
    try:
        yield
    finally:
        for name, content in lent.items():
            with contextlib.suppress(OSError):  # a home that cannot be written to keeps the login it has
                _give_back(target / name, owner=source / name, lent=content, clock=pin.login_clock)


def copy_login(files: Sequence[str], *, source: Path, target: Path) -> dict[str, bytes]:
    """Copy the named credential files, and nothing else of the user's folder, with mode 0600.

    Returns:
        What was copied, by name.

    Raises:
        RunError: `source` holds none of them.
    """
    lent = {name: (source / name).read_bytes() for name in files if (source / name).is_file()}
    if not lent:
        raise RunError(
            f"{source}: no login found ({', '.join(files)}); log in with the product, or give an API key",
            status=RunStatus.AGENT_ERROR,
        )
    for name, content in lent.items():
        write_private(target / name, content)
    return lent


def _give_back(file: Path, *, owner: Path, lent: bytes, clock: Sequence[str]) -> None:
    """Replace `owner` by the renewed `file`, unless somebody has changed it since it was lent."""
    content = file.read_bytes()
    if not _is_renewed(content, lent=lent, clock=clock):
        return
    owner = owner.resolve()
    with _locked(owner.parent):
        if owner.read_bytes() == lent:
            _replace(owner, content)


def _is_renewed(content: bytes, *, lent: bytes, clock: Sequence[str]) -> bool:
    """Whether a login is newer than the one that was lent; one that is torn or logged out has no age."""
    now, before = _read_clock(content, clock), _read_clock(lent, clock)
    if isinstance(now, str) and isinstance(before, str):
        return now > before
    return isinstance(now, int | float) and isinstance(before, int | float) and now > before


def _read_clock(content: bytes, clock: Sequence[str]) -> object:
    try:
        value = json.loads(content)
    except ValueError:
        return None
    for name in clock:
        value = value.get(name) if isinstance(value, dict) else None
    return value


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder against our other workers, without leaving a file in it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replace(file: Path, content: bytes) -> None:
    """Replace a file in one step, so that nobody ever reads half a login."""
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    write_private(fresh, content)
    with fresh.open("rb") as written:
        os.fsync(written.fileno())
    fresh.replace(file)
