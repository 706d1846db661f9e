"""`sew build-site`: reports as pages."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_searchlight.cli.command import FOUND_PROBLEMS, OK, Commands
from pytest_searchlight.errors import UserError


def add_commands(commands: Commands) -> None:
    """Add this module's commands to the parser."""
    parser = commands.add_parser(
        "build-site",
        help="render reports as a static site",
        description="Render the report folders as a static site: overview, results, methodology, "
        "leaderboard.json. Pages need no server and no network. Exit code 1 when --check finds something "
        "stale.",
    )
    parser.add_argument(
        "--reports",
        type=Path,
        default=Path("reports"),
        help="the folder of report folders (default: reports)",
    )
    parser.add_argument("--out", type=Path, default=Path("site"), help="where the site is (default: site)")
    parser.add_argument(
        "--catalogs",
        type=Path,
        default=Path("catalogs"),
        help="the catalogs that the methodology tells of (default: catalogs, else the shipped ones)",
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; list what is stale, missing or extra"
    )
    parser.add_argument(
        "--runs",
        type=Path,
        metavar="SESSION",
        help="write the run pages of this session into --out instead, as `sew view` shows them",
    )
    parser.set_defaults(command=run_build_site)


def run_build_site(options: argparse.Namespace) -> int:
    """Build the site and write it, or hold it against the one that is there."""
    if options.runs is not None:
        return _write_runs(options)
    from pytest_searchlight.settings import find_config_folders, find_shipped
    from pytest_searchlight.website.building import build_site
    from pytest_searchlight.website.house import read_house
    from pytest_searchlight.website.upkeep import explain_skipped, find_stale, write_site

    catalogs = options.catalogs if options.catalogs.is_dir() else find_shipped("catalogs")
    house = read_house(find_config_folders(Path("config")), catalogs=catalogs)
    site = build_site(options.reports, house=house)
    if not options.check:
        write_site(site, options.out)
        print(f"written: {options.out / 'index.html'} and {len(site) - 1} other files")
        return OK
    if skipped := explain_skipped(site, options.out):
        print(f"note: {skipped}")
    stale = find_stale(site, options.out)
    print("\n".join(stale) or f"{options.out}: up to date ({len(site)} files)")
    return FOUND_PROBLEMS if stale else OK


def _write_runs(options: argparse.Namespace) -> int:
    from pytest_searchlight.evidence import SessionFolder
    from pytest_searchlight.run_pages import write_run_pages
    from pytest_searchlight.settings import check_session_folder

    if options.check:
        raise UserError("--check holds the site of reports against them; run pages are only written")
    session = SessionFolder(check_session_folder(options.runs, option="--runs"))
    count = write_run_pages(session, options.out)
    print(f"written: {options.out / 'index.html'} and {count - 1} other pages")
    return OK
