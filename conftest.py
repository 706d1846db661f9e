"""This repository's own choices for its tests; what users need is in the plugin."""

from __future__ import annotations

pytest_plugins = ["pytester"]
