"""What a warden is told to run, as it goes over the control socket.

A warden may have been started long before anybody knew its command, so nothing of this is in its arguments.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # a name type checkers know; typing itself is one of the slow imports
if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADER_BYTES = 10


class Assignment:
    """One command.

    Attributes:
        command: the program, looked up on the PATH in `environment`, and its arguments.
        environment: the command's whole environment.
        folder: where it runs.
        grace_s: between the polite and the forceful way to end it.
    """

    __slots__ = ("command", "environment", "folder", "grace_s")

    def __init__(
        self, command: list[bytes], *, environment: Mapping[bytes, bytes], folder: bytes, grace_s: float
    ) -> None:
        self.command = command
        self.environment = environment
        self.folder = folder
        self.grace_s = grace_s

    def encode(self) -> bytes:
        """The assignment as bytes. Raises ValueError when one of its texts holds a NUL."""
        variables = (b"%b=%b" % variable for variable in self.environment.items())
        head = (b"%r" % self.grace_s, self.folder, b"%d" % len(self.command))
        fields = [*head, *self.command, *variables]
        if any(b"\0" in field for field in fields):
            raise ValueError("embedded null byte")  # what the kernel's own way to start a program says
        body = b"\0".join(fields)
        return b"%0*d" % (_HEADER_BYTES, len(body)) + body


def read_assignment(descriptor: int) -> Assignment | None:
    """The assignment that comes over a socket, and not a byte more; None when it is closed instead."""
    header = _read_exactly(descriptor, _HEADER_BYTES)
    body = header and _read_exactly(descriptor, int(header))
    if not body:
        return None
    grace_s, folder, count, *fields = body.split(b"\0")
    command, variables = fields[: int(count)], fields[int(count) :]
    environment = dict(variable.split(b"=", 1) for variable in variables)
    return Assignment(command, environment=environment, folder=folder, grace_s=float(grace_s))


def _read_exactly(descriptor: int, size: int) -> bytes | None:
    received = b""
    while len(received) < size:
        chunk = os.read(descriptor, size - len(received))
        if not chunk:
            return None
        received += chunk
    return received
