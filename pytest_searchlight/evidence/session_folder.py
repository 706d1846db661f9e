"""The folder of a session: its paths, and the settled runs in it."""

from __future__ import annotations

import contextlib
import glob
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from pytest_searchlight.errors import DiskError

SEAL: Final = "run.json"


@dataclass(frozen=True)
class SessionFolder:
    """The paths of a session; nothing is created until `create`."""

    root: Path

    @cached_property
    def session_file(self) -> Path:
        """Facts of the session: versions, seed, options, catalog hashes."""
        return self.root / "session.json"

    @cached_property
    def plan_file(self) -> Path:
        """The runs that were selected, written at the end of collection."""
        return self.root / "plan.jsonl"

    @cached_property
    def ledger_file(self) -> Path:
        """What workers share while the session runs; not evidence."""
        return self.root / "ledger.sqlite"

    @cached_property
    def runs(self) -> Path:
        """Sealed bundles, a folder a run."""
        return self.root / "runs"

    @cached_property
    def attempts(self) -> Path:
        """Bundles of earlier attempts."""
        return self.root / "attempts"

    def create(self) -> None:
        """Make the folders. Raises DiskError when the disk refuses."""
        self._make_folders(self.runs, self.attempts)

    def create_root(self) -> None:
        """Make the outermost folder alone. Raises DiskError when the disk refuses."""
        self._make_folders(self.root)

    def _make_folders(self, *folders: Path) -> None:
        try:
            for folder in folders:
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DiskError(
                f"{self.root}: cannot create the session folder ({error.strerror}); "
                "choose another with --searchlight-output"
            ) from error

    def list_names(self) -> list[str]:
        """Run ids of the settled runs, sorted, whether or not their bundles are whole."""
        if not self.runs.is_dir():
            return []
        with os.scandir(self.runs) as entries:
            return sorted(entry.name for entry in entries if not entry.name.startswith("."))

    def find_bundles(self) -> Iterator[Path]:
        """Sealed bundles in order of their run ids."""
        for name in self.list_names():
            if (self.runs / name / SEAL).is_file():
                yield self.runs / name

    def find_partial(self, run_id: str) -> Path | None:
        """The unsealed folder that an interrupted attempt at `run_id` left behind."""
        return next(self.runs.glob(f".{glob.escape(run_id)}.*.partial"), None)

    def set_aside_partials(self) -> None:
        """Move what interrupted attempts left to `attempts`, so that their runs can be made again."""
        for folder in sorted(self.runs.glob(".*.partial")):
            folder.rename(self.attempts / f"{folder.name.strip('.')}.{time.time_ns()}")

    def set_aside(self, run_id: str) -> None:
        """Move the bundle of a run that is planned no more to `attempts`; several processes may try."""
        with contextlib.suppress(FileNotFoundError):
            (self.runs / run_id).rename(self.attempts / f"{run_id}.{time.time_ns()}")
