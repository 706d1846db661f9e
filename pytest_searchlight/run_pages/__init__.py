"""Pages of a session's runs, for the people who want to see what happened: a list, and a page a run.

The same pages are served on this machine while a session runs (`serve_run_pages`) and written as files that
open from a disk (`write_run_pages`). All that stands on them is read from evidence; none of it is believed.
"""

from __future__ import annotations

from pytest_searchlight.run_pages.pages import RunPages
from pytest_searchlight.run_pages.server import PageServer, open_server
from pytest_searchlight.run_pages.writing import write_run_pages

__all__ = ["PageServer", "RunPages", "open_server", "write_run_pages"]
