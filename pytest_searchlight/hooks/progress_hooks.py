"""Progress, in the process that the user started: the one in which all reports arrive."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from pytest_searchlight.hooks.terminal import Terminal
from pytest_searchlight.items.collection import RUN_KEY
from pytest_searchlight.reporting.progress import Progress


@dataclass(eq=False)  # older releases of pytest hash plugins
class ProgressHooks:
    """A plugin object that counts runs as they end, and shows a line from time to time."""

    config: pytest.Config
    progress: Progress = field(default_factory=Progress)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn how many runs there are."""
        self.progress.planned = sum(RUN_KEY in item.stash for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Learn it from a worker, where others collect."""
        self.progress.planned = len(ids)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a run that has ended; show progress when it is time."""
        terminal = Terminal(self.config)
        self._forget_uneventful(terminal)
        if self.progress.add(report) and self.progress.is_due() and self.config.option.verbose >= 0:
            terminal.tell(self.progress.describe())

    def _forget_uneventful(self, terminal: Terminal) -> None:
        """Drop the reports of set-ups and teardowns that passed: only ``--durations`` has a use for them."""
        reporter = terminal.reporter
        if reporter is not None and self.config.option.durations is None:
            reporter.stats.pop("", None)
