"""`sew compare`: two sessions side by side."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_searchlight.cli.command import OK, Commands
from pytest_searchlight.errors import UserError

if TYPE_CHECKING:
    from pytest_searchlight.comparison.records import SessionComparison


def add_commands(commands: Commands) -> None:
    """Add this module's commands to the parser."""
    parser = commands.add_parser(
        "compare",
        help="what changed from one session to another",
        description="Say what changed from one session to another, how sure that is, and what sessions of "
        "this size could have shown. Each is a session folder, a report folder, a summary.json or a "
        "runs.jsonl. Where both have rows, runs of the same task and repetition are held against each "
        "other; where one is a summary alone, tasks are.",
    )
    parser.add_argument("before", type=Path, help="the session that is held up as the standard")
    parser.add_argument("after", type=Path, help="the session that is held against it")
    parser.add_argument(
        "--setup", metavar="NAMES", default="", help="search setups, separated by commas (default: all)"
    )
    parser.add_argument(
        "--format",
        choices=("text", "markdown", "json"),
        default="text",
        help="markdown is for a pull request: its first line lets a bot find and replace the comment",
    )
    parser.add_argument("--output", metavar="FILE", type=Path, help="write there instead of printing")
    parser.set_defaults(command=run_compare)


def run_compare(options: argparse.Namespace) -> int:
    """Compare two sessions and print or write what changed."""
    from pytest_searchlight.comparison.comparing import compare_sessions
    from pytest_searchlight.comparison.sources import read_measured

    setups = [name.strip() for name in options.setup.split(",") if name.strip()]
    before, after = (read_measured(path) for path in (options.before, options.after))
    text = _render(compare_sessions(before, after, setups=setups), options.format)
    if options.output is None:
        print(text, end="")
    else:
        _write(options.output, text)
    return OK


def _render(comparison: SessionComparison, form: str) -> str:
    from pytest_searchlight.comparison.markdown import render_markdown
    from pytest_searchlight.comparison.text import render_text

    if form == "json":
        return comparison.model_dump_json(indent=1) + "\n"
    return render_markdown(comparison) if form == "markdown" else "\n".join(render_text(comparison)) + "\n"


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"--output: {file} cannot be written ({error.strerror}); name another file") from None
    print(f"written: {file}")
