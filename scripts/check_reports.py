"""Recomputes every number under ``reports/``: the same as ``sew check-reports``."""

import sys

try:
    from pytest_searchlight.cli import main
except ImportError as error:
    sys.exit(f"check_reports: {error}; install the package first: make setup, or pip install --editable .")

if __name__ == "__main__":
    sys.exit(main(["check-reports", *sys.argv[1:]]))
