"""`sew validate`, `schema`: catalogs and file formats."""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path

from pytest_searchlight.cli.command import FOUND_PROBLEMS, OK, Commands, open_project
from pytest_searchlight.errors import UserError


def add_commands(commands: Commands) -> None:
    """Add this module's commands to the parser."""
    _add_validate(commands)
    _add_schema(commands)


def _add_validate(commands: Commands) -> None:
    parser = commands.add_parser(
        "validate",
        help="prove catalogs: right answers pass, wrong ones fail",
        description="Read catalogs and prove them: every reference answer passes, every wrong answer fails.",
    )
    parser.add_argument(
        "paths", nargs="*", type=Path, help="catalogs or folders (default: the catalogs folder)"
    )
    parser.set_defaults(command=run_validate)


def _add_schema(commands: Commands) -> None:
    parser = commands.add_parser(
        "schema",
        help="print the JSON Schema of a file format",
        description="Print the JSON Schema of catalog files, of summary.json, of a row of runs.jsonl, of the "
        "other files of a report, of what `sew compare --format json` prints, of gates.json, or of a site's "
        "leaderboard.json. For completion in an editor, save the catalog's and name it in a catalog's first "
        "line: # yaml-language-server: $schema=catalog.schema.json",
    )
    of_reports = ("report", "calibration", "agreement", "transcribed")
    formats = ("catalog", "summary", "run", *of_reports, "comparison", "gates", "leaderboard")
    parser.add_argument("format", nargs="?", choices=formats, default="catalog")
    parser.set_defaults(command=run_schema)


def run_validate(options: argparse.Namespace) -> int:
    """Prove catalogs and print what is wrong with them."""
    from pytest_searchlight.catalog import find_catalogs, read_catalog
    from pytest_searchlight.proofs import list_unknown_defaults, prove_catalog

    session = open_project({})
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


def run_schema(options: argparse.Namespace) -> int:
    """Print the JSON Schema of a file format."""
    from pytest_searchlight.agreements import SecondOpinions
    from pytest_searchlight.calibration import Calibration
    from pytest_searchlight.catalog import export_catalog_schema
    from pytest_searchlight.comparison.gating import GateReport
    from pytest_searchlight.comparison.records import SessionComparison
    from pytest_searchlight.domain import Record, RunRecord
    from pytest_searchlight.report_folder import Manifest, Transcription
    from pytest_searchlight.summary_schema import Summary
    from pytest_searchlight.validators import export_params_schemas
    from pytest_searchlight.website.leaderboard import Leaderboard

    if options.format == "catalog":
        schema = export_catalog_schema(export_params_schemas(open_project({}).registry))
    else:
        records: dict[str, type[Record]] = {
            "summary": Summary,
            "run": RunRecord,
            "report": Manifest,
            "calibration": Calibration,
            "agreement": SecondOpinions,
            "transcribed": Transcription,
            "comparison": SessionComparison,
            "gates": GateReport,
            "leaderboard": Leaderboard,
        }
        schema = records[options.format].model_json_schema(mode="serialization")
    print(json.dumps(schema, indent=1))
    return OK
