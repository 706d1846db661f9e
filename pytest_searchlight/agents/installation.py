"""An agent product as it is installed here: its program, its version, its user's login."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final

from pydantic import JsonValue

from pytest_searchlight.agents.login import lend_login
from pytest_searchlight.agents.pins import AgentPin
from pytest_searchlight.domain import RunStatus, SearchSetup
from pytest_searchlight.errors import RunError
from pytest_searchlight.extensions import AgentJob
from pytest_searchlight.workspace import ProcessResult, Stop, run_process

_VERSION_LIMIT_S: Final = 30.0
_VERSION = re.compile(r"\d+\.\d+\.\d+[-.\w]*")


@dataclass(frozen=True, kw_only=True)
class Installation:
    """Where a product is, whose account it uses and how it reaches its model.

    Attributes:
        program: absolute path of its program, or None when it is not installed.
        credentials: variables with API keys or tokens, for the product's process alone.
        login_folder: the user's own configuration folder of the product, to use that login; None when
            `credentials` do.
        base_url: another address of the model's API, for closed runs and gateways; None is the vendor's.
        max_retries: how often the product itself repeats a failed request to its model, where it can be told.
    """

    program: str | None
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    login_folder: Path | None = None
    base_url: str | None = None
    max_retries: int = 4


def find_installation(pin: AgentPin, *, environment: Mapping[str, str]) -> Installation:
    """Find the product and its login by the user's own environment; an API key goes before a login."""
    credentials = {name: environment[name] for name in pin.key_variables if environment.get(name)}
    folder = Path(environment.get(pin.login_variable) or Path(environment.get("HOME", "/"), pin.login_home))
    has_login = any((folder / name).is_file() for name in pin.login_files)
    return Installation(
        program=find_program(pin.command, path=environment.get("PATH")),
        credentials=credentials,
        login_folder=folder if has_login and not credentials else None,
        base_url=environment.get(pin.base_url_variable) or None,
    )


def find_program(command: str, *, path: str | None) -> str | None:
    """Absolute path of a program on a search path, or None when it is not there."""
    found = shutil.which(command, path=path)
    return None if found is None else str(Path(found).absolute())


@dataclass(frozen=True, kw_only=True)
class InstalledAgent:
    """What the adapters of all installed products have in common.

    `output_schema` is the JSON Schema of the final answer, for products that are asked for nothing but data.
    """

    calls_tools: ClassVar[bool] = True
    reads_reference_answer: ClassVar[bool] = False

    pin: AgentPin
    installation: Installation
    output_schema: Mapping[str, JsonValue] | None = None

    @property
    def default_model(self) -> str:
        """The model of runs that name none."""
        return self.pin.default_model

    def choose_model(self, job: AgentJob) -> str:
        """The model of the job's run."""
        return job.run.model_name or self.default_model

    def find_version(self) -> str | None:
        """Version of the installed product."""
        return read_version(self.installation.program) if self.installation.program else None

    def explain_unsupported(self, setup: SearchSetup) -> str | None:  # noqa: ARG002 - part of the Protocol
        """Nothing: an installed product runs every setup."""
        return None

    def list_own_tools(self, setup: SearchSetup) -> frozenset[str]:
        """The product's own tools that the contract allows."""
        return self.pin.list_own_tools(setup.kind)

    @property
    def may_log_in(self) -> bool:
        """Whether there is a key or a login, or a gateway of the user's own, which may ask for none."""
        account = self.installation
        return bool(account.credentials or account.login_folder or account.base_url)

    def require_program(self) -> str:
        """The program. Raises RunError with what to install when there is none."""
        if self.installation.program is None:
            raise RunError(
                f"{self.pin.command!r} is not on PATH; npm install -g {self.pin.package}@{self.pin.version}",
                status=RunStatus.AGENT_ERROR,
            )
        return self.installation.program

    def furnish_home(self, home: Path) -> None:
        """Put into the private home what every run needs: a scratch folder of its own."""
        (home / "tmp").mkdir(mode=0o700, exist_ok=True)

    def run_command(
        self,
        command: Sequence[str],
        job: AgentJob,
        *,
        env: Mapping[str, str],
        config_folder: Path,
        on_line: Callable[[bytes], Stop | None],
    ) -> ProcessResult:
        """Run the product with the user's login lent to it, its output in the job's record.

        Args:
            command: the program and its arguments; the prompt comes on its standard input.
            job: what it works on.
            env: its whole environment.
            config_folder: where in its private home the product keeps its login.
            on_line: hears each line of its event stream.
        """
        with lend_login(self.pin, source=self.installation.login_folder, target=config_folder):
            return run_process(
                command,
                cwd=job.workspace,
                env=env,
                run_id=job.mark,
                stdin_bytes=job.prompt.encode("utf-8", "replace"),
                stdout_path=job.record / "events.jsonl",
                stderr_path=job.record / "stderr.log",
                timeout_s=job.run.task.budgets.wall_clock_s,
                on_line=on_line,
            )


def read_version(program: str) -> str | None:
    """What ``--version`` says, or None when it says nothing of use. Asked once per program and process."""
    try:
        return _ask_version(program, Path(program).stat().st_mtime_ns)
    except OSError:
        return None


@functools.lru_cache(maxsize=16)
def _ask_version(program: str, modified_ns: int) -> str | None:  # noqa: ARG001 - a new program is asked anew
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_VERSION_LIMIT_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = _VERSION.search(done.stdout)
    return match[0] if match else None
