"""The hooks that extensions may implement, in a ``conftest.py`` or an installed pytest plugin.

Statistics, blinding order, status rules and the summary's schema are deliberately not hooks: a number
means the same in every installation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_searchlight.domain import RunRecord, TestRun
    from pytest_searchlight.extensions import Registry


@pytest.hookspec
def pytest_searchlight_register(registry: Registry) -> None:
    """Add agents, search setups, validators, judges or audit rules to `registry`.

    Called once in every process, after the built-ins were added through the same hook. Names that are
    taken are refused: extensions add, they do not replace.
    """


@pytest.hookspec
def pytest_searchlight_modify_runs(config: pytest.Config, runs: list[TestRun]) -> None:
    """Remove or reorder, in place, the runs of one catalog before they become pytest items.

    Called in every worker; the result must not depend on clock, network, environment or hash order.
    """


@pytest.hookspec
def pytest_searchlight_run_started(run: TestRun) -> None:
    """`run` is about to start, in the process that runs it."""


@pytest.hookspec
def pytest_searchlight_run_finished(run: TestRun, record: RunRecord) -> None:
    """`run` has ended and its evidence is sealed, in the process that ran it."""


@pytest.hookspec
def pytest_searchlight_summary_extra(records: list[RunRecord]) -> dict[str, Any]:
    """JSON-ready entries for the summary's ``extra``; called once, in the controller."""
    raise NotImplementedError
