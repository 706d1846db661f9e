"""Runs as pytest users meet them: ids, selection, order, reruns of what failed, and no xdist at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from plugin.small_project import AGENTS_CONFTEST, Project, make_task

if TYPE_CHECKING:
    from collections.abc import Sequence

TASKS = ["example-task", "sea", "sky"]
PREFIX = "catalogs/small/tasks.yaml::"


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Three tasks, two agents, two setups: twelve runs."""
    project = Project(tmp_path_factory.mktemp("wide"))
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(TASKS, agents=["right", "wrong"], setups=["no-search", "floor"])
    project.write_catalog(["sun"], name="other", agents=["right"])
    project.write("test_unit.py", "def test_unit():\n    pass\n")
    project.write("roles/tasks.yaml", "- name: install\n  apt:\n    name: nginx\n")
    project.write("roles/broken.yaml", "a: [1\n")
    return project


def collect(project: Project, *args: str) -> list[str]:
    done = project.run(*args, "--collect-only", "-q")
    assert done.code in {0, 5}, done.out + done.err
    return [line for line in done.out.splitlines() if "::" in line]


def name_runs(tasks: Sequence[str], agents: Sequence[str], setups: Sequence[str]) -> set[str]:
    return {f"{PREFIX}{task}[{agent}-{setup}-r1]" for task in tasks for agent in agents for setup in setups}


def test_node_ids_name_task_agent_setup_and_repetition(wide: Project) -> None:
    expected = name_runs(TASKS, ["right", "wrong"], ["no-search", "floor"])
    assert set(collect(wide, "catalogs/small")) == expected


def test_a_node_id_selects_one_run(wide: Project) -> None:
    node = f"{PREFIX}sky[wrong-floor-r1]"
    assert collect(wide, node) == [node]
    assert wide.run(node).counts == {"failed": 1}


@pytest.mark.parametrize(
    ("expression", "tasks", "setups"),
    [
        ("sky", ["sky"], ["no-search", "floor"]),
        ("sky and floor", ["sky"], ["floor"]),
        ("not no-search", TASKS, ["floor"]),
        ("example-task", ["example-task"], ["no-search", "floor"]),
        ("floor-r1]", TASKS, ["floor"]),
    ],
)
def test_keyword_expressions_select(
    wide: Project, expression: str, tasks: list[str], setups: list[str]
) -> None:
    expected = name_runs(tasks, ["right", "wrong"], setups)
    assert set(collect(wide, "catalogs/small", "-k", expression)) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("searchlight", name_runs(TASKS, ["right", "wrong"], ["no-search", "floor"])),
        ('searchlight(setup="floor")', name_runs(TASKS, ["right", "wrong"], ["floor"])),
        (
            'searchlight(task="sea", agent="right", repetition=1)',
            name_runs(["sea"], ["right"], ["no-search", "floor"]),
        ),
        (
            'searchlight(family="colours") and not searchlight(setup="floor")',
            name_runs(TASKS, ["right", "wrong"], ["no-search"]),
        ),
        ('searchlight(setup="flo")', set()),
    ],
)
def test_markers_select_exactly(wide: Project, expression: str, expected: set[str]) -> None:
    assert set(collect(wide, "catalogs/small", "-m", expression)) == expected


def test_without_a_path_the_catalogs_folder_is_collected_and_no_unit_test(wide: Project) -> None:
    found = collect(wide, "--searchlight-setup=no-search", "--searchlight-agent=oracle")
    assert found == [
        "catalogs/other/tasks.yaml::sun[oracle-no-search-r1]",
        *(f"{PREFIX}{task}[oracle-no-search-r1]" for task in TASKS),
    ]


def test_a_bare_run_of_a_project_with_catalogs_collects_none(wide: Project) -> None:
    assert collect(wide) == ["test_unit.py::test_unit"]
    assert collect(wide, ".") == ["test_unit.py::test_unit"]


def test_yaml_files_that_are_no_catalogs_are_left_alone(wide: Project) -> None:
    assert collect(wide, "roles") == []
    assert collect(wide, "roles", "--searchlight-setup=floor") == []


def test_collecting_leaves_no_folder_behind(wide: Project) -> None:
    before = wide.list_sessions()
    collect(wide, "catalogs")
    assert wide.list_sessions() == before


def test_the_same_runs_are_collected_by_every_worker_and_hash_seed(wide: Project) -> None:
    bare = wide.run("catalogs/small", "-q", PYTHONHASHSEED="1")
    spread = wide.run("catalogs/small", "-n2", PYTHONHASHSEED="2")
    assert "Different tests were collected" not in spread.out
    assert spread.counts == {"passed": 6, "failed": 6}
    assert [row["run_id"] for row in bare.rows] == [row["run_id"] for row in spread.rows]


def test_many_workers_for_few_runs_do_no_harm(wide: Project) -> None:
    done = wide.run("catalogs/small", "-n8", "-k", "sky")
    assert done.counts == {"passed": 2, "failed": 2}
    assert len(done.rows) == 4


def test_it_works_without_xdist(wide: Project) -> None:
    done = wide.run("catalogs/small", "-p", "no:xdist")
    assert done.counts == {"passed": 6, "failed": 6}


