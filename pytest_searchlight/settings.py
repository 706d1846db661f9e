"""Merges options, ini values, the environment and ``.env`` into one frozen `Settings`.

This is the only room that reads the environment. Secrets stay in `Settings.secrets`, whose values are
never printed; agents get `Settings.environment` cut down to an allow-list by the workspace room.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.errors import SettingsError
from pytest_searchlight.gates import Gate, read_rate_gates, read_regression_gates

PACKAGE_FOLDER: Final = Path(__file__).resolve().parent
STATE_FOLDER: Final = ".searchlight"
REFERENCE_SETUPS: Final = ("floor", "ceiling")
CALIBRATION_RUNS: Final = 5
"""How often a calibration runs each task under each reference setup."""

INSTALLS_FOLDER: Final = ".searchlight/installs"

OptionReader = Callable[[str], object]
"""Gives the raw value of an option by its dest: command line first, then ini, else None."""


@dataclass(frozen=True, kw_only=True)
class SessionCaps:
    """What a whole session may use; None is no limit. US dollars, tokens, calls, seconds."""

    cost_usd: float | None = None
    tokens: float | None = None
    provider_calls: float | None = None
    wall_clock_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything a session was told. Empty tuples and None mean "the catalog's own"."""

    root: Path
    setups: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    repetitions: int | None = None
    output: Path | None = None
    resume: Path | bool = False
    regrade: Path | None = None
    judge: str | None = None
    calibrate: bool = False
    uncalibrated: bool = False
    include_expired: bool = False
    tap_costs: bool = False
    seed: int = 0
    plan: bool = False
    caps: SessionCaps = SessionCaps()
    exit_on: str = "tests"
    baseline: Path | None = None
    gates: tuple[Gate, ...] = ()
    catalogs: Path = Path("catalogs")
    config_folders: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    def describe_options(self) -> dict[str, JsonValue]:
        """The options that a session records, to be resumed and repeated by; no paths, no secrets."""
        return {
            "setup": list(self.setups),
            "agent": list(self.agents),
            "model": list(self.models),
            "task": list(self.tasks),
            "repetitions": self.repetitions,
            "judge": self.judge,
            "calibrate": self.calibrate,
            "uncalibrated": self.uncalibrated,
            "include_expired": self.include_expired,
            "tap_costs": self.tap_costs,
            "seed": self.seed,
            "max_cost_usd": self.caps.cost_usd,
            "max_tokens": self.caps.tokens,
            "max_provider_calls": self.caps.provider_calls,
            "max_wall_clock_s": self.caps.wall_clock_s,
        }

    @property
    def calibration_file(self) -> Path:
        """Which tasks are admitted for which agents and models, for all sessions of the project."""
        return self.root / STATE_FOLDER / "calibration.json"

    def choose_models(self, agent: str, default: str | None) -> tuple[str | None, ...]:
        """The models `agent` runs with: those named for it, else the bare ones, else `default`."""
        if default is None:
            return (None,)
        own = tuple(model.partition("=")[2] for model in self.models if model.startswith(f"{agent}="))
        bare = tuple(model for model in self.models if "=" not in model)
        return own or bare or (default,)


