"""Runs the meter with a spool that takes no more than a pipe holds: a disk that hangs.

Usage: ``hanging_disk.py FIFO --spec FILE``. Whoever reads the FIFO later gets the spool.
"""

import os
import sys

sys.path.append(__file__.rsplit("/", 3)[0])

from pytest_searchlight.meter import launch
from pytest_searchlight.meter.spool import SessionFiles

FIFO = sys.argv[1]


class HangingFiles(SessionFiles):
    """The session's files, of which the spool is a pipe."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.descriptor = os.open(FIFO, os.O_RDWR)


vars(launch)["SessionFiles"] = HangingFiles
launch.main(sys.argv[2:])
