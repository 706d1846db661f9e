"""The command line around sessions: ``sew``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from plugin.small_project import AGENTS_CONFTEST, Finished, Project, make_task

KEY = "exa-secret-value-0123456789"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project fresh from ``sew init``."""
    project = Project(tmp_path_factory.mktemp("starter"))
    done = project.sew("init")
    assert done.code == 0, done.err
    assert "next: sew validate" in done.out
    return project


# --- init ------------------------------------------------------------------------------------------------


def test_a_starter_catalog_is_proven_at_once(starter: Project) -> None:
    done = starter.sew("validate")
    assert done.code == 0, done.out
    assert "tasks.yaml: 2 tasks proven" in done.out


def test_a_starter_project_runs_as_its_last_line_says(starter: Project) -> None:
    done = starter.run_apart("--searchlight-setup=closed-web,no-search")
    rows = {(row["task"], row["setup"]): row for row in done.rows}
    assert {row["status"] for row in rows.values()} == {"graded"}
    found = rows["kestrelkit-release-date", "closed-web"]
    assert found["passed"] is True
    assert found["provider_calls"] > 0
    assert rows["kestrelkit-release-date", "no-search"]["passed"] is False


def test_the_search_setup_that_a_starter_shows_is_one_once_its_marks_are_removed(project: Project) -> None:
    project.sew("init")
    file = project.root / "config/provider-arm-tools.yaml"
    shown = file.read_text(encoding="utf-8").partition("#\n")[2]
    file.write_text("".join(line.removeprefix("# ") for line in shown.splitlines(keepends=True)))
    done = project.run("--searchlight-plan", "--searchlight-setup=my-search", MY_SEARCH_API_KEY="key")
    assert done.code == 0, done.err
    assert "2 runs planned" in done.out


def test_files_that_exist_are_left_alone(project: Project) -> None:
    mine = project.write("catalogs/starter/tasks.yaml", "mine: true\n")
    done = project.sew("init")
    assert done.code == 0
    assert f"kept     {mine.relative_to(project.root)} (exists already)" in done.out
    assert mine.read_text(encoding="utf-8") == "mine: true\n"
    assert (project.root / "config/provider-arm-tools.yaml").is_file()


def test_a_folder_that_is_not_there_is_refused(project: Project) -> None:
    assert_refused(project.sew("init", "nowhere"), "nowhere: not a folder; create it first")


# --- doctor ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def examined(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    project = Project(tmp_path_factory.mktemp("examined"))
    project.write_catalog(["sky"])
    project.write(".env", f"EXA_API_KEY={KEY}\nTAVILY_API_KEY=\n")
    return project.sew("doctor", EXA_API_KEY=KEY, TAVILY_API_KEY="")


def test_the_doctor_says_a_line_each(examined: Finished) -> None:
    assert examined.code == 0
    lines = examined.out.splitlines()
    assert all(line.startswith(("ok      ", "missing ")) for line in lines)
    subjects = [line[8:].split(":")[0].strip() for line in lines]
    for subject in (
        "python",
        "pytest",
        "agent baseline",
        "setup exa",
        "node",
        "state folder",
        "catalog small",
    ):
        assert subject in subjects


def test_what_is_missing_comes_with_what_to_do(examined: Finished) -> None:
    (line,) = (line for line in examined.out.splitlines() if "setup tavily" in line)
    assert line.startswith("missing")
    assert "TAVILY_API_KEY is not set -> export it" in line


def test_a_keys_value_is_never_printed(examined: Finished) -> None:
    assert "EXA_API_KEY is set" in examined.out
    assert KEY not in examined.out + examined.err


def test_the_doctor_speaks_json_too(project: Project) -> None:
    done = project.sew("doctor", "--json", EXA_API_KEY=KEY)
    findings = json.loads(done.out)
    assert {"subject", "ok", "detail", "advice", "asked"} == set(findings[0])
    assert KEY not in done.out


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--agent", "baseline", "--setup", "closed-web"), 0),
        (("--setup", "tavily"), 1),
        (("--agent", "missing"), 1),
    ],
)
def test_the_exit_code_says_whether_what_was_asked_for_can_run(
    project: Project, args: tuple[str, ...], code: int
) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    assert project.sew("doctor", *args, TAVILY_API_KEY="").code == code


def test_the_doctor_refuses_names_it_does_not_know(project: Project) -> None:
    assert_refused(
        project.sew("doctor", "--setup", "exxa"), "unknown search setup 'exxa'; did you mean 'exa'?"
    )


# --- validate --------------------------------------------------------------------------------------------


def test_a_catalog_whose_wrong_answer_passes_is_not_proven(project: Project) -> None:
    wrong = [{"why": "a mistake", "answer": {"colour": "blue"}}]
    path = project.write_catalog(["sky", make_task("sea", wrong_answers=wrong)])
    done = project.sew("validate", str(path))
    assert done.code == 1
    assert "sea" in done.out
    assert "2 tasks NOT proven" in done.out


