"""`sew judge-audit`, `agree`: what judges are worth."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from pytest_searchlight.cli.command import FOUND_PROBLEMS, OK, Commands, open_project


def add_commands(commands: Commands) -> None:
    """Add this module's commands to the parser."""
    _add_judge_audit(commands)
    _add_agree(commands)


def _add_judge_audit(commands: Commands) -> None:
    parser = commands.add_parser(
        "judge-audit",
        help="what judges are worth, on briefs known to be right or wrong",
        description="Have judges read hand-made briefs that are known to be right or wrong, and record what "
        "they are worth in .searchlight/judge-audit.json. A judge with a model is asked some 70 times, "
        "which costs. Exit code 1 when a judge is unavailable or does not pass.",
    )
    parser.add_argument(
        "--judge",
        metavar="NAMES",
        default="lexical",
        help="judges, separated by commas (default: lexical, which needs no model)",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of lines")
    parser.set_defaults(command=run_judge_audit)


def _add_agree(commands: Commands) -> None:
    parser = commands.add_parser(
        "agree",
        help="hold a second judge against the one that decided a session",
        description="Have a second judge read what the primary judge of a finished session has read, and "
        "add to agreement.json in the session's folder: agreement and Cohen's kappa on verdicts and labels, "
        "disputed runs, and whether a judge favours its own agent. Nothing is fetched, and no verdict "
        "changes. Exit code 1 when runs had to be left out.",
    )
    parser.add_argument("folder", type=Path, help="the session's folder")
    parser.add_argument("--judge", metavar="NAME", required=True, help="the second judge")
    parser.add_argument("--json", action="store_true", help="print the JSON instead of lines")
    parser.set_defaults(command=run_agree)


def run_judge_audit(options: argparse.Namespace) -> int:
    """Audit judges and print what they are worth."""
    from pytest_searchlight.judge_audits import locate_audits, make_audit, measure_audit, render_audit

    session = open_project({})
    names = dict.fromkeys(name.strip() for name in options.judge.split(","))
    judges = [session.registry.judges.get(name) for name in names]
    path = locate_audits(session.settings.root)
    audits = []
    for judge in judges:
        if (reason := judge.explain_unavailable()) is not None:
            print(f"sew: judge {judge.name!r} is unavailable: {reason}", file=sys.stderr)
            continue
        audits.append(measure_audit(make_audit(judge, path=path)))
        if not options.json:
            print("\n".join([*render_audit(audits[-1]), f"written: {path}"]))
    if options.json:
        print(json.dumps([figures.model_dump(mode="json") for figures in audits], indent=1))
    return OK if len(audits) == len(judges) and all(figures.passed for figures in audits) else FOUND_PROBLEMS


def run_agree(options: argparse.Namespace) -> int:
    """Add a second judge to a session and print how far it agrees."""
    from pytest_searchlight.agreements import AGREEMENT_FILE
    from pytest_searchlight.evidence import SessionFolder
    from pytest_searchlight.second_opinions import add_second_judge, render_opinion
    from pytest_searchlight.settings import check_session_folder

    folder = check_session_folder(options.folder)
    opinion = add_second_judge(SessionFolder(folder), judge=options.judge, session=open_project({}))
    if options.json:
        print(opinion.model_dump_json(indent=1))
    else:
        print("\n".join([*render_opinion(opinion), f"written: {folder / AGREEMENT_FILE}"]))
    return FOUND_PROBLEMS if opinion.changed else OK
