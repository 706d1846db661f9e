"""From the command line to a running session, in the order that starts the server soonest.

What the session itself needs is imported only after the server has been started, so that both get ready
at the same time.
"""

from __future__ import annotations

import os
import time

from pytest_searchlight.meter.guard import Guard
from pytest_searchlight.meter.server_process import ServerProcess
from pytest_searchlight.meter.spec import Spec, SpecError, complain, read_spec
from pytest_searchlight.meter.spool import FORMAT_VERSION, SessionFiles, write_event

TYPE_CHECKING = False  # `typing` costs 4 ms to import; type checkers know this name
if TYPE_CHECKING:
    from typing import NoReturn

EXIT_SPEC = 2
USAGE = "usage: python -I -S <path of the meter> --spec <absolute path of a JSON file>"


def main(arguments: list[str]) -> NoReturn:
    """Runs the meter and ends the process without waiting for threads that sit in a read."""
    try:
        code = run(read_arguments(arguments))
    except SpecError as error:
        complain(str(error))
        code = EXIT_SPEC
    os._exit(code)


def read_arguments(arguments: list[str]) -> Spec:
    """The spec that the command line names.

    Raises:
        SpecError: the command line or the spec breaks a rule.
    """
    if len(arguments) != 2 or arguments[0] != "--spec":
        raise SpecError(USAGE)
    return read_spec(arguments[1])


def run(spec: Spec) -> int:
    """One session, from its first record to its last; returns the exit code."""
    files = SessionFiles(spec.spool)
    write_event(files.descriptor, "started", format=FORMAT_VERSION, pid=os.getpid(), unix_s=time.time())
    if spec.url is not None:
        from pytest_searchlight.meter.hosted import run_hosted_session

        return run_hosted_session(spec, files=files)
    return run_local_server(spec, files=files)


def run_local_server(spec: Spec, *, files: SessionFiles) -> int:
    """A session with a server that is started here."""
    try:
        server = ServerProcess(spec.command, environment=spec.env, folder=spec.cwd)
    except OSError as error:
        from pytest_searchlight.meter.session import run_without_server

        reason = f"server not started: {error.filename or spec.command[0]}: {error.strerror}"
        return run_without_server(spec, files=files, reason=reason)
    write_event(files.descriptor, "server_spawned", pid=server.pid)
    guard = Guard(server.pid, stop_grace_s=spec.stop_grace_s)
    from pytest_searchlight.meter.session import run_stdio_session

    code = run_stdio_session(spec, files=files, server=server)
    guard.dismiss()
    return code
