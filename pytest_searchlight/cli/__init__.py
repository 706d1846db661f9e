"""`sew` (also `searchlight`): what is done around benchmark sessions; sessions themselves are pytest's.

A module a group of commands: each adds its parsers in `add_commands` and imports what it needs when it runs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final

from pytest_searchlight import __version__
from pytest_searchlight.cli import (
    catalogs,
    comparing,
    exporting,
    judging,
    machine,
    publishing,
    sessions,
    site,
    viewing,
)
from pytest_searchlight.cli.command import FOUND_PROBLEMS, OK, USAGE, Command
from pytest_searchlight.errors import SearchlightError, UserError

_GROUPS: Final = (machine, catalogs, sessions, viewing, judging, comparing, exporting, publishing, site)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and give the exit code: 0 well, 1 problems found, 2 a mistake in the call."""
    try:
        options = _build_parser().parse_args(arguments)
        command: Command = options.command
        code = command(options)
        print(end="", flush=True)  # unlike a flush, it bears that stdout may be closed
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        _discard_output()
        return OK
    except UserError as error:
        print(f"sew: {error}", file=sys.stderr)
        return USAGE
    except SearchlightError as error:
        print(f"sew: {error}", file=sys.stderr)
        return FOUND_PROBLEMS
    except OSError as error:
        _discard_output()
        print(f"sew: {_explain_refusal(error)}", file=sys.stderr)
        return FOUND_PROBLEMS
    return code


def _discard_output() -> None:
    """Keep the interpreter's exit from flushing once more what cannot be written."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explain_refusal(error: OSError) -> str:
    place = error.filename or "the output"
    return f"{place}: {error.strerror or error}; see that it may be read and written, and that there is room"


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sew",
        description="Work around search benchmark sessions. A session itself is run with pytest, for "
        "example: pytest catalogs/quickstart",
    )
    parser.add_argument("--version", action="version", version=f"pytest-searchlight {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for group in _GROUPS:
        group.add_commands(commands)
    return parser
