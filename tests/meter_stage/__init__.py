"""What tests of the metering proxy stand on: a client on raw pipes and servers of every temper."""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
