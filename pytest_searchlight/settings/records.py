"""What a session was told: frozen, and complete before the first run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.gates import Gate

STATE_FOLDER: Final = ".searchlight"
INSTALLS_FOLDER: Final = f"{STATE_FOLDER}/installs"


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