def read_settings(
    read_option: OptionReader, *, root: Path, catalogs: Path, config: Path, environ: Mapping[str, str]
) -> Settings:
    """Build the settings of a session.

    Args:
        read_option: raw option values by dest.
        root: the project's root folder; relative folders and ``.env`` are looked up there.
        catalogs: the catalogs folder.
        config: the project's own configuration folder; it is read after the shipped one.
        environ: the process environment.

    Raises:
        SettingsError: an option breaks a rule; the message names it, its value and the rule.
    """
    values = _OptionValues(read_option)
    environment = {**read_env_file(root / ".env"), **environ}
    calibrate = values.read_flag("calibrate")
    return Settings(
        root=root,
        setups=values.read_names("setup") or (REFERENCE_SETUPS if calibrate else ()),
        agents=values.read_names("agent"),
        models=values.read_names("model"),
        tasks=values.read_names("task"),
        repetitions=values.read_count("repetitions") or (CALIBRATION_RUNS if calibrate else None),
        output=values.read_path("output", root),
        resume=values.read_path("resume", root) or values.read_flag("resume"),
        regrade=values.read_path("regrade", root),
        judge=values.read_text("judge"),
        calibrate=calibrate,
        uncalibrated=values.read_flag("uncalibrated"),
        include_expired=values.read_flag("include-expired"),
        tap_costs=values.read_flag("tap-costs"),
        seed=values.read_seed("seed"),
        plan=values.read_flag("plan"),
        caps=SessionCaps(
            cost_usd=values.read_limit("max-cost-usd"),
            tokens=values.read_limit("max-tokens"),
            provider_calls=values.read_limit("max-provider-calls"),
            wall_clock_s=values.read_limit("max-wall-clock-s"),
        ),
        exit_on=values.read_choice("exit", choices=("tests", "soundness")),
        baseline=values.read_path("baseline", root),
        gates=values.read_gates(),
        catalogs=catalogs,
        config_folders=find_config_folders(config),
        environment=environment,
        secrets=select_secrets(environment),
    )


def find_shipped(name: str) -> Path:
    """The ``catalogs`` or ``config`` folder that travels with the package (wheel or source tree)."""
    installed = PACKAGE_FOLDER / "_shipped" / name
    return installed if installed.is_dir() else PACKAGE_FOLDER.parent / name


def find_config_folders(project: Path) -> tuple[Path, ...]:
    """The shipped configuration folder, then the project's own when it is another one."""
    shipped = find_shipped("config")
    if not project.is_dir() or project.resolve() == shipped.resolve():
        return (shipped,)
    return (shipped, project)


def find_session(settings: Settings) -> Path | None:
    """The folder of the session to go on with, or None when a new one is started.

    Raises:
        SettingsError: there is no such session.
    """
    if settings.resume is False:
        return None
    if isinstance(settings.resume, Path):
        return check_session_folder(settings.resume, option="--searchlight-resume")
    state = settings.root / STATE_FOLDER
    found = sorted(state.glob("*/session.json"), key=lambda file: file.stat().st_mtime_ns)
    if not found:
        raise SettingsError(f"--searchlight-resume: no earlier session under {state}; leave the option out")
    return found[-1].parent


def check_session_folder(folder: Path, *, option: str) -> Path:
    """`folder` when it holds a session. Raises SettingsError otherwise."""
    if not (folder / "session.json").is_file():
        raise SettingsError(
            f"{option}: {folder} is not a session folder (it has no session.json); name one, for example "
            f"{STATE_FOLDER}/20260131-120000-1a2b"
        )
    return folder


def check_new_session(folder: Path) -> None:
    """Raise SettingsError when `folder` holds a session already: its evidence is not reused unasked."""
    if (folder / "session.json").exists():
        raise SettingsError(
            f"--searchlight-output: {folder} holds a session already; go on with it by "
            f"--searchlight-resume={folder}, or choose another folder"
        )


