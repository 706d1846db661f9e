"""Scratch folders: one fresh set for every attempt at a run, under a root private to the session."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

ROOT_PREFIX: Final = "searchlight-"
_LOCK_NAME: Final = ".lock"


@dataclass(frozen=True)
class Workspace:
    """The folders of one attempt, all of mode 0700, in one `folder`; removed when the context is left.

    Their names tell an agent nothing about task, setup or repetition. `recycle` takes back a workspace that
    nobody has put anything into.
    """

    folder: Path
    recycle: Callable[[Workspace], None] | None = None

    @cached_property
    def work(self) -> Path:
        """The agent's working folder, empty at first."""
        return self.folder / "workspace"

    @cached_property
    def home(self) -> Path:
        """The agent's private HOME."""
        return self.folder / "home"

    @cached_property
    def private(self) -> Path:
        """Files for the harness's own programs, which may hold keys."""
        return self.folder / "private"

    def write_private(self, name: str, content: bytes) -> Path:
        """Write a new file of mode 0600 into `private`; FileExistsError when there is one of that name."""
        path = self.private / name
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(content)
        return path

    def remove(self) -> str | None:
        """Remove everything; see `remove_tree`. One that nobody touched is as good as new, and kept."""
        if self.recycle is not None and self._is_untouched():
            self.recycle(self)
            return None
        return remove_tree(self.folder)

    def _is_untouched(self) -> bool:
        try:
            return not any(os.listdir(folder) for folder in (self.work, self.home, self.private))  # noqa: PTH208
        except OSError:
            return False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


class ScratchRoot:
    """A folder of mode 0700 that belongs to this process, and whose lock says so while we live.

    The kernel drops the lock when the process dies, however it dies, so what a crashed session left is
    told from what a living one uses. Closing removes the folder.
    """

    def __init__(self, path: Path, *, lock_fd: int) -> None:
        self.path = path
        self._lock_fd = lock_fd
        self._spare: Workspace | None = None

    def create_workspace(self) -> Workspace:
        """Make a fresh set of folders, or hand out one that was never used."""
        if self._spare is not None:
            spare, self._spare = self._spare, None
            return spare
        workspace = Workspace(self.path / os.urandom(5).hex(), recycle=self._keep_spare)
        for folder in (workspace.folder, workspace.work, workspace.home, workspace.private):
            os.mkdir(folder, 0o700)  # noqa: PTH102 - half the cost of pathlib's, four times a run
        return workspace

    def _keep_spare(self, workspace: Workspace) -> None:
        if self._spare is None:
            self._spare = workspace
        else:
            remove_tree(workspace.folder)

    def close(self) -> str | None:
        """Remove the folder and all workspaces in it; see `remove_tree`."""
        problem = remove_tree(self.path)
        os.close(self._lock_fd)
        return problem

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def create_scratch_root(parent: Path) -> ScratchRoot:
    """Make this process's root under `parent`, an existing folder. Raises OSError when that cannot be."""
    root = parent / f"{ROOT_PREFIX}{os.urandom(6).hex()}"
    root.mkdir(mode=0o700)
    unlocked = root / f"{_LOCK_NAME}.new"
    lock_fd = os.open(unlocked, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    fcntl.flock(lock_fd, fcntl.LOCK_EX)
    # Renamed only once locked: a lock file that can be locked by others is always a dead session's.
    unlocked.rename(root / _LOCK_NAME)
    return ScratchRoot(root, lock_fd=lock_fd)


def find_abandoned_roots(parent: Path) -> list[Path]:
    """Roots under `parent` whose sessions died without removing them; only our own user's."""
    return [path for path in sorted(parent.glob(f"{ROOT_PREFIX}*")) if _is_abandoned(path)]


def remove_tree(folder: Path) -> str | None:
    """Remove a folder without following symlinks out of it; never raises for what is in there.

    Returns:
        None, or a sentence on what could not be removed: a finished run must not fail over its litter.
    """
    try:
        return _remove_tree(folder)
    except BaseException:  # Ctrl-C: a root without its lock is nobody's, so no later session would remove it
        _remove_tree(folder)
        raise


def _remove_tree(folder: Path) -> str | None:
    shutil.rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        return None
    _open_up(folder)
    shutil.rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        return None
    return f"{folder} could not be removed completely; remove it by hand"


def _is_abandoned(root: Path) -> bool:
    try:
        if root.is_symlink() or root.stat().st_uid != os.getuid():
            return False
        lock_fd = os.open(root / _LOCK_NAME, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    with os.fdopen(lock_fd, "rb") as lock:
        return _try_lock(lock.fileno())


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _open_up(folder: Path) -> None:
    """Give ourselves back the right to remove what an agent made read-only or unreadable."""
    for path in _walk_folders(folder):
        with contextlib.suppress(OSError):
            os.chmod(path, stat.S_IRWXU)  # noqa: PTH101 - `path` is a string, and never a symlink


def _walk_folders(folder: Path) -> Iterator[str]:
    """`folder` and its real subfolders; each is given out before it is read, so it can be opened up."""
    to_visit = [] if folder.is_symlink() else [os.fspath(folder)]
    while to_visit:
        path = to_visit.pop()
        yield path
        with contextlib.suppress(OSError), os.scandir(path) as entries:
            to_visit += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
