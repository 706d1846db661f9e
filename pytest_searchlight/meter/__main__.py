"""Entry point when this folder is run by path: ``python -I -S .../meter --spec FILE``."""

import sys

if not __package__:
    # Started by path, the package's parents are unknown. Last on the path, so that they shadow nothing.
    sys.path[0:1] = []
    sys.path.append(__file__.rsplit("/", 3)[0])

from pytest_searchlight.meter.session import main

main(sys.argv[1:])
