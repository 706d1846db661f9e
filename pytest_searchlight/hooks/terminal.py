"""What Searchlight writes between pytest's own lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Terminal:
    """The terminal of a pytest session; a worker has none, and writes nothing."""

    config: pytest.Config

    @property
    def reporter(self) -> pytest.TerminalReporter | None:
        """Pytest's own writer."""
        reporter: pytest.TerminalReporter | None = self.config.pluginmanager.get_plugin("terminalreporter")
        return reporter

    def write_line(self, line: str) -> None:
        """Write a line of its own, whatever pytest has begun to write."""
        reporter = self.reporter
        if reporter is not None:
            reporter.ensure_newline()
            reporter.write_line(line)

    def tell(self, text: str) -> None:
        """Write a line that says where it comes from."""
        self.write_line(f"searchlight: {text}")

    def show(self, path: Path) -> str:
        """`path` as the user would write it: relative to the root folder below it."""
        root = self.config.rootpath
        return str(path.relative_to(root) if path.is_relative_to(root) else path)
