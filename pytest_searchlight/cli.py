"""`sew` (also `searchlight`): what is done around benchmark sessions; sessions themselves are pytest's."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from pytest_searchlight import __version__
from pytest_searchlight.errors import SearchlightError, UserError
from pytest_searchlight.session import BenchmarkSession

Command = Callable[[argparse.Namespace], int]

OK: Final = 0
FOUND_PROBLEMS: Final = 1
USAGE: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and give the exit code: 0 well, 1 problems found, 2 a mistake in the call."""
    options = _build_parser().parse_args(arguments)
    command: Command = options.command
    try:
        code = command(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough; the exit must not flush again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (UserError, pytest.UsageError) as error:
        print(f"sew: {error}", file=sys.stderr)
        return USAGE
    except SearchlightError as error:
        print(f"sew: {error}", file=sys.stderr)
        return FOUND_PROBLEMS
    return code


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sew",
        description="Work around search benchmark sessions. A session itself is run with pytest, for "
        "example: pytest catalogs/quickstart",
    )
    parser.add_argument("--version", action="version", version=f"pytest-searchlight {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_doctor(commands)
    _add_init(commands)
    _add_validate(commands)
    _add_summarize(commands)
    _add_habits(commands)
    _add_pin(commands)
    _add_schema(commands)
    _add_judge_audit(commands)
    _add_agree(commands)
    return parser


_Commands = argparse._SubParsersAction  # noqa: SLF001 - argparse has no public name for it


def _add_doctor(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "doctor",
        help="what can run here and what is missing",
        description="Say what can run here and what is missing, a line each with what to do. Exit code 1 "
        "when an agent or setup that was asked for cannot run.",
    )
    parser.add_argument(
        "--agent", metavar="NAMES", help="agents that must be able to run, separated by commas"
    )
    parser.add_argument("--setup", metavar="NAMES", help="search setups that must be able to run")
    parser.add_argument(
        "--probe",
        action="store_true",
        help="also try each: an agent answers one short question, a provider's server lists its tools",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of lines")
    parser.set_defaults(command=run_doctor)


def _add_init(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "init",
        help="write a starter catalog and configuration",
        description="Write a starter catalog, its small closed web and a configuration file into a project. "
        "Files that exist are left alone.",
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="the project (default: here)")
    parser.set_defaults(command=run_init)


def _add_validate(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "validate",
        help="prove catalogs: right answers pass, wrong ones fail",
        description="Read catalogs and prove them: every reference answer passes, every wrong answer fails.",
    )
    parser.add_argument(
        "paths", nargs="*", type=Path, help="catalogs or folders (default: the catalogs folder)"
    )
    parser.set_defaults(command=run_validate)


def _add_summarize(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "summarize",
        help="rebuild summary.json and runs.jsonl of a session",
        description="Rebuild summary.json and runs.jsonl of a session from its evidence alone.",
    )
    parser.add_argument("folder", type=Path, help="the session's folder")
    parser.set_defaults(command=run_summarize)


def _add_habits(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "habits",
        help="how the agents of a session searched",
        description="Say from the evidence of a session how its agents searched, whether they came by the "
        "primary source, and which tool results hold task texts or answers.",
    )
    parser.add_argument("folder", type=Path, help="the session's folder")
    parser.add_argument(
        "catalogs",
        nargs="*",
        type=Path,
        help="catalogs or folders that hold its tasks (default: those of its plan, under the current folder)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")
    parser.set_defaults(command=run_habits)


def _add_pin(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "pin",
        help="accept what a provider's server advertises now",
        description="Install and start a provider's pinned server and write the tools it advertises into the "
        "configuration file that defines the setup. Nothing is called, so nothing is spent.",
    )
    parser.add_argument("setup", help="the search setup, for example exa")
    parser.set_defaults(command=run_pin)


def _add_schema(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "schema",
        help="print the JSON Schema of a file format",
        description="Print the JSON Schema of catalog files, of summary.json or of a row of runs.jsonl. For "
        "completion in an editor, save the catalog's and name it in a catalog's first line: "
        "# yaml-language-server: $schema=catalog.schema.json",
    )
    parser.add_argument("format", nargs="?", choices=("catalog", "summary", "run"), default="catalog")
    parser.set_defaults(command=run_schema)


def _add_judge_audit(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "judge-audit",
        help="what judges are worth, on briefs known to be right or wrong",
        description="Have judges read hand-made briefs that are known to be right or wrong, and record what "
        "they are worth in .searchlight/judge-audit.json. A judge with a model is asked some 60 times, "
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


def _add_agree(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "agree",
        help="hold a second judge against the one that decided a session",
        description="Have a second judge read what the primary judge of a finished session has read, and "
        "write agreement.json into the session's folder: agreement and Cohen's kappa on verdicts and labels, "
        "disputed runs, and whether a judge favours its own agent. Nothing is fetched, and no verdict "
        "changes. Exit code 1 when runs had to be left out.",
    )
    parser.add_argument("folder", type=Path, help="the session's folder")
    parser.add_argument("--judge", metavar="NAME", required=True, help="the second judge")
    parser.add_argument("--json", action="store_true", help="print the JSON instead of lines")
    parser.set_defaults(command=run_agree)


# --- commands --------------------------------------------------------------------------------------------


def run_doctor(options: argparse.Namespace) -> int:
    """Print the doctor's findings."""
    from pytest_searchlight.doctor import examine

    session = _open_project({"searchlight_agent": options.agent, "searchlight_setup": options.setup})
    findings = list(examine(session))
    if options.probe:
        from pytest_searchlight.probing import probe_asked

        findings += probe_asked(session)
        session.close()
    if options.json:
        print(json.dumps([finding.as_json() for finding in findings], indent=1))
    else:
        print("\n".join(finding.describe() for finding in findings))
    return FOUND_PROBLEMS if any(finding.asked and not finding.ok for finding in findings) else OK


def run_init(options: argparse.Namespace) -> int:
    """Write the starter files."""
    from pytest_searchlight.starter import write_starter

    for line in write_starter(options.folder):
        print(line)
    return OK


def run_validate(options: argparse.Namespace) -> int:
    """Prove catalogs and print what is wrong with them."""
    from pytest_searchlight.catalog import find_catalogs, read_catalog
    from pytest_searchlight.proofs import list_unknown_defaults, prove_catalog

    session = _open_project({})
    given = options.paths or [session.settings.catalogs]
    missing = [path for path in given if not path.exists()]
    if missing:
        raise UserError(f"{missing[0]}: no such file or folder; name a catalog, or let `sew init` write one")
    paths = [path for place in given for path in (find_catalogs(place) if place.is_dir() else [place])]
    if not paths:
        raise UserError(
            f"no catalogs under {', '.join(map(str, given))}; `sew init` writes a starter catalog"
        )
    bad = 0
    for path in paths:
        catalog = read_catalog(path)
        proof = prove_catalog(catalog, session.registry, today=datetime.now(UTC).date())
        problems = (*list_unknown_defaults(catalog, session.registry), *proof.problems)
        for line in (*problems, *(f"note: {note}" for note in proof.notes)):
            print(line)
        bad += bool(problems)
        print(f"{path}: {len(catalog.tasks)} tasks {'NOT proven' if problems else 'proven'}")
    return FOUND_PROBLEMS if bad else OK


def run_summarize(options: argparse.Namespace) -> int:
    """Rebuild a session's summary and print its table."""
    from pytest_searchlight.evidence import SessionFolder
    from pytest_searchlight.reporting import describe_exclusions, render_table
    from pytest_searchlight.settings import check_session_folder
    from pytest_searchlight.summary import write_summary

    folder = check_session_folder(options.folder, option="sew summarize")
    summary = write_summary(SessionFolder(folder))
    print("\n".join([*render_table(summary), describe_exclusions(summary.counts) or ""]).rstrip())
    print(f"written: {folder}/summary.json, {folder}/runs.jsonl")
    return OK


def run_habits(options: argparse.Namespace) -> int:
    """Print how the agents of a session searched."""
    from pytest_searchlight.evidence import SessionFolder
    from pytest_searchlight.searching import (
        describe_habits,
        find_planned_catalogs,
        read_tasks,
        study_session,
    )
    from pytest_searchlight.settings import check_session_folder

    session = SessionFolder(check_session_folder(options.folder, option="sew habits"))
    catalogs = options.catalogs or find_planned_catalogs(session, project=Path.cwd())
    habits = study_session(session, tasks=read_tasks(catalogs))
    print(habits.model_dump_json(indent=1) if options.json else "\n".join(describe_habits(habits)))
    return OK


def run_pin(options: argparse.Namespace) -> int:
    """Write the tools that a provider's server advertises into the configuration."""
    from pytest_searchlight.matrix import find_named
    from pytest_searchlight.preparation import read_advertised
    from pytest_searchlight.providers import compare_pin, find_setup_file, write_pin

    session = _open_project({})
    setup = find_named(session.registry.setups, options.setup)
    tools = read_advertised(setup, session)
    drift = compare_pin(setup, tools)
    if drift is None:
        print(f"{setup.name}: its server advertises the pinned tools; nothing to do")
        return OK
    print(drift.explain())
    file = find_setup_file(setup.name, session.settings.config_folders)
    write_pin(setup.name, file, tools=tools)
    print(f"written: {file}")
    return OK


def run_schema(options: argparse.Namespace) -> int:
    """Print the JSON Schema of a file format."""
    from pytest_searchlight.catalog import export_catalog_schema
    from pytest_searchlight.domain import Record, RunRecord
    from pytest_searchlight.summary_schema import Summary
    from pytest_searchlight.validators import export_params_schemas

    if options.format == "catalog":
        schema = export_catalog_schema(export_params_schemas(_open_project({}).registry))
    else:
        record: type[Record] = Summary if options.format == "summary" else RunRecord
        schema = record.model_json_schema(mode="serialization")
    print(json.dumps(schema, indent=1))
    return OK


def run_judge_audit(options: argparse.Namespace) -> int:
    """Audit judges and print what they are worth."""
    from pytest_searchlight.judge_audits import locate_audits, make_audit, measure_audit, render_audit
    from pytest_searchlight.matrix import find_named

    session = _open_project({})
    names = dict.fromkeys(name.strip() for name in options.judge.split(","))
    judges = [find_named(session.registry.judges, name) for name in names]
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
    from pytest_searchlight.evidence import SessionFolder
    from pytest_searchlight.second_opinions import AGREEMENT_FILE, add_second_judge, render_opinions
    from pytest_searchlight.settings import check_session_folder

    folder = check_session_folder(options.folder, option="sew agree")
    opinions = add_second_judge(SessionFolder(folder), judge=options.judge, session=_open_project({}))
    if options.json:
        print(opinions.model_dump_json(indent=1))
    else:
        print("\n".join([*render_opinions(opinions), f"written: {folder / AGREEMENT_FILE}"]))
    return FOUND_PROBLEMS if opinions.changed else OK


def _open_project(options: dict[str, str | None]) -> BenchmarkSession:
    """The session that pytest would open here, with the project's own extensions."""
    from pytest_searchlight.plugin import wake

    # Plain asserts: this very package is imported already, so pytest could not rewrite it any more.
    config = pytest.Config.fromdictargs(options, ["--assert=plain"])
    return wake(config).session
