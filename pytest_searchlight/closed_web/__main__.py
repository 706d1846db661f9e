"""``python -m pytest_searchlight.closed_web --web FOLDER``: serve a closed web to an MCP client."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
from pathlib import Path

from pytest_searchlight.closed_web.index import open_index
from pytest_searchlight.closed_web.pages import ClosedWeb
from pytest_searchlight.errors import UserError


def main() -> None:
    """Serve until the client closes standard input."""
    options = _read_arguments()
    try:
        web, index = ClosedWeb(options.web), open_index(options.web, cache_folder=options.cache)
    except (UserError, OSError) as error:
        print(f"closed-web: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    # The SDK builds thousands of schema objects that all live on; collecting between them is wasted.
    gc.disable()
    from pytest_searchlight.closed_web.server import compose_server

    gc.enable()
    gc.freeze()
    compose_server(web, index).run("stdio")


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="closed-web", description="Serve a folder of pages as a closed web."
    )
    parser.add_argument("--web", type=Path, required=True, help="folder of <host>/<path> files and site.yaml")
    parser.add_argument("--cache", type=Path, default=_default_cache(), help="folder for the search index")
    options = parser.parse_args()
    if not options.web.is_dir():
        parser.error(f"--web {options.web}: there is no such folder; give the web/ folder of a catalog")
    if options.cache.exists() and options.cache.stat().st_uid != os.getuid():
        parser.error(f"--cache {options.cache}: the folder belongs to someone else; name one of your own")
    return options


def _default_cache() -> Path:
    return Path(tempfile.gettempdir()) / f"searchlight-closed-web-{os.getuid()}"


if __name__ == "__main__":
    main()
