"""Renders ``reports/`` into ``site/``: the same as ``sew build-site``."""

import sys

try:
    from pytest_searchlight.cli import main
except ImportError as error:
    sys.exit(f"build_site: {error}; install the package first: make setup, or pip install --editable .")

if __name__ == "__main__":
    sys.exit(main(["build-site", *sys.argv[1:]]))
