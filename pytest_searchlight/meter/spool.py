r"""The raw record of a session: everything that passed, appended to one file while traffic goes on.

The pumps only append to a backlog in memory; a thread of its own carries it to disk. A full, slow or
hanging disk is therefore no business of the wire, and a loss is always visible: the spool says what is
missing where it can, and the session's ``intact`` file is gone.

File format: entries ``<kind> <monotonic ns> <length>\n<payload>\n`` with the kinds

    E    an event of the meter: a JSON object with the key ``event``
    C    bytes that the client sent
    S    bytes of the server that were forwarded to the client
    M    a whole frame with which the meter itself answered the client
    N    output of the server that is no message, so was not forwarded (payload: bytes, frame ends)
    c s  traffic left out at this place (payload: bytes, frame ends)
"""

from __future__ import annotations

import os
import time

FORMAT_VERSION = 1


class SessionFiles:
    """Names of one session's files, the first of which is claimed by creating it.

    An agent that starts its server a second time gets ``wire-2.spool`` beside ``wire.spool``, and so on.

    Attributes:
        descriptor: the spool, open for writing.
        intact: an empty file that exists as long as nothing was lost. Removing a file is what still works
            on a full disk.
        tickets: a byte for every tool call of all sessions, see `CallBudget`.
    """

    def __init__(self, folder: str) -> None:
        number = 1
        while True:
            suffix = f"-{number}" if number > 1 else ""
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            try:
                self.descriptor = os.open(f"{folder}/wire{suffix}.spool", flags, 0o600)
                break
            except FileExistsError:
                number += 1
        self.intact = f"{folder}/wire{suffix}.intact"
        self.stderr = f"{folder}/stderr{suffix}.log"
        self.noise = f"{folder}/stdout_noise{suffix}.log"
        self.tickets = f"{folder}/tool_calls.tickets"
        os.close(os.open(self.intact, os.O_CREAT | os.O_WRONLY, 0o600))

    def declare_loss(self) -> None:
        """Says, for good, that the record of this session is incomplete."""
        try:
            os.unlink(self.intact)  # noqa: PTH108 - pathlib costs 10 ms to import
        except FileNotFoundError:
            return


def write_event(descriptor: int, event: str, **numbers: float) -> None:
    """Writes an event at once, so that it stands whatever becomes of the meter; for use before a recorder."""
    facts = "".join(f', "{name}": {number!r}' for name, number in numbers.items())
    data = f'{{"event": "{event}"{facts}}}'.encode()
    try:
        os.write(descriptor, format_header(b"E", time.monotonic_ns(), len(data)) + data + b"\n")
    except OSError:
        return  # a full disk; the recorder will meet it again and say so


def format_header(kind: bytes, at_ns: int, size: int) -> bytes:
    """What stands before an entry's payload of `size` bytes."""
    return b"%c %d %d\n" % (kind, at_ns, size)
