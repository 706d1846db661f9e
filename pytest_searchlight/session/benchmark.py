"""One benchmark session: what fixtures and hooks share in one process.

Everything expensive is made when first needed, because most pytest runs never need any of it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path

from pydantic import JsonValue

from pytest_searchlight.calibration import (
    Calibration,
    JudgeName,
    Recalibration,
    calibrate,
    explain_not_admitted,
    read_calibration,
    write_calibration,
)
from pytest_searchlight.catalog import Catalog, read_catalog
from pytest_searchlight.costs.runs import price_run
from pytest_searchlight.costs.token_prices import PriceList, read_prices
from pytest_searchlight.domain import Cost, SearchSetup, SetupKind, TestRun
from pytest_searchlight.evidence import (
    OpenBundle,
    Scrubber,
    SessionFolder,
    encode_json,
    open_bundle,
    write_atomic,
)
from pytest_searchlight.extensions import Agent, AgentTrace, ObservedRun, Registry
from pytest_searchlight.grading import GradedRun, grade_run
from pytest_searchlight.judging import BriefJudging, open_judging, refuse_other_judges
from pytest_searchlight.limits import UNLIMITED, Limits, read_limits
from pytest_searchlight.providers import build_server_launch
from pytest_searchlight.run_rows import read_records
from pytest_searchlight.runner import (
    Attempts,
    MeteringProxy,
    OpenWorkspace,
    Pace,
    choose_pause_s,
    name_busy_side,
)
from pytest_searchlight.session.ledger import Ledger
from pytest_searchlight.session.store import RunStore, name_lane
from pytest_searchlight.settings import INSTALLS_FOLDER, Settings
from pytest_searchlight.workspace import (
    ScratchRoot,
    Workspace,
    allowed_environment,
    create_scratch_root,
    find_abandoned_roots,
    remove_tree,
)


@dataclass(frozen=True, kw_only=True)
class BenchmarkSession:
    """The session as one process sees it; the controller and each worker have their own.

    Attributes:
        settings: what was asked for.
        registry: agents, setups, validators, judges and audit rules.
        folder: where evidence goes; the same for all processes of the session.
        started_at_s: start of the session, seconds since the epoch.
    """

    settings: Settings
    registry: Registry
    folder: SessionFolder
    started_at_s: float
    _catalogs: dict[Path, Catalog] = field(default_factory=dict)
    _named_catalogs: dict[str, Catalog] = field(default_factory=dict)
    _judgings: dict[str, BriefJudging] = field(default_factory=dict)
    _versions: dict[str, str | None] = field(default_factory=dict)

    # --- catalogs ----------------------------------------------------------------------------------------

    def read_catalog(self, path: Path) -> Catalog:
        """The catalog at `path`, read once. Raises CatalogError."""
        if path not in self._catalogs:
            self.add_catalog(read_catalog(path), path)
        return self._catalogs[path]

    def add_catalog(self, catalog: Catalog, path: Path) -> None:
        """Make a catalog known whose tasks were written in Python; those of one file share all but tasks."""
        self._catalogs[path] = self._named_catalogs[catalog.name] = catalog

    @property
    def catalogs(self) -> tuple[Catalog, ...]:
        """The catalogs read so far."""
        return tuple(self._catalogs.values())

    # --- starting ----------------------------------------------------------------------------------------

    @cached_property
    def ledger(self) -> Ledger:
        """What the processes of the session share."""
        return Ledger(self.folder.ledger_file, caps=self.settings.caps, started_at_s=self.started_at_s)

    @cached_property
    def prices(self) -> PriceList:
        """What tokens cost."""
        return read_prices(self.settings.config_folders)

    @cached_property
    def calibration(self) -> Calibration:
        """Which tasks are admitted, as calibrated so far."""
        file = self.settings.calibration_file
        return read_calibration(file) if file.is_file() else Calibration(records=())

    def record_calibration(self) -> Recalibration:
        """Add this session's floor and ceiling runs to the project's calibration. Raises EvidenceError."""
        rows = read_records(self.folder)
        judges = {catalog.name: self._name_judge(catalog.name) for catalog in self.catalogs}
        made = calibrate(rows, catalogs=self.catalogs, judges=judges, earlier=self.calibration)
        updated = self.calibration.update(made)
        write_calibration(updated, path=self.settings.calibration_file)
        return Recalibration.compare(made, updated)

    @cached_property
    def limits(self) -> Mapping[str, Limits]:
        """How hard setups and agents may be driven."""
        return read_limits(self.settings.config_folders)

    @cached_property
    def scratch(self) -> ScratchRoot:
        """Where workspaces are made: outside every project, so that no project's files steer an agent.

        What killed sessions left there goes first: it may hold keys.
        """
        parent = Path(tempfile.gettempdir())
        for abandoned in find_abandoned_roots(parent):
            remove_tree(abandoned)
        return create_scratch_root(parent)

    @cached_property
    def scrub(self) -> Scrubber:
        """Removes the session's secrets from what is written."""
        return Scrubber(self.settings.secrets.values())

    @cached_property
    def store(self) -> RunStore:
        """Where settled runs are kept and found again."""
        return RunStore(self.folder, scrub=self.scrub, ledger=self.ledger)

    @cached_property
    def environment(self) -> dict[str, str]:
        """The environment agents get, without keys."""
        return allowed_environment(self.settings.environment)

    def close(self) -> None:
        """Remove what only the running process needs."""
        for name in ("ledger", "scratch"):
            if name in self.__dict__:
                self.__dict__[name].close()

    def start(self, facts: Mapping[str, JsonValue]) -> None:
        """Make the folder and record the session's `facts`, once.

        Raises:
            EvidenceError: the disk refuses.
            SettingsError: the session goes on with another judge than it began with.
        """
        self.folder.create()
        file = self.folder.session_file
        if file.exists():
            refuse_other_judges(json.loads(file.read_bytes()), facts, file=file)
        else:
            write_atomic(file, encode_json(dict(facts)))

    # --- runs --------------------------------------------------------------------------------------------

    def find_agent(self, run: TestRun) -> Agent:
        """The agent of `run`."""
        return self.registry.agents.get(run.agent)

    def find_version(self, agent: Agent) -> str | None:
        """The agent product's version, asked for once in each process."""
        if agent.name not in self._versions:
            self._versions[agent.name] = agent.find_version()
        return self._versions[agent.name]

    def explain_skip(self, run: TestRun) -> str | None:
        """Why `run` must not start, in a sentence, or None when it may."""
        return (
            self.explain_unfit(run)
            or self.ledger.explain_interrupted()
            or self.ledger.explain_exhausted()
            or self.ledger.explain_broken(name_lane(run))
        )

    def explain_unfit(self, run: TestRun) -> str | None:
        """Why `run` could never start as planned, in a sentence, or None when it could."""
        return (
            self.find_agent(run).explain_unsupported(run.setup)
            or self._explain_missing_material(run)
            or self._explain_expired(run)
            or self._explain_not_admitted(run)
        )

    def _explain_not_admitted(self, run: TestRun) -> str | None:
        # In a battery floor and ceiling stand beside the others, so they must be on the same tasks.
        calibrates = self.settings.calibrate and run.setup.kind in {SetupKind.FLOOR, SetupKind.CEILING}
        is_needed = self._named_catalogs[run.catalog].defaults.needs_calibration
        if calibrates or self.settings.uncalibrated or not is_needed:
            return None
        version = self.find_version(self.find_agent(run))
        judge = None if run.task.rubric is None else self._name_judge(run.catalog)
        return explain_not_admitted(self.calibration, run, agent_version=version, judge=judge)

    def _name_judge(self, catalog: str) -> JudgeName:
        judge = self.open_judging(catalog).judge
        return JudgeName(name=judge.name, model_name=judge.model_name)

    def _explain_expired(self, run: TestRun) -> str | None:
        window = run.task.freshness
        today = datetime.fromtimestamp(self.started_at_s, UTC).date()
        if window is None or not window.has_passed(today) or self.settings.include_expired:
            return None
        return (
            f"task {run.task.id!r} expired on {window.valid_until}: its reference answer may no longer hold; "
            "--searchlight-include-expired runs it all the same"
        )

    def _explain_missing_material(self, run: TestRun) -> str | None:
        if run.setup.kind is SetupKind.CEILING and run.task.reference is None:
            return f"the ceiling needs a reference, and task {run.task.id!r} has none"
        server, closed_web = run.setup.server, self._named_catalogs[run.catalog].closed_web
        if server is not None and server.uses_closed_web and closed_web is None:
            return (
                f"setup {run.setup.name!r} needs a web/ folder beside catalog {run.catalog!r}; there is none"
            )
        return None

    def open_workspace(self) -> Workspace:
        """A fresh scratch folder for one attempt."""
        return self.scratch.create_workspace()

    def make_proxy(self, run: TestRun) -> MeteringProxy | None:
        """The metering proxy of `run`, or None when its setup has no server or its agent never calls one."""
        if run.setup.server is None or not self.find_agent(run).calls_tools:
            return None
        closed_web = self._named_catalogs[run.catalog].closed_web
        launch = partial(self.build_launch, run.setup, closed_web=closed_web)
        pace = self._choose_pace(run.setup)
        return MeteringProxy(run, launch=launch, tap_costs=self.settings.tap_costs, pace=pace)

    def _choose_pace(self, setup: SearchSetup) -> Pace | None:
        calls_per_s = self.limits.get(setup.name, UNLIMITED).calls_per_s
        return None if calls_per_s is None else Pace(self.folder.root / f"pace.{setup.name}", calls_per_s)

    @property
    def installs(self) -> Path:
        """Where the providers' pinned packages are installed, for all sessions of a project."""
        return self.settings.root / INSTALLS_FOLDER

    def build_launch(self, setup: SearchSetup, *, closed_web: Path | None) -> Mapping[str, JsonValue]:
        """How the setup's server is started, the provider's key included. Raises SettingsError."""
        return build_server_launch(
            setup,
            closed_web=closed_web,
            secrets=self.settings.secrets,
            installs=self.installs,
            project=self.settings.root,
            network=self.settings.environment,
        )

    def settle(
        self, run: TestRun, *, open_workspace: OpenWorkspace, proxy: MeteringProxy | None
    ) -> tuple[ObservedRun, OpenBundle]:
        """Attempt `run` until it settles; see `runner.Attempts`."""
        observed, bundle = self._make_attempts(run, self.find_agent(run), open_workspace, proxy).settle()
        return replace(observed, trace=self._scrub_trace(observed.trace)), bundle

    def _scrub_trace(self, trace: AgentTrace) -> AgentTrace:
        """What an agent says reaches reports and assertions as it is stored: without secrets."""
        if self.scrub.is_idle:
            return trace
        return AgentTrace.model_validate(self.scrub.scrub_value(trace.model_dump()))

    def hold_slots(self, run: TestRun) -> AbstractContextManager[bool]:
        """Waits for its turn with the run's agent and provider, and holds it. Gives whether it had to."""
        return self.ledger.hold_slots(self._list_slots(run))

    def _list_slots(self, run: TestRun) -> dict[str, int | None]:
        return {
            name: self.limits.get(name, UNLIMITED).concurrent_runs for name in (run.agent, run.setup.name)
        }

    def _make_attempts(
        self, run: TestRun, agent: Agent, open_workspace: OpenWorkspace, proxy: MeteringProxy | None
    ) -> Attempts:
        return Attempts(
            run=run,
            agent=agent,
            agent_version=self.find_version(agent),
            open_workspace=open_workspace,
            proxy=proxy,
            open_bundle=partial(open_bundle, self.folder, run.run_id),
            keep_failed=self._keep_failed,
            environment=self.environment,
        )

    def _keep_failed(self, observed: ObservedRun, bundle: OpenBundle) -> None:
        if observed.trace.retry_after_s is not None:
            pause_s = choose_pause_s(1, retry_after_s=observed.trace.retry_after_s)
            self.ledger.pause(name_busy_side(observed), seconds=pause_s)
        self.store.keep_attempt(self.grade(observed, record=bundle.judge_folder), bundle)

    def grade(self, observed: ObservedRun, *, record: Path) -> GradedRun:
        """Audit, score, judge and price one run; `record` takes a judge's raw output."""
        grade = partial(grade_run, observed, registry=self.registry, price=self.price)
        if observed.run.task.rubric is None:
            return grade()
        judging = self.open_judging(observed.run.catalog)
        return grade(assess=partial(judging.assess, record=record), gather=judging.gather)

    def open_judging(self, catalog: str) -> BriefJudging:
        """The judging of a catalog's briefs. Raises SettingsError when the judge is unknown."""
        name = self.settings.judge or self._named_catalogs[catalog].defaults.judge
        if name not in self._judgings:
            opened = open_judging(
                name,
                registry=self.registry,
                folder=self.folder,
                prices=self.prices,
                catalogs=self._named_catalogs if self.settings.regrade is None else None,
            )
            asked_for = {model.rpartition("=")[2] for model in self.settings.models}
            marks = replace(opened.marks, models=opened.marks.models | asked_for)
            self._judgings[name] = replace(opened, marks=marks)
        return self._judgings[name]

    def price(self, observed: ObservedRun) -> Cost:
        """US dollars of a run; unknown parts are None, with the reason."""
        return price_run(observed, prices=self.prices)