def test_a_catalog_whose_defaults_name_what_is_not_there_is_not_proven(project: Project) -> None:
    project.write_catalog(["sky"], setups=["no-serch"], agents=["orakel"])
    done = project.sew("validate")
    assert done.code == 1
    assert "defaults/setups: 'no-serch' → no such search setup → use one of closed-web" in done.out
    assert "defaults/agents: 'orakel' → no such agent → use one of baseline" in done.out


def test_a_catalog_that_cannot_be_read_is_refused_with_its_line(project: Project) -> None:
    path = project.write("catalogs/bad/tasks.yaml", "catalog: bad\ntitle: Bad\ntasks: []\n")
    assert_refused(project.sew("validate", str(path)), "tasks.yaml:")


def test_validate_looks_into_the_catalogs_folder_by_default(project: Project) -> None:
    assert_refused(project.sew("validate"), "let `sew init` write one")
    project.write_catalog(["sky"], name="one")
    project.write_catalog(["sea"], name="two")
    assert project.sew("validate").out.count(": 1 tasks proven") == 2


def test_a_path_that_is_not_there_is_refused(project: Project) -> None:
    assert_refused(project.sew("validate", "nowhere.yaml"), "nowhere.yaml: no such file or folder")


# --- summarize and schema --------------------------------------------------------------------------------


def test_a_summary_is_rebuilt_byte_for_byte_from_the_evidence(project: Project) -> None:
    project.write("conftest.py", AGENTS_CONFTEST)
    project.write_catalog(["sky", "sea"], agents=["right", "wrong", "broken", "unfit"])
    done = project.run("catalogs")
    written = {name: (done.folder / name).read_bytes() for name in ("summary.json", "runs.jsonl")}
    for name in written:
        (done.folder / name).unlink()
    rebuilt = project.sew("summarize", str(done.folder))
    assert rebuilt.code == 0
    assert {name: (done.folder / name).read_bytes() for name in written} == written
    assert "not counted: 2 agent_error, 2 skipped (of 8 planned)" in rebuilt.out


def test_a_folder_without_a_session_cannot_be_summed_up(project: Project) -> None:
    assert_refused(project.sew("summarize", "nowhere"), "sew: nowhere is not a session folder")


@pytest.mark.parametrize("content", ["[]", '{"seed": '])
def test_a_torn_session_file_is_told_by_its_path(project: Project, content: str) -> None:
    project.write_catalog(["sky"])
    done = project.run("catalogs")
    (done.folder / "session.json").write_text(content, encoding="utf-8")
    told = project.sew("summarize", str(done.folder))
    assert told.code == 1
    assert "session.json: not a readable session" in told.err
    assert "Traceback" not in told.err
    again = project.run(f"--searchlight-resume={done.folder}")
    assert again.code == pytest.ExitCode.USAGE_ERROR
    assert "session.json: not a readable session" in again.err


def test_a_reader_that_has_seen_enough_ends_the_output_quietly(project: Project) -> None:
    project.write_catalog(["sky"])
    command = f"{Path(sys.executable).with_name('sew')} schema catalog | true"
    assert project.finish(project.start_command(["bash", "-c", command])).err == ""


def test_torn_evidence_costs_its_own_run_and_is_named(project: Project) -> None:
    project.write_catalog(["sky", "sea"])
    done = project.run("catalogs")
    (seal,) = done.folder.glob("runs/*.sky.*/run.json")
    seal.write_text('{"record": {', encoding="utf-8")
    told = project.sew("summarize", str(done.folder))
    assert told.code == 0
    assert "not counted: 1 not_run (of 2 planned)" in told.out
    assert f"sew: warning: not measured, since run.json cannot be read: {seal.parent.name}; move" in told.err
    again = project.run(f"--searchlight-resume={done.folder}")
    assert (
        f"searchlight: warning: not measured, since run.json cannot be read: {seal.parent.name}" in again.out
    )


def test_the_schema_describes_catalog_files(project: Project) -> None:
    schema = json.loads(project.sew("schema").out)
    path = project.write_catalog(["sky"])
    catalog = json.loads(json.dumps(yaml.safe_load(path.read_text(encoding="utf-8")), default=str))
    jsonschema.validate(catalog, schema)
    del catalog["tasks"][0]["prompt"]
    with pytest.raises(jsonschema.ValidationError, match="'prompt' is a required property"):
        jsonschema.validate(catalog, schema)


# --- in general ------------------------------------------------------------------------------------------


def test_help_names_every_command(project: Project) -> None:
    out = project.sew("--help").out
    commands = ("doctor", "init", "validate", "summarize", "habits", "pin", "schema", "judge-audit", "agree")
    for command in commands:
        assert command in out
    assert "Work around search benchmark sessions" in out


def test_an_unknown_command_is_refused_with_the_known_ones(project: Project) -> None:
    done = project.sew("summarise")
    assert done.code == 2
    assert "invalid choice: 'summarise'" in done.err
    assert "summarize" in done.err


def assert_refused(done: Finished, message: str) -> None:
    assert done.code == 2, done.out + done.err
    assert done.err.startswith("sew: ")
    assert message in done.err
    assert "Traceback" not in done.out + done.err
