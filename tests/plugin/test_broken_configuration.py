"""A configuration file that breaks a rule is told before a run is paid for, by pytest and by the doctor."""

from __future__ import annotations

import pytest
from plugin.small_project import Project

BROKEN = {
    "limits.yaml": ("exa: {calls_per_s: lots}\n", "limits.yaml:1: exa.calls_per_s: 'lots': "),
    "prices.yaml": ("talk-1: cheap\n", "prices.yaml:1: talk-1: 'cheap': should be a list; write it as ["),
    "provider-arm-tools.yaml": (
        "shelf:\n  kind: provider\n  server: {command: python -m shelf}\n  tools: [search]\n",
        "provider-arm-tools.yaml:3: shelf.server.version: is missing; add it\n",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_it_is_refused_with_its_place_and_what_to_do(project: Project, name: str) -> None:
    content, message = BROKEN[name]
    project.write_catalog(["sky"])
    project.write(f"config/{name}", content)
    done = project.run("catalogs")
    assert done.code == 4, done.out
    assert message in done.err
    assert project.list_sessions() == []


def test_the_doctor_refuses_it_too(project: Project) -> None:
    project.write("config/limits.yaml", BROKEN["limits.yaml"][0])
    done = project.sew("doctor")
    assert done.code == 2
    assert BROKEN["limits.yaml"][1] in done.err
