"""Reports that tests publish, change and have examined; ``sew`` is called in the test's own process."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Final, NamedTuple

from plugin.small_project import Project

from pytest_searchlight.cli import main
from pytest_searchlight.report_folder import hash_data, mark_lines

NAME: Final = "battery"
TASKS: Final = tuple(f"thing-{number}" for number in range(6))


class Said(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Reports:
    """A folder of reports beside a project with a finished session."""

    project: Project
    folder: Path

    def sew(self, *arguments: str) -> Said:
        """Call ``sew`` in the project."""
        out, err = StringIO(), StringIO()
        with (
            contextlib.chdir(self.project.root),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = main([*arguments, "--reports", str(self.folder)])
        return Said(code, out.getvalue(), err.getvalue())

    def publish(self, *arguments: str, name: str = NAME, source: str | Path = "session") -> Said:
        """Call ``sew report``."""
        return self.sew("report", str(source), "--name", name, *arguments)

    def check(self, *arguments: str) -> Said:
        """Call ``sew check-reports``."""
        return self.sew("check-reports", *arguments)

    def find(self, name: str = NAME) -> Path:
        """The folder of a published report."""
        (folder,) = self.folder.glob(f"????-??-??-{name}")
        return folder

    def copy(self, folder: Path) -> Path:
        """Take over a report that was published elsewhere."""
        return Path(shutil.copytree(folder, self.folder / folder.name))


def change_json(file: Path, change: Callable[[Any], object]) -> None:
    """Change the content of a JSON file of a report, and its hash in the manifest, as a forger would."""
    content = json.loads(file.read_bytes())
    change(content)
    file.write_text(json.dumps(content), encoding="utf-8")
    rehash(file)


def change_row(file: Path, number: int, **facts: object) -> None:
    """Change a row (from 1) of a report, and the hashes of the file and its lines."""
    lines = file.read_text(encoding="utf-8").splitlines()
    lines[number - 1] = json.dumps({**json.loads(lines[number - 1]), **facts})
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rehash(file)


def rehash(file: Path) -> None:
    """Have the manifest beside `file` hold its present hashes."""
    manifest = file.with_name("report.json")
    if file != manifest:
        content = json.loads(manifest.read_bytes())
        content["files"][file.name] = hash_data(file.read_bytes())
        if file.name in content["lines"]:
            content["lines"][file.name] = mark_lines(file.read_bytes())
        manifest.write_text(json.dumps(content), encoding="utf-8")
