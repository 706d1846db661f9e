"""`sew export`: the runs of a session in the formats of other tools."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from pytest_searchlight.cli.command import OK, Commands


def add_commands(commands: Commands) -> None:
    """Add this module's commands to the parser."""
    parser = commands.add_parser(
        "export",
        help="write a session's runs as CSV, Parquet, junit or Inspect logs",
        description="Write the runs of a session as CSV or Parquet (a row a run), as one junit file, or as "
        "logs that open in Inspect View. All but Inspect logs can also be made of a report. Inspect logs "
        "hold prompts, tool results and answers, pages that others wrote among them: they are for your own "
        "eyes, not for publishing.",
    )
    parser.add_argument("folder", type=Path, help="the session's or the report's folder")
    parser.add_argument("--format", required=True, choices=("csv", "parquet", "inspect", "junit"))
    parser.add_argument(
        "--output",
        type=Path,
        help="file to write, or folder for Inspect logs (default: the exports folder in the session's)",
    )
    parser.add_argument(
        "--columns", action=_ShowColumns, help="say what the columns of CSV and Parquet mean, and exit"
    )
    parser.set_defaults(command=run_export)


class _ShowColumns(argparse.Action):
    """Prints the columns instead of exporting, as ``--version`` prints the version."""

    def __init__(self, *, option_strings: Sequence[str], dest: str, help: str) -> None:  # noqa: A002 - argparse's
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print a line for each column."""
        from pytest_searchlight.exports.columns import describe_columns

        print("\n".join(describe_columns()))
        parser.exit()


def run_export(options: argparse.Namespace) -> int:
    """Write the export and say where it is."""
    from pytest_searchlight.exports import FORMATS, choose_place, open_source, write_export

    source = open_source(options.folder)
    place = choose_place(source, format_name=options.format, output=options.output)
    written = write_export(source, format_name=options.format, place=place)
    files = f" ({len(written)} logs)" if written != [place] else ""
    print(f"written: {place}{files}, from {len(source.records)} rows")
    if FORMATS[options.format].needs_evidence:
        print("these logs hold prompts, tool results and answers: for your own eyes, not for publishing")
        print(f"open them with: inspect view --log-dir {place}")
    return OK
