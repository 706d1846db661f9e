"""Runs a command with real agents against a scripted model that knows a catalog.

``python -m scripted_model CATALOG -- COMMAND ...`` with ``tests`` on PYTHONPATH. The command finds the model
through the variables by which both products can be told another address of their vendor's API, and finds the
pinned products first on its PATH.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from pytest_searchlight.catalog import read_catalog
from scripted_model.catalog_player import play_catalog
from scripted_model.server import serve_model

_PROGRAMS: Final = Path(__file__).resolve().parents[1] / "npm-agents" / "node_modules" / ".bin"


def main() -> int:
    """Start the model, run the command, and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="scripted_model", description="Run a command against a scripted model."
    )
    parser.add_argument("catalog", type=Path, help="catalog whose tasks the model knows")
    parser.add_argument("command", nargs="+", help="command to run, after --")
    options = parser.parse_args()
    with serve_model() as model:
        base_url = model.add_scene("demo", play_catalog(read_catalog(options.catalog).tasks))
        environment = {
            **os.environ,
            "PATH": f"{_PROGRAMS}{os.pathsep}{os.environ['PATH']}",
            "ANTHROPIC_BASE_URL": base_url,
            "ANTHROPIC_API_KEY": "scripted",
            "OPENAI_BASE_URL": f"{base_url}/v1",
            "OPENAI_API_KEY": "scripted",
        }
        return subprocess.run(options.command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
