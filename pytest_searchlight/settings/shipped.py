"""The catalogs and the configuration that travel with the package, and the project's own beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

PACKAGE_FOLDER: Final = Path(__file__).resolve().parent.parent


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
