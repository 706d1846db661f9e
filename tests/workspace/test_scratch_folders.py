"""Scratch folders: private, fresh, removable whatever an agent did to them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pytest_searchlight
from pytest_searchlight.workspace import create_scratch_root, find_abandoned_roots, remove_tree


def read_mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_workspace_is_private_fresh_and_gone_afterwards(tmp_path: Path) -> None:
    with create_scratch_root(tmp_path) as root:
        with root.create_workspace() as workspace:
            folders = [root.path, workspace.folder, workspace.work, workspace.home, workspace.private]
            assert [read_mode(folder) for folder in folders] == [0o700] * 5
            assert list(workspace.work.iterdir()) == []
            (workspace.work / "note").touch()
        assert not workspace.folder.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_that_nobody_touched_is_handed_out_again(tmp_path: Path) -> None:
    with create_scratch_root(tmp_path) as root:
        with root.create_workspace() as first:
            pass
        with root.create_workspace() as second:
            (second.home / "login").touch()
        with root.create_workspace() as third:
            assert list(third.home.iterdir()) == []
        assert first.folder == second.folder != third.folder
    assert list(tmp_path.iterdir()) == []


def test_workspaces_of_one_root_are_apart(tmp_path: Path) -> None:
    with create_scratch_root(tmp_path) as root:
        assert root.create_workspace().folder != root.create_workspace().folder
    assert list(tmp_path.iterdir()) == []


def test_private_files_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    with create_scratch_root(tmp_path) as root, root.create_workspace() as workspace:
        path = workspace.write_private("spec.json", b"{}")
        assert (path.read_bytes(), read_mode(path)) == (b"{}", 0o600)


def test_a_private_file_is_never_written_through_what_stands_there_already(tmp_path: Path) -> None:
    with create_scratch_root(tmp_path) as root, root.create_workspace() as workspace:
        (workspace.private / "spec.json").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(FileExistsError):
            workspace.write_private("spec.json", b"secret")
    assert not (tmp_path / "elsewhere").exists()


def test_removal_does_not_follow_symlinks(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("kept")
    (tmp_path / "precious").chmod(0o500)
    with create_scratch_root(tmp_path) as root, root.create_workspace() as workspace:
        (workspace.work / "link").symlink_to(tmp_path / "precious")
        (workspace.home / "link").symlink_to(tmp_path / "precious" / "file")
    assert (tmp_path / "precious" / "file").read_text() == "kept"
    assert read_mode(tmp_path / "precious") == 0o500


def test_removal_does_not_follow_a_symlink_in_the_folders_own_place(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir(mode=0o500)
    with create_scratch_root(tmp_path) as root:
        workspace = root.create_workspace()
        workspace.folder.rename(root.path / "aside")
        workspace.folder.symlink_to(tmp_path / "precious")
        assert workspace.remove() == f"{workspace.folder} could not be removed completely; remove it by hand"
    assert read_mode(tmp_path / "precious") == 0o500
    assert not root.path.exists()


def test_removal_works_on_folders_that_were_locked_up(tmp_path: Path) -> None:
    with create_scratch_root(tmp_path) as root, root.create_workspace() as workspace:
        inner = workspace.work / "a" / "b"
        inner.mkdir(parents=True)
        (inner / "file").write_text("x")
        for folder in (inner, inner.parent, workspace.work):
            folder.chmod(0)
        assert workspace.remove() is None


def test_removal_of_nothing_is_fine(tmp_path: Path) -> None:
    assert remove_tree(tmp_path / "gone") is None


def test_removal_that_is_interrupted_is_finished_before_the_interrupt_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove = os.rmdir
    interrupts = [KeyboardInterrupt()]

    def remove_or_be_interrupted(*place: Any, **options: Any) -> None:  # noqa: ANN401 - as it was called
        if interrupts:
            raise interrupts.pop()
        remove(*place, **options)

    root = create_scratch_root(tmp_path)
    root.create_workspace()
    monkeypatch.setattr(os, "rmdir", remove_or_be_interrupted)
    with pytest.raises(KeyboardInterrupt):
        root.close()
    assert list(tmp_path.iterdir()) == []


def test_removal_says_what_it_could_not_remove(small_disk: Path) -> None:
    problem = remove_tree(small_disk)
    assert problem == f"{small_disk} could not be removed completely; remove it by hand"


def test_the_root_of_a_crashed_session_is_told_from_that_of_a_living_one(tmp_path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path\n"
        "from pytest_searchlight.workspace import create_scratch_root\n"
        "root = create_scratch_root(Path(sys.argv[1])); root.create_workspace(); print(root.path)\n"
        "sys.stdout.flush(); os._exit(9)"
    )
    crashed = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        env={"PYTHONPATH": str(Path(pytest_searchlight.__file__).parents[1])},
        stdout=subprocess.PIPE,
        text=True,
        timeout=20,
        check=False,
    )
    with create_scratch_root(tmp_path):
        (tmp_path / "searchlight-of-something-else").mkdir()
        assert find_abandoned_roots(tmp_path) == [Path(crashed.stdout.strip())]


def test_an_abandoned_root_is_no_symlink_to_somewhere(tmp_path: Path) -> None:
    with create_scratch_root(tmp_path / os.curdir) as root:
        (tmp_path / "searchlight-link").symlink_to(root.path)
        assert find_abandoned_roots(tmp_path) == []
