"""One pytest session at a time works in a session's folder."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pytest_searchlight.errors import SettingsError
from pytest_searchlight.evidence import SessionFolder


@dataclass(frozen=True)
class HeldFolder:
    """A session's folder in the hands of this process; the system frees it however the process ends.

    The folder itself is locked, so that no file but evidence lies in it. Where a file system has no such
    locks, nothing is held.
    """

    root: Path
    _descriptor: int
    _is_new: bool

    @classmethod
    def take(cls, folder: SessionFolder) -> HeldFolder:
        """Hold `folder`, made where it is missing.

        Raises:
            SettingsError: another session works in it.
            DiskError: it cannot be made.
        """
        is_new = not folder.root.is_dir()
        folder.create_root()
        descriptor = os.open(folder.root, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise SettingsError(
                f"{folder.root}: another session is at work in this folder; wait for its end, or choose "
                "another folder with --searchlight-output"
            ) from None
        except OSError:
            pass
        return cls(folder.root, descriptor, is_new)

    def release(self) -> None:
        """Let others have the folder, and remove it when it was made in vain."""
        if self._is_new:
            with suppress(OSError):  # what holds something stays
                self.root.rmdir()
        os.close(self._descriptor)
