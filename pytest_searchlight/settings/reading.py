"""Merges options, ini values, the environment and ``.env`` into one `Settings`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pytest_searchlight.errors import SettingsError
from pytest_searchlight.settings.environment import read_env_file, select_secrets
from pytest_searchlight.settings.option_values import OptionReader, OptionValues
from pytest_searchlight.settings.records import SessionCaps, Settings
from pytest_searchlight.settings.shipped import find_config_folders

_REFERENCE_SETUPS: Final = ("floor", "ceiling")
CALIBRATION_RUNS: Final = 5
"""How often a calibration runs each task under each reference setup."""

MAX_SEED: Final = 2**63 - 1
MAX_REPETITIONS: Final = 1_000
"""Far beyond any study; a slip of the hand must not make pytest collect until the memory is full."""


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
    values = OptionValues(read_option)
    environment = {**read_env_file(root / ".env"), **environ}
    calibrate = values.read_flag("calibrate")
    values.refuse_both("resume", "regrade")
    return Settings(
        root=root,
        setups=_read_setups(values, calibrate=calibrate),
        agents=values.read_names("agent"),
        models=values.read_names("model"),
        tasks=values.read_names("task"),
        repetitions=values.read_whole("repetitions", least=1, most=MAX_REPETITIONS)
        or (CALIBRATION_RUNS if calibrate else None),
        output=values.read_path("output", root),
        resume=values.read_path("resume", root) or values.read_flag("resume"),
        regrade=values.read_path("regrade", root),
        judge=values.read_text("judge"),
        calibrate=calibrate,
        uncalibrated=values.read_flag("uncalibrated"),
        include_expired=values.read_flag("include-expired"),
        tap_costs=values.read_flag("tap-costs"),
        seed=values.read_whole("seed", least=0, most=MAX_SEED) or 0,
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


def _read_setups(values: OptionValues, *, calibrate: bool) -> tuple[str, ...]:
    setups = values.read_names("setup")
    if not calibrate:
        return setups
    if setups and not set(_REFERENCE_SETUPS) & set(setups):
        raise SettingsError(
            f"--searchlight-setup: {','.join(setups)!r} has neither floor nor ceiling, by which "
            "--searchlight-calibrate admits tasks; write --searchlight-setup=floor,ceiling"
        )
    return setups or _REFERENCE_SETUPS
