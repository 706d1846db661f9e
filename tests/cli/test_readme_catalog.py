"""What README shows works as it stands there."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from plugin.small_project import Project

README = Path(__file__).parents[2] / "README.md"


def test_the_catalog_that_readme_shows_is_proven(tmp_path: Path) -> None:
    _, _, shown = README.read_text(encoding="utf-8").partition("\n    catalog: ")
    project = Project(tmp_path)
    project.write("catalogs/libraries/tasks.yaml", dedent("    catalog: " + shown.partition("\n\n")[0]))
    done = project.sew("validate")
    assert done.code == 0, done.err
    assert "tasks.yaml: 1 tasks proven" in done.out
