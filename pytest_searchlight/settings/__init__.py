"""Merges options, ini values, the environment and ``.env`` into one frozen `Settings`.

This is the only room that reads the environment. Secrets stay in `Settings.secrets`, whose values are
never printed; agents get `Settings.environment` cut down to an allow-list by the workspace room.
"""

from pytest_searchlight.settings.earlier_sessions import (
    check_new_session,
    check_session_folder,
    find_session,
    recall_options,
)
from pytest_searchlight.settings.environment import (
    looks_secret,
    read_env_file,
    read_process_environment,
    select_secrets,
)
from pytest_searchlight.settings.reading import CALIBRATION_RUNS, read_settings
from pytest_searchlight.settings.records import INSTALLS_FOLDER, STATE_FOLDER, SessionCaps, Settings
from pytest_searchlight.settings.shipped import find_config_folders, find_shipped

__all__ = [
    "CALIBRATION_RUNS",
    "INSTALLS_FOLDER",
    "STATE_FOLDER",
    "SessionCaps",
    "Settings",
    "check_new_session",
    "check_session_folder",
    "find_config_folders",
    "find_session",
    "find_shipped",
    "looks_secret",
    "read_env_file",
    "read_process_environment",
    "read_settings",
    "recall_options",
    "select_secrets",
]
