"""A user's project in a folder of its own, and pytest run in it as its user would."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from unittest import mock
from xml.etree import ElementTree as ET

import pytest
import yaml

from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.workspace import ProcessResult, find_marked_processes, run_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

TESTS = Path(__file__).parents[1]
GIVE_UP_S = 90.0
_QUIET = ("-p", "no:anyio")
"""A plugin that comes with a dependency of ours and takes longer to import than all of ours."""
_PYTEST = (sys.executable, "-m", "pytest", *_QUIET, "--junitxml", "junit.xml")
_TAKEN = (signal.SIGINT, signal.SIGTERM)
_NOT_PASSED_ON = ("PYTEST_", "PYTHONDONTWRITEBYTECODE", "SEARCHLIGHT_")

AGENTS_CONFTEST = (
    "from plugin.scripted_agents import pytest_searchlight_register as pytest_searchlight_register\n"
)
"""Makes the agents of `scripted_agents` known in a project."""


def make_task(name: str, *, control: bool = False, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    """A task whose right answer is blue; a control's is none. `fields` replace what it has."""
    right, wrong = (
        ({"colour": None}, {"colour": "red"}) if control else ({"colour": "blue"}, {"colour": "red"})
    )
    check = {"kind": "decline", "fields": ["/colour"]} if control else _expect_blue()
    return {
        "id": name,
        "family": "colours",
        "control": control,
        "prompt": f"Which colour has {name}?",
        "deliverable": {
            "type": "object",
            "required": ["colour"],
            "properties": {"colour": {"type": ["string", "null"], "description": f"Colour of {name}"}},
        },
        "checks": [check],
        "reference": {
            "excerpt": f"{name} is blue.",
            "source": "https://colours.example/",
            "event_date": "2026-01-01",
        },
        "reference_answer": right,
        "wrong_answers": [{"why": "another colour", "answer": wrong}],
        "freshness": {"checked": "2026-11-30"},
        **fields,
    }


def _expect_blue() -> dict[str, str]:
    return {"kind": "value-match", "field": "/colour", "equals": "blue"}