def test_the_slowest_runs_can_be_listed(wide: Project) -> None:
    done = wide.run("catalogs/small", "-k", "sky", "--durations=3", "-vv")
    assert f"setup    {PREFIX}sky[" in done.out


def test_the_first_failure_can_end_the_session(wide: Project) -> None:
    done = wide.run("catalogs/small", "-x", "--searchlight-agent=wrong")
    assert done.counts == {"failed": 1}
    assert done.summary["counts"]["excluded"]["not_run"] == 5


def test_what_failed_last_is_run_again_alone_or_first(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sea", "sky"], agents=["right", "wrong"])
    assert project.run("catalogs").counts == {"passed": 2, "failed": 2}
    assert project.run("catalogs", "--lf").counts == {"failed": 2}
    first = project.run("catalogs", "--ff", "-v").out
    lines = [line for line in first.splitlines() if line.startswith(PREFIX)]
    assert ["wrong" in line for line in lines] == [True, True, False, False]


def test_fixtures_and_other_plugins_may_ask_for_the_module_of_a_run(project: Project) -> None:
    project.write_catalog(["sky"])
    conftest = (
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    items.sort(key=lambda item: item.module.__name__)\n"  # as pytest-randomly does
        "@pytest.fixture(autouse=True)\n"
        "def logged(request):\n"
        "    print('module:', request.module.__name__)\n"
    )
    project.write("conftest.py", conftest)
    done = project.run("catalogs", "-s")
    assert done.code == 0, done.out
    assert "module: catalogs-small-tasks.yaml" in done.out


def test_reruns_of_wrong_answers_are_refused(wide: Project) -> None:
    wide.write("reruns.py", 'def pytest_addoption(parser):\n    parser.addoption("--reruns", type=int)\n')
    done = wide.run("catalogs/small", "-p", "reruns", "--reruns=2", PYTHONPATH=str(wide.root))
    assert done.code == 4
    assert "--reruns repeats wrong answers until one is right" in done.err


def test_making_every_run_once_in_each_worker_is_refused(wide: Project) -> None:
    done = wide.run("catalogs", "-n2", "--dist=each")
    assert done.code == 4
    assert "--dist=each makes, and pays for, every run once in each worker" in done.err


def test_a_broken_catalog_is_refused_with_file_line_and_field(project: Project) -> None:
    path = project.write_catalog(["sky"])
    path.write_text(path.read_text(encoding="utf-8").replace("prompt:", "promt:"), encoding="utf-8")
    for way in ((), ("-n2",)):
        done = project.run("catalogs", *way)
        assert done.code == 4
        assert "tasks.yaml:" in done.err
        assert "did you mean 'prompt'?" in done.err
        assert "Traceback" not in done.out + done.err


def test_an_unknown_check_is_refused_before_anything_runs(project: Project) -> None:
    project.write_catalog([make_task("sky", checks=[{"kind": "value-mach", "field": "/colour"}])])
    done = project.run("catalogs")
    assert done.code == 4
    assert "value-mach" in done.err
    assert project.list_sessions() == []


def test_a_project_without_catalogs_is_told_what_to_do(project: Project) -> None:
    done = project.run("--searchlight-setup=floor")
    assert done.code == 4
    assert "no catalogs folder at" in done.err
    assert "sew init" in done.err


def test_a_catalogs_folder_without_any_is_told_what_to_do(project: Project) -> None:
    project.write("catalogs/notes.yaml", "name: no catalog\n")
    done = project.run("--searchlight-agent=oracle")
    assert done.code == 4
    assert f"no catalog in {project.root / 'catalogs'}; name a catalog's path" in done.err


def test_another_catalogs_folder_may_be_named_in_the_ini_file(project: Project) -> None:
    project.write_catalog(["sky"])
    (project.root / "catalogs").rename(project.root / "benchmarks")
    project.write("pytest.ini", "[pytest]\nsearchlight_catalogs = benchmarks\n")
    assert project.run("--searchlight-setup=floor").counts == {"passed": 1}


def test_extensions_may_leave_runs_out(project: Project) -> None:
    project.write(
        "conftest.py",
        "def pytest_searchlight_modify_runs(config, runs):\n"
        '    runs[:] = [run for run in runs if run.task.id != "sea"]\n',
    )
    project.write_catalog(["sea", "sky"])
    assert project.run("catalogs").statuses == {"sky": "graded"}


def test_an_extension_that_takes_a_built_in_name_is_refused(project: Project) -> None:
    project.write(
        "conftest.py",
        "from plugin.scripted_agents import ScriptedAgent, answer_right\n"
        "def pytest_searchlight_register(registry):\n"
        '    registry.agents.add("oracle", ScriptedAgent("oracle", answer_right))\n',
    )
    project.write_catalog(["sky"])
    done = project.run("catalogs")
    assert done.code == 4
    assert "agent 'oracle' is registered twice" in done.err


def test_two_catalogs_of_one_name_are_refused_before_any_run(project: Project) -> None:
    first = project.write_catalog(["sky"])
    second = project.write("catalogs/twin/tasks.yaml", first.read_text(encoding="utf-8"))
    done = project.run("catalogs", "-n2")
    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert f"{first} and {second}: both are called 'small'" in done.err
    assert done.session is None
