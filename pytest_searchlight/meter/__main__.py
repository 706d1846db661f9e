"""Entry point by path: ``python -I -S .../meter/__main__.py --spec FILE``."""

import sys

if not __package__:
    # Started by path: only this folder is importable yet. The package's parent goes last, to shadow nothing.
    del sys.path[0]
    sys.path.append(__file__.rsplit("/", 3)[0])

from pytest_searchlight.meter.launch import main

main(sys.argv[1:])