@dataclass(frozen=True)
class Finished:
    """A command that has ended, and the session it left, if any."""

    code: int
    out: str
    err: str
    duration_s: float
    session: SessionFolder | None
    junit_file: Path

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of pytest's last line, such as ``{"passed": 2}``."""
        last = next((line for line in reversed(self.out.splitlines()) if re.search(r" in [\d.:]+", line)), "")
        return {
            "errors" if word == "error" else word: int(number)
            for number, word in re.findall(r"(\d+) (passed|failed|skipped|errors?|deselected)", last)
        }

    @property
    def folder(self) -> Path:
        """The session's folder."""
        assert self.session is not None, self.out + self.err
        return self.session.root

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The session's ``summary.json``."""
        content: dict[str, Any] = json.loads((self.folder / "summary.json").read_bytes())
        return content

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The session's ``runs.jsonl``."""
        text = (self.folder / "runs.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line]

    def get_row(self, **facts: object) -> dict[str, Any]:
        """The one row that has all these facts."""
        (row,) = (row for row in self.rows if facts.items() <= row.items())
        return row

    @property
    def statuses(self) -> dict[str, str]:
        """Status of every run by its task's id; for sessions with one run a task."""
        return {row["task"]: row["status"] for row in self.rows}

    def read_properties(self) -> dict[str, dict[str, str]]:
        """Properties by name of every test case of the junit file."""
        cases = ET.parse(self.junit_file).getroot().iter("testcase")
        return {
            str(case.get("name")): {str(p.get("name")): str(p.get("value")) for p in case.iter("property")}
            for case in cases
        }


@dataclass
class Project:
    """A project folder; scratch folders of its sessions are made below it, so that leftovers show.

    `mark` is the run id with which the project's scripted agents mark their processes.
    """

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    mark: str = field(default_factory=lambda: f"test-{uuid.uuid4().hex}")

    def write(self, name: str, text: str) -> Path:
        """Write a file, its folders included."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def write_catalog(
        self,
        tasks: Iterable[str | Mapping[str, Any]],
        *,
        name: str = "small",
        agents: Sequence[str] = ("oracle",),
        setups: Sequence[str] = ("no-search",),
        repetitions: int = 1,
        needs_calibration: bool = False,
    ) -> Path:
        """Write a catalog of tasks, given whole or by their ids."""
        defaults = {
            "agents": [*agents],
            "setups": [*setups],
            "repetitions": repetitions,
            "needs_calibration": needs_calibration,
        }
        content = {
            "catalog": name,
            "title": f"Catalog {name}",
            "description": "Colours of things.",
            "defaults": defaults,
            "tasks": [make_task(task) if isinstance(task, str) else dict(task) for task in tasks],
        }
        return self.write(f"catalogs/{name}/tasks.yaml", yaml.safe_dump(content, sort_keys=False))

    @property
    def scratch(self) -> Path:
        """Where sessions of this project make their scratch folders."""
        return self.root / "scratch"

    def run(self, *args: str, **env: str) -> Finished:
        """Run pytest in this process, which is several times quicker than in one of its own."""
        out, err, handlers = StringIO(), StringIO(), {number: signal.getsignal(number) for number in _TAKEN}
        self.scratch.mkdir(exist_ok=True)
        started_s = time.monotonic()
        with (
            mock.patch.dict(os.environ, self._make_environment(env), clear=True),
            mock.patch.object(tempfile, "tempdir", str(self.scratch)),
            contextlib.chdir(self.root),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = pytest.main([*_QUIET, "--junitxml", "junit.xml", *args])
        for number, handler in handlers.items():
            signal.signal(number, handler)
        self._forget_modules()
        return self._gather(int(code), out.getvalue(), err.getvalue(), time.monotonic() - started_s)

    def _forget_modules(self) -> None:
        """Let no other project find this one's modules, which have the same names there."""
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(str(self.root)):
                del sys.modules[name]

    def run_apart(self, *args: str, **env: str) -> Finished:
        """Run pytest in a process of its own."""
        return self.finish(self.start(*args, prepare=None, **env))

    def run_watched(self, *args: str, **env: str) -> tuple[Finished, ProcessResult]:
        """Run pytest in the charge of a warden, whom no process below it can escape."""
        self.scratch.mkdir(exist_ok=True)
        watched = run_process(
            [*_PYTEST, *args],
            cwd=self.root,
            env=self._make_environment(env),
            run_id=self.mark,
            stdout_path=self.root / "output.out",
            stderr_path=self.root / "output.err",
            timeout_s=2 * GIVE_UP_S,
        )
        out, err = self.read_output("out"), self.read_output("err")
        return self._gather(watched.exit_code or 0, out, err, watched.duration_s or 0.0), watched

    def sew(self, *args: str, **env: str) -> Finished:
        """Run ``sew`` to its end."""
        return self.finish(self.start_command([str(Path(sys.executable).with_name("sew")), *args], env))

    def start(
        self, *args: str, prepare: Callable[[], object] | None = None, **env: str
    ) -> subprocess.Popen[bytes]:
        """Start pytest in its own process group; `prepare` is called there first."""
        return self.start_command([*_PYTEST, *args], env, prepare=prepare)

    def start_command(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        *,
        prepare: Callable[[], object] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a command in the project; its output goes to files, so that it can never block."""
        self.scratch.mkdir(exist_ok=True)
        with self._open_output("out") as out, self._open_output("err") as err:
            return subprocess.Popen(
                command,
                cwd=self.root,
                env=self._make_environment(env or {}),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=prepare,  # noqa: PLW1509 - it only sets how signals are taken
            )

    def _open_output(self, name: str) -> IO[bytes]:
        return (self.root / f"output.{name}").open("wb")

    def _make_environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        ours = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_PASSED_ON)}
        path = os.pathsep.join(part for part in (str(TESTS), ours.get("PYTHONPATH", "")) if part)
        own = {"PYTHONPATH": path, "COLUMNS": "200", "TMPDIR": str(self.scratch), "TEST_MARK": self.mark}
        return {**ours, **own, **self.env, **extra}

    def finish(self, process: subprocess.Popen[bytes], *, timeout_s: float = GIVE_UP_S) -> Finished:
        """Wait for a command's end and read what it left. Ends it, and fails, when it does not."""
        started_s = time.monotonic()
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise AssertionError(f"not ended after {timeout_s} s:\n{self.read_output('out')}") from None
        passed_s = time.monotonic() - started_s
        return self._gather(code, self.read_output("out"), self.read_output("err"), passed_s)

    def _gather(self, code: int, out: str, err: str, duration_s: float) -> Finished:
        return Finished(
            code=code,
            out=out,
            err=err,
            duration_s=duration_s,
            session=self.find_session(),
            junit_file=self.root / "junit.xml",
        )

    def read_output(self, name: str) -> str:
        """What the command wrote to ``out`` or ``err`` so far."""
        return (self.root / f"output.{name}").read_text(encoding="utf-8", errors="replace")

    def list_sessions(self) -> list[Path]:
        """Folders of all sessions under the state folder, oldest first."""
        found = (self.root / ".searchlight").glob("*/session.json")
        return [file.parent for file in sorted(found, key=lambda file: file.stat().st_mtime_ns)]

    def find_session(self) -> SessionFolder | None:
        """The newest session, or None."""
        sessions = self.list_sessions()
        return SessionFolder(sessions[-1]) if sessions else None

    def list_leftovers(self) -> list[str]:
        """Scratch folders and marked processes that a session should have removed and ended."""
        folders = [path.name for path in self.scratch.glob("searchlight-*")]
        return folders + [str(pid) for pid in find_marked_processes(self.mark)]


def wait_for(condition: Callable[[], object], *, what: str, timeout_s: float = 60.0) -> None:
    """Return as soon as `condition` holds; fail when it never does."""
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, f"waited {timeout_s} s for {what}"
        time.sleep(0.02)
