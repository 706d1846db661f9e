"""`sew report`, `render-reports`, `check-reports`: sessions that are shown to others."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_searchlight.cli.command import FOUND_PROBLEMS, OK, Commands

if TYPE_CHECKING:
    from pytest_searchlight.publishing import ExaminedReport, PrivacyScan, Publication

_REPORTS = Path("reports")


def add_commands(commands: Commands) -> None:
    """Add this module's commands to the parser."""
    _add_report(commands)
    _add_render_reports(commands)
    _add_check_reports(commands)


def _add_report(commands: Commands) -> None:
    parser = commands.add_parser(
        "report",
        help="publish a finished session as a report folder",
        description="Write reports/<date>-<name>/ from a finished session: its numbers, a row a run, "
        "calibration, second judges, and the texts that are rendered from them. Transcripts, "
        "answers, results, captured pages and paths stay behind; a report that would hold a "
        "secret or a private path is refused.",
    )
    parser.add_argument(
        "source",
        type=Path,
        metavar="DIR",
        help="the session's folder, or a transcribed.json of figures published elsewhere",
    )
    parser.add_argument("--name", required=True, help="the report's name, a slug; the day is put before it")
    parser.add_argument("--title", help="a line for people (default: made of the name)")
    parser.add_argument(
        "--note", type=Path, metavar="FILE", help="what stands first, as plain text: limits, interests"
    )
    parser.add_argument(
        "--corrects", metavar="REPORT", help="folder name of the earlier report that this one corrects"
    )
    _add_reports_option(parser)
    parser.set_defaults(command=run_report)


def _add_render_reports(commands: Commands) -> None:
    parser = commands.add_parser(
        "render-reports",
        help="write the texts of all reports anew",
        description="Write REPORT.md, methodology.md and reproduce.md of all reports again from their "
        "records, after a change of the renderer. No number changes.",
    )
    _add_reports_option(parser)
    parser.set_defaults(command=run_render_reports)


def _add_check_reports(commands: Commands) -> None:
    parser = commands.add_parser(
        "check-reports",
        help="recompute every published number",
        description="Hold every report against its rows: each number is recomputed, each text rendered again,"
        " and hashes, calibration, second judges, links and privacy are checked. Exit code 1 when"
        " something does not hold.",
    )
    _add_reports_option(parser)
    parser.add_argument(
        "--catalogs",
        type=Path,
        default=Path("catalogs"),
        help="catalogs that hashes are held against (default: catalogs)",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of lines")
    parser.set_defaults(command=run_check_reports)


def _add_reports_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--reports", type=Path, default=_REPORTS, help="folder of the reports (default: reports)"
    )


def run_report(options: argparse.Namespace) -> int:
    """Publish a session, or figures that somebody else published, and print where."""
    from pytest_searchlight.publishing import Heading, write_report

    heading = Heading(
        name=options.name,
        title=options.title,
        note=_read_note(options.note),
        corrects=options.corrects and Path(options.corrects).name,
    )
    folder = write_report(
        _prepare(options.source),
        heading=heading,
        reports=options.reports,
        scan=_prepare_scan(),
    )
    print(f"written: {folder}/; look at {folder}/REPORT.md before you show it to anyone")
    return OK


def _prepare(source: Path) -> Publication:
    from pytest_searchlight.calibration import Calibration, read_calibration
    from pytest_searchlight.publishing import prepare_session, prepare_transcription
    from pytest_searchlight.settings import Settings, check_session_folder

    if source.is_file():
        return prepare_transcription(source)
    calibration_file = Settings(root=Path.cwd()).calibration_file
    known = read_calibration(calibration_file) if calibration_file.is_file() else Calibration()
    return prepare_session(check_session_folder(source), calibration=known)


def _prepare_scan() -> PrivacyScan:
    from pytest_searchlight.publishing import prepare_scan
    from pytest_searchlight.settings import read_env_file, read_process_environment, select_secrets

    return prepare_scan(select_secrets({**read_env_file(Path(".env")), **read_process_environment()}))


def _read_note(file: Path | None) -> str:
    from pytest_searchlight.errors import ReportError

    try:
        return "" if file is None else file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ReportError(f"--note: {file} cannot be read ({error}); name a text file in UTF-8") from error


def run_render_reports(options: argparse.Namespace) -> int:
    """Render the texts of all reports again and print which changed."""
    from pytest_searchlight.publishing import refresh_report
    from pytest_searchlight.report_folder import find_reports

    changed = [folder for folder in find_reports(options.reports) if refresh_report(folder)]
    print("\n".join(f"written: {folder}/" for folder in changed) or "all texts are as they are rendered")
    return OK


def run_check_reports(options: argparse.Namespace) -> int:
    """Check all reports and print what does not hold."""
    # Before numpy is imported: a process a core is all the parallelism that small matrices profit from.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from pytest_searchlight.publishing import check_reports

    examined = check_reports(options.reports, catalogs=options.catalogs, scan=_prepare_scan())
    if options.json:
        print(
            json.dumps([report.model_dump(mode="json") for report in examined], indent=1, ensure_ascii=False)
        )
    else:
        print("\n".join(line for report in examined for line in _describe(report)) or "no reports")
    return FOUND_PROBLEMS if any(report.problems for report in examined) else OK


def _describe(report: ExaminedReport) -> list[str]:
    counted = f", {report.rows} rows" if report.kind == "measured" else ""
    verdict = f"{len(report.problems)} PROBLEMS" if report.problems else "holds"
    return [
        *(f"{report.name}/{problem}" for problem in report.problems),
        *(f"{report.name}: note: {note}" for note in report.notes),
        f"{report.name}: {report.kind or 'unreadable'}{counted}: {verdict}",
    ]
