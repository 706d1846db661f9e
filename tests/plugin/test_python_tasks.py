"""Tasks that a user writes as Python tests in a project of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from plugin.small_project import AGENTS_CONFTEST, Finished, Project

if TYPE_CHECKING:
    from collections.abc import Sequence

TESTS = '''
import pytest

COLOUR = {"type": "object", "required": ["colour"], "properties": {"colour": {"type": "string"}}}

BLUE = {"colour": "blue"}


@pytest.mark.searchlight(deliverable=COLOUR, reference_answer=BLUE, setups=["no-search"], repetitions=2)
def test_sky(agent_run):
    """Which colour has the sky?"""
    assert agent_run.answer["colour"] == "blue"
    assert agent_run.tool_calls == ()


@pytest.mark.searchlight(prompt="Which colour has the sea?", deliverable=COLOUR, agents=["right"],
                         setups=["floor", "no-search"], reference_answer=BLUE)
@pytest.mark.parametrize("word", ["blue"])
def test_sea(agent_run, word, tmp_path):
    assert agent_run.answer["colour"] == word
    assert agent_run.record.setup in ("floor", "no-search")


def test_unit():
    pass
'''


@pytest.fixture(scope="module", params=[(), ("-n2",)], ids=["bare", "n2"])
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return run_tests(Project(tmp_path_factory.mktemp("python")), TESTS, *request.param)


def run_tests(project: Project, text: str, *args: str) -> Finished:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write("test_colours.py", text)
    return project.run(
        "test_colours.py", "--searchlight-agent=right,wrong", "--searchlight-setup=floor", *args
    )


def list_results(done: Finished, task: str) -> Sequence[tuple[str, int, bool]]:
    rows = [row for row in done.rows if row["task"] == task]
    return sorted((row["agent"], row["repetition"], row["passed"]) for row in rows)


def test_each_agent_setup_and_repetition_is_an_item(session: Finished) -> None:
    assert list_results(session, "test_sky") == [
        ("right", 1, True),
        ("right", 2, True),
        ("wrong", 1, False),
        ("wrong", 2, False),
    ]


def test_a_tests_own_parameters_and_fixtures_stand_beside_ours(session: Finished) -> None:
    assert list_results(session, "test_sea") == [("right", 1, True), ("wrong", 1, False)]


def test_asserts_decide_and_show_what_pytest_shows(session: Finished) -> None:
    assert session.counts == {"passed": 4, "failed": 3}
    assert "assert 'red' == 'blue'" in session.out
    row = session.get_row(task="test_sky", agent="wrong", repetition=1)
    assert row["verdicts"][-1] == {"kind": "assertions", "target": "", "outcome": "wrong"}
    assert "assert 'red' == 'blue'" in row["reason"]


def test_junit_carries_their_facts_too(session: Finished) -> None:
    assert session.read_properties()["test_sky[right-floor-r1]"]["status"] == "graded"


WRONG_MARKERS = {
    "no marker": ("", "asks for a searchlight fixture, so it needs a marker"),
    "no deliverable": ("@pytest.mark.searchlight(prompt='p')", "field deliverable"),
    "positional": ("@pytest.mark.searchlight('p')", "needs a marker with keyword arguments"),
    "unknown field": ("@pytest.mark.searchlight(prompt='p', deliverable={}, promt='x')", "promt"),
    "no prompt": ("@pytest.mark.searchlight(deliverable={'type': 'object'})", "field prompt"),
}


@pytest.mark.parametrize("name", WRONG_MARKERS)
def test_a_wrong_marker_is_a_clear_usage_error(project: Project, name: str) -> None:
    marker, message = WRONG_MARKERS[name]
    done = run_tests(project, f"import pytest\n{marker}\ndef test_sky(agent_run):\n    pass\n")
    assert done.code != 0
    told = done.out + done.err
    assert "test_colours.py::test_sky" in told
    assert message in told
    assert "Traceback" not in told
    assert "INTERNALERROR" not in told


def test_a_catalogs_own_fixture_may_be_overridden(project: Project) -> None:
    text = TESTS.replace(
        "def test_sky(",
        "def test_sky(workspace, ",
    )
    project.write("conftest.py", AGENTS_CONFTEST)
    done = run_tests(project, text)
    assert done.counts == {"passed": 4, "failed": 3}


def test_a_test_without_any_setup_says_where_to_name_one(project: Project) -> None:
    project.write("test_colours.py", TESTS.replace('setups=["no-search"], ', ""))
    done = project.run()
    assert done.code == pytest.ExitCode.INTERRUPTED
    assert "test_sky: no setup is named; give --searchlight-setup, or setups among its defaults" in done.out


def test_a_bare_run_of_such_tests_wakes_the_plugin(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write("test_colours.py", TESTS)
    done = project.run("-k", "test_sea")
    assert done.counts["passed"] == 2
    assert len(done.rows) == 2
    assert "no-search" in done.out


TWICE = """
import pytest

class TestNorth:
    @pytest.mark.searchlight(deliverable={"type": "object"}, reference_answer={})
    def test_sky(self, agent_run):
        'Which colour has the sky?'

class TestSouth(TestNorth):
    pass
"""


def test_classes_may_have_tests_of_one_name(project: Project) -> None:
    done = run_tests(project, TWICE)
    assert done.code == 0, done.out + done.err
    assert {row["task"] for row in done.rows} == {"testnorth.test_sky", "testsouth.test_sky"}


@pytest.mark.parametrize("way", [(), ("-n2",)], ids=["bare", "n2"])
def test_a_parameter_that_would_make_one_run_twice_is_refused_before_any_is_made(
    project: Project, way: Sequence[str]
) -> None:
    text = TWICE.replace(
        "    @pytest", "    @pytest.mark.parametrize('word', ['blue', 'grey'])\n    @pytest", 1
    )
    done = run_tests(project, text.replace("agent_run)", "agent_run, word)"), *way)
    assert done.code != 0
    assert "parametrize would make each of its runs 2 times" in done.out + done.err
    assert "INTERNALERROR" not in done.out + done.err
    assert done.session is None
