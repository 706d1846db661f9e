"""The meter needs nothing but an interpreter: no environment, no packages, no folder of its own."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from meter_stage.meter_client import PATIENCE_S, STUB, open_meter, write_spec

import pytest_searchlight.meter
from pytest_searchlight.metering import METER_PROGRAM

FOLDER = Path(pytest_searchlight.meter.__file__).parent


def test_only_the_standard_library_is_imported() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                own = name.startswith("pytest_searchlight.meter.")
                assert own or name.split(".")[0] in sys.stdlib_module_names, f"{path.name} imports {name}"


def test_no_installed_package_is_loaded(tmp_path: Path) -> None:
    """Every file that the running meter has loaded is its own or the interpreter's."""
    code = (
        "import runpy, sys, os, atexit\n"
        "quit, path = os._exit, sys.argv[1]\n"
        "def report(code):\n"
        "    files = [getattr(m, '__file__', None) or '' for m in sys.modules.values()]\n"
        "    open(path, 'w').write('\\n'.join(files))\n"
        "    quit(code)\n"
        "os._exit = report\n"
        f"sys.argv[1:] = sys.argv[2:]; sys.path.insert(0, {str(FOLDER)!r})\n"
        f"runpy.run_path({str(METER_PROGRAM)!r}, run_name='__main__')\n"
    )
    (tmp_path / "spool").mkdir()
    server = {"command": [sys.executable, "-I", "-S", str(STUB)]}
    spec = write_spec(tmp_path, {"server": server, "spool": str(tmp_path / "spool")})
    report = tmp_path / "loaded"
    command = [sys.executable, "-I", "-S", "-c", code, str(report), "--spec", str(spec)]
    subprocess.run(command, stdin=subprocess.DEVNULL, check=True, timeout=PATIENCE_S, env={})
    loaded = report.read_text().split("\n")
    assert str(FOLDER / "session.py") in loaded
    assert not [path for path in loaded if "site-packages" in path and "pytest_searchlight" not in path]


def test_the_meter_works_with_an_empty_environment_and_hands_none_of_its_own_on(tmp_path: Path) -> None:
    given = {"SEARCH_API_KEY": "k", "PATH": str(Path(sys.executable).parent)}
    server = {"command": ["python3", "-I", "-S", str(STUB)], "env": given, "cwd": str(tmp_path)}
    with open_meter(tmp_path, server=server, prefix=["env", "-i"], environment={"LEAK": "1"}) as client:
        seen = json.loads(client.call_for_text("environment"))
    assert seen["folder"] == str(tmp_path)
    assert seen["environment"].pop("LC_CTYPE", "C.UTF-8") == "C.UTF-8"
    filled_in = {"HOME": str(tmp_path), "LANG": "C.UTF-8", "TMPDIR": "/tmp"}
    assert seen["environment"] == {**given, **filled_in}


def test_the_agents_environment_does_not_reach_the_server(tmp_path: Path) -> None:
    with open_meter(tmp_path, environment={**os.environ, "ANTHROPIC_API_KEY": "secret"}) as client:
        assert "ANTHROPIC_API_KEY" not in json.loads(client.call_for_text("environment"))["environment"]


def test_the_folder_can_be_run_as_well(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    server = {"command": [sys.executable, "-I", "-S", str(STUB)]}
    spec = write_spec(tmp_path, {"server": server, "spool": str(tmp_path / "spool")})
    command = [sys.executable, "-I", "-S", str(FOLDER), "--spec", str(spec)]
    request = b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n'
    done = subprocess.run(command, input=request, capture_output=True, check=True, timeout=PATIENCE_S, env={})
    assert b'"serverInfo"' in done.stdout


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"server": None}, "'server': must be a JSON object"),
        ({"server": {}}, "'command' must be a list of strings"),
        ({"server": {"command": []}}, "'command' must be a list of strings"),
        ({"server": {"command": ["x\0y"]}}, "'command' must be a list of strings"),
        ({"server": {"command": ["x"], "env": {"A": 1}}}, "'env' 'A' must be a name with a string"),
        ({"server": {"command": ["x"], "env": {"A=B": "c"}}}, "'env' 'A=B' must be a name with a string"),
        (
            {"server": {"command": ["x"], "cwd": "relative"}},
            "'cwd' must be the absolute path of an existing folder",
        ),
        ({"server": {"command": ["x"], "shell": True}}, "'shell' is not a field of the spec"),
        ({"server": {"url": 5}}, "'url' must be of type str"),
        ({"spool": "/no/such/folder"}, "'spool' must be the absolute path of an existing"),
        ({"max_tool_calls": -1}, "'max_tool_calls' must not be negative"),
        ({"max_tool_calls": "3"}, "'max_tool_calls' must be of type int"),
        ({"stop_grace_s": -1}, "'stop_grace_s' must be a number of seconds"),
        ({"extra": 1}, "'extra' is not a field of the spec"),
    ],
)
def test_a_wrong_spec_is_refused_in_one_sentence(
    tmp_path: Path, change: dict[str, object], complaint: str
) -> None:
    good = {"server": {"command": ["true"]}, "spool": str(tmp_path)}
    spec = write_spec(tmp_path, {**good, **change})
    code, said = run_meter("--spec", str(spec))
    assert code == 2
    assert complaint in said
    assert said.startswith(f"searchlight meter: {spec}")
    assert said.count("\n") == 1


def test_a_spec_that_is_missing_broken_or_open_to_others_is_refused(tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    assert "the spec cannot be read: No such file or directory" in run_meter("--spec", str(spec))[1]
    spec.write_text("{")
    spec.chmod(0o600)
    assert "the spec is not JSON" in run_meter("--spec", str(spec))[1]
    spec.chmod(0o644)
    assert "give it mode 0600" in run_meter("--spec", str(spec))[1]
    assert "usage:" in run_meter()[1]


def run_meter(*arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-I", "-S", str(METER_PROGRAM), *arguments]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    return done.returncode, done.stderr
