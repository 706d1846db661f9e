"""Recomputes every number under ``reports/``: the same as ``sew check-reports``."""

import os
import sys
from pathlib import Path

OURS = Path(__file__).resolve().parents[1] / ".venv"

try:
    from pytest_searchlight.cli import main
except ImportError as error:
    python = OURS / "bin/python"
    if python.exists() and Path(sys.prefix) != OURS:  # what `make setup` made, whoever's python was called
        os.execv(python, [str(python), *sys.argv])
    sys.exit(f"check_reports: {error}; install the package first: make setup, or pip install --editable .")

if __name__ == "__main__":
    sys.exit(main(["check-reports", *sys.argv[1:]]))
