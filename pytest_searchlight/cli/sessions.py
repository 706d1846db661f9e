"""`sew summarize`, `habits`: what a finished session tells."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pytest_searchlight.cli.command import OK, Commands


def add_commands(commands: Commands) -> None:
    """Add this module's commands to the parser."""
    _add_summarize(commands)
    _add_habits(commands)


def _add_summarize(commands: Commands) -> None:
    parser = commands.add_parser(
        "summarize",
        help="rebuild summary.json and runs.jsonl of a session",
        description="Rebuild summary.json and runs.jsonl of a session from its evidence alone. A run whose "
        "run.json cannot be read is named, and not measured. The other files of its bundle are compared with "
        "their hashes by --searchlight-resume and --searchlight-regrade, not here.",
    )
    parser.add_argument("folder", type=Path, help="the session's folder")
    parser.set_defaults(command=run_summarize)


def _add_habits(commands: Commands) -> None:
    parser = commands.add_parser(
        "habits",
        help="how the agents of a session searched",
        description="Say from the evidence of a session how its agents searched, whether they came by the "
        "primary source, and which tool results hold task texts or answers.",
    )
    parser.add_argument("folder", type=Path, help="the session's folder")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")
    parser.set_defaults(command=run_habits)


def run_summarize(options: argparse.Namespace) -> int:
    """Rebuild a session's summary and print its table."""
    from pytest_searchlight.evidence import SessionFolder
    from pytest_searchlight.reporting.results import describe_exclusions, render_table
    from pytest_searchlight.settings import check_session_folder
    from pytest_searchlight.summary import write_summary

    folder = check_session_folder(options.folder)
    summary = write_summary(SessionFolder(folder), warn=_warn)
    print("\n".join([*render_table(summary), describe_exclusions(summary.counts) or ""]).rstrip())
    print(f"written: {folder}/summary.json, {folder}/runs.jsonl")
    return OK


def _warn(text: str) -> None:
    print(f"sew: warning: {text}", file=sys.stderr)


def run_habits(options: argparse.Namespace) -> int:
    """Print how the agents of a session searched."""
    from pytest_searchlight.evidence import SessionFolder
    from pytest_searchlight.habit_lines import describe_habits, read_habits
    from pytest_searchlight.settings import check_session_folder

    session = SessionFolder(check_session_folder(options.folder))
    habits = read_habits(session)
    print(habits.model_dump_json(indent=1) if options.json else "\n".join(describe_habits(habits)))
    return OK
