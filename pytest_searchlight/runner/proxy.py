"""The metering proxy of one run: its private spec, and the command that starts it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from pytest_searchlight.domain import RunStatus, TestRun
from pytest_searchlight.errors import RunError, UserError
from pytest_searchlight.extensions import McpServer
from pytest_searchlight.metering import METER_PROGRAM
from pytest_searchlight.providers.tap import TAPPED_SPEND, tap_launch
from pytest_searchlight.workspace import Workspace

LaunchServer = Callable[[], Mapping[str, JsonValue]]


@dataclass(frozen=True)
class Pace:
    """How fast all workers together may call a provider, and the file through which they take turns."""

    file: Path
    calls_per_s: float

    def describe(self) -> dict[str, JsonValue]:
        """The pace as the proxy's spec has it."""
        return {"file": str(self.file), "calls_per_s": self.calls_per_s}


@dataclass(frozen=True)
class MeteringProxy:
    """Stands between an agent and the setup's server; one for every attempt.

    `launch` builds the server's part of the proxy's spec, the provider's key included; it is called only
    when a server is really needed. `tap_costs` also reads the charges that the provider's API reports.
    """

    run: TestRun
    launch: LaunchServer
    tap_costs: bool = False
    pace: Pace | None = None

    def prepare(self, workspace: Workspace, wire_folder: Path) -> McpServer:
        """Write the proxy's private spec file and give the command that starts the proxy.

        Raises:
            RunError: the server cannot be launched here; the status is `setup_unavailable`.
        """
        setup = self.run.setup
        wire_folder.mkdir(parents=True, exist_ok=True)
        spec = {
            "server": self._launch_or_fault(wire_folder),
            "spool": str(wire_folder),
            "max_tool_calls": self.run.task.budgets.provider_calls,
            "pace": None if self.pace is None else self.pace.describe(),
        }
        spec_file = workspace.write_private("meter.json", json.dumps(spec).encode())
        assert setup.server is not None, "only setups with a server are metered"
        return McpServer(
            name=setup.name,
            command=(sys.executable, "-I", "-S", str(METER_PROGRAM), "--spec", str(spec_file)),
            tools=tuple(sorted(setup.tool_names)),
            start_timeout_s=setup.server.start_timeout_s,
        )

    def _launch_or_fault(self, wire_folder: Path) -> Mapping[str, JsonValue]:
        try:
            launch = self.launch()
            return tap_launch(launch, record=wire_folder / TAPPED_SPEND) if self.tap_costs else launch
        except UserError as error:
            raise RunError(str(error), status=RunStatus.SETUP_UNAVAILABLE) from error
