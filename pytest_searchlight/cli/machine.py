"""`sew doctor`, `init`, `pin`: what this machine and project need before a session."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pytest_searchlight.cli.command import FOUND_PROBLEMS, OK, Commands, open_project


def add_commands(commands: Commands) -> None:
    """Add this module's commands to the parser."""
    _add_doctor(commands)
    _add_init(commands)
    _add_pin(commands)


def _add_doctor(commands: Commands) -> None:
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


def _add_init(commands: Commands) -> None:
    parser = commands.add_parser(
        "init",
        help="write a starter catalog and configuration",
        description="Write a starter catalog, its small closed web and a configuration file into a project. "
        "Files that exist are left alone.",
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="the project (default: here)")
    parser.set_defaults(command=run_init)


def _add_pin(commands: Commands) -> None:
    parser = commands.add_parser(
        "pin",
        help="accept what a provider's server advertises now",
        description="Install and start a provider's pinned server and write the tools it advertises into the "
        "configuration file that defines the setup. Nothing is called, so nothing is spent.",
    )
    parser.add_argument("setup", help="the search setup, for example exa")
    parser.set_defaults(command=run_pin)


def run_doctor(options: argparse.Namespace) -> int:
    """Print the doctor's findings."""
    from pytest_searchlight.doctor.examination import examine

    session = open_project({"searchlight_agent": options.agent, "searchlight_setup": options.setup})
    findings = list(examine(session))
    if options.probe:
        from pytest_searchlight.doctor.probing import probe_asked

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


def run_pin(options: argparse.Namespace) -> int:
    """Write the tools that a provider's server advertises into the configuration."""
    from pytest_searchlight.providers import compare_pin, find_setup_file, write_pin
    from pytest_searchlight.session.preparation import read_advertised

    session = open_project({})
    setup = session.registry.setups.get(options.setup)
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