def recall_options(folder: Path) -> dict[str, str]:
    """The options an earlier session recorded, by dest, as text. Raises SettingsError when unreadable."""
    try:
        options = json.loads((folder / "session.json").read_bytes())["options"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{folder / 'session.json'}: not a readable session ({error})") from error
    texts = {
        name: ",".join(value) if isinstance(value, list) else str(value)
        for name, value in options.items()
        if value not in (None, [])
    }
    return {f"searchlight_{name}": text for name, text in texts.items()}


_SECRET_NAME = re.compile(r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_|$)", re.IGNORECASE)


def looks_secret(name: str) -> bool:
    """Whether an environment variable's name says that its value is a secret."""
    return _SECRET_NAME.search(name) is not None


def select_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables whose names say that their values are secrets."""
    return {name: value for name, value in environment.items() if looks_secret(name) and value}


_ENV_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*\Z")


def read_env_file(path: Path) -> dict[str, str]:
    """Variables of a ``.env`` file: ``NAME=value`` lines, optional quotes, ``#`` comments.

    Raises:
        SettingsError: a line is neither; the message gives file and line, never the line's text.
    """
    if not path.is_file():
        return {}
    variables: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _ENV_LINE.match(line)
        if match is None:
            raise SettingsError(f"{path}:{number}: expected NAME=value; correct or comment out the line")
        variables[match[1]] = _unquote(match[2])
    return variables


def _unquote(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return re.split(r"\s+#", value, maxsplit=1)[0]


class _OptionValues:
    """Typed reading of raw option values; every refusal names the option, the value and the rule."""

    def __init__(self, read_option: OptionReader) -> None:
        self._read_option = read_option

    def _read(self, name: str) -> object:
        return self._read_option(f"searchlight_{name.replace('-', '_')}")

    def _refuse(self, name: str, raw: object, rule: str) -> SettingsError:
        return SettingsError(f"--searchlight-{name}: {str(raw)!r} {rule}")

    def read_names(self, name: str) -> tuple[str, ...]:
        text = str(self._read(name) or "").replace("\n", ",")
        names = tuple(part.strip() for part in text.split(",") if part.strip())
        if len(set(names)) != len(names):
            raise self._refuse(name, text, "gives a name twice; name each once")
        return names

    def read_text(self, name: str) -> str | None:
        raw = self._read(name)
        return None if raw in (None, "") else str(raw)

    def read_count(self, name: str) -> int | None:
        raw = self._read(name)
        if raw in (None, ""):
            return None
        text = str(raw)
        if not (text.isascii() and text.isdigit() and int(text) >= 1):
            raise self._refuse(name, raw, "is not a whole number of 1 or more")
        return int(text)

    def read_seed(self, name: str) -> int:
        raw = self._read(name)
        if raw in (None, ""):
            return 0
        text = str(raw)
        if not (text.isascii() and text.isdigit()):
            raise self._refuse(name, raw, "is not a whole number of 0 or more")
        return int(text)

    def read_limit(self, name: str) -> float | None:
        raw = self._read(name)
        if raw in (None, ""):
            return None
        try:
            limit = float(str(raw))
        except ValueError:
            limit = -1.0
        if not 0 <= limit < float("inf"):
            raise self._refuse(name, raw, "is not a number of 0 or more")
        return limit

    def read_flag(self, name: str) -> bool:
        raw = self._read(name)
        text = str(raw or "false").lower()
        if text not in _TRUE | _FALSE:
            raise self._refuse(name, raw, "is neither true nor false")
        return text in _TRUE

    def read_gates(self) -> tuple[Gate, ...]:
        regressions = read_regression_gates(self._read_joined("fail-on"))
        if regressions and not self._read("baseline"):
            raise self._refuse("fail-on", regressions[0].text, "needs --searchlight-baseline to compare with")
        return regressions + read_rate_gates(self._read_joined("fail-under"))

    def _read_joined(self, name: str) -> str:
        """The values of an option that may be given several times, or its one ini value."""
        raw = self._read(name) or ""
        return "\n".join(map(str, raw)) if isinstance(raw, list) else str(raw)

    def read_choice(self, name: str, *, choices: tuple[str, ...]) -> str:
        raw = self._read(name) or choices[0]
        if raw not in choices:
            raise self._refuse(name, raw, f"is none of {', '.join(choices)}")
        return str(raw)

    def read_path(self, name: str, root: Path) -> Path | None:
        raw = self._read(name)
        return None if isinstance(raw, bool) or raw in (None, "") else root / str(raw)


_TRUE: Final = frozenset({"true", "1", "yes", "on"})
_FALSE: Final = frozenset({"false", "0", "no", "off"})


def read_process_environment() -> dict[str, str]:
    """The process environment, read here and nowhere else."""
    return dict(os.environ)
