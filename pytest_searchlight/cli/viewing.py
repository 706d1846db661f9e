"""`sew view`: the runs of a session in a browser."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path

from pytest_searchlight.cli.command import OK, Commands


def add_commands(commands: Commands) -> None:
    """Add this module's commands to the parser."""
    parser = commands.add_parser(
        "view",
        help="look at the runs of a session in a browser",
        description="Show the runs of a session in a browser, also while it is still running: every tool "
        "call with what went over the wire, the answer, each check and each statement with the judge's "
        "reason. The pages are served on this machine only, until Ctrl-C.",
    )
    parser.add_argument("folder", type=Path, help="the session's folder")
    parser.add_argument("--port", type=int, default=0, help="where to listen (default: any free port)")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")
    parser.set_defaults(command=run_view)


def run_view(options: argparse.Namespace) -> int:
    """Serve a session's pages until the user has seen enough."""
    from pytest_searchlight.evidence import SessionFolder
    from pytest_searchlight.run_pages import open_server
    from pytest_searchlight.settings import check_session_folder

    session = SessionFolder(check_session_folder(options.folder))
    with open_server(session, port=options.port) as server:
        print(f"{session.root.name}: {server.url} (Ctrl-C ends it)", flush=True)
        if not options.no_browser:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("\nended")
    return OK
