"""The sessions that options name: to go on with, to grade again, or not to write over."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_searchlight.errors import SettingsError
from pytest_searchlight.settings.records import STATE_FOLDER, Settings


def find_session(settings: Settings) -> Path | None:
    """The folder of the session to go on with, or None when a new one is started.

    Raises:
        SettingsError: there is no such session.
    """
    if settings.resume is False:
        return None
    if isinstance(settings.resume, Path):
        return check_session_folder(settings.resume, option="--searchlight-resume")
    if settings.output is not None:
        return check_session_folder(settings.output, option="--searchlight-resume")
    state = settings.root / STATE_FOLDER
    found = sorted(state.glob("*/session.json"), key=lambda file: file.stat().st_mtime_ns)
    if not found:
        raise SettingsError(
            f"--searchlight-resume: no earlier session under {state}; name its folder or leave the option out"
        )
    return found[-1].parent


def check_session_folder(folder: Path, *, option: str | None = None) -> Path:
    """`folder`, as given by `option` or as a command's argument, when it holds a session.

    Raises:
        SettingsError: it holds none.
    """
    if not (folder / "session.json").is_file():
        place = folder if option is None else f"{option}: {folder}"
        raise SettingsError(
            f"{place} is not a session folder (it has no session.json); name one, for example "
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
