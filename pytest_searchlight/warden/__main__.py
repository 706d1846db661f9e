"""Entry point by path: ``python -I -S .../warden/__main__.py CONTROL_FD``."""

import sys

if not __package__:
    # Started by path: only this folder is importable yet. The package's parent goes last, to shadow nothing.
    del sys.path[0]
    sys.path.append(__file__.rsplit("/", 3)[0])

from pytest_searchlight.warden.program import main

main()
