"""The hooks by which a benchmark session lives within a pytest session."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_searchlight.catalog import find_catalogs, looks_like_catalog
from pytest_searchlight.comparison.session_gates import SessionGates
from pytest_searchlight.domain import STATUS_RULES, RunRecord, RunStatus, TestRun
from pytest_searchlight.errors import DiskError, SearchlightError, UserError
from pytest_searchlight.grading import describe_unrun
from pytest_searchlight.hooks.opening import (
    describe_selection,
    end_on_signals,
    open_session,
    recall_selection,
    refuse_repeaters,
)
from pytest_searchlight.hooks.progress_hooks import ProgressHooks
from pytest_searchlight.hooks.terminal import Terminal
from pytest_searchlight.items.collection import ITEM_KEY, RUN_KEY, RUN_PARAMETER, SESSION_KEY, CatalogFile
from pytest_searchlight.items.phases import CALL_REPORT_KEY
from pytest_searchlight.proofs import check_tasks
from pytest_searchlight.reporting.texts import clean_text
from pytest_searchlight.run_rows import PlannedRun, read_records, write_plan
from pytest_searchlight.session.benchmark import BenchmarkSession
from pytest_searchlight.session.facts import describe_session
from pytest_searchlight.session.holding import HeldFolder
from pytest_searchlight.session.outcome import SessionOutcome
from pytest_searchlight.session.plan import describe_plan
from pytest_searchlight.session.preflight import (
    check_configuration,
    check_gates,
    check_session,
    list_session_lanes,
    list_version_warnings,
    refuse_namesakes,
)
from pytest_searchlight.session.preparation import make_room, prepare_setups
from pytest_searchlight.summary_schema import Summary


@dataclass(eq=False)  # older releases of pytest hash plugins
class SessionHooks:
    """A plugin object that lives as long as one pytest session.

    Attributes:
        config: pytest's configuration.
        session: the benchmark session as this process sees it.
        outcome: what it comes to.
    """

    config: pytest.Config
    session: BenchmarkSession
    outcome: SessionOutcome
    _problem: str | None = None

    @classmethod
    def create(cls, config: pytest.Config, *, place: tuple[str, float]) -> SessionHooks:
        """Read the settings, fill the registry and choose the session's folder.

        Raises:
            pytest.UsageError: an option, an ini value or a configuration file is wrong.
        """
        try:
            session = open_session(config, place=place)
        except UserError as error:
            raise pytest.UsageError(str(error)) from None
        config.stash[SESSION_KEY] = session
        settings = session.settings
        gates = SessionGates(gates=settings.gates, baseline_path=settings.baseline)
        hooks = cls(config, session, SessionOutcome(session=session, gates=gates))
        if hooks.is_controller:
            config.pluginmanager.register(ProgressHooks(config), "searchlight-progress")
        return hooks

    @property
    def _terminal(self) -> Terminal:
        return Terminal(self.config)

    @property
    def is_controller(self) -> bool:
        """Whether this process is the one the user started, not an xdist worker."""
        return not hasattr(self.config, "workerinput")

    # --- before collection -------------------------------------------------------------------------------

    def choose_arguments(self) -> None:
        """Collect the catalogs folder when no path was given. Raises pytest.UsageError when there is none."""
        config, settings = self.config, self.session.settings
        if settings.plan:
            config.option.dist = "no"
        if getattr(config.option, "maxschedchunk", 0) is None:
            config.option.maxschedchunk = 1  # runs are long, so a worker should not hoard them
        if config.args_source is pytest.Config.ArgsSource.ARGS:
            return
        recalled = recall_selection(self.session)
        config.args = recalled.get("paths") or [str(settings.catalogs)]
        config.option.keyword = config.option.keyword or recalled.get("keyword", "")
        config.option.markexpr = config.option.markexpr or recalled.get("markers", "")
        if not recalled and not _holds_tasks(settings.catalogs):
            lack = "no catalog in" if settings.catalogs.is_dir() else "no catalogs folder at"
            raise pytest.UsageError(
                f"{lack} {settings.catalogs}; name a catalog's path, set searchlight_catalogs "
                "in your ini file, or let `sew init` write a starter catalog"
            )

    @property
    def _runs_nothing(self) -> bool:
        given = self.config.option
        shows = given.collectonly or given.setupplan or given.showfixtures or given.show_fixtures_per_test
        return bool(shows or self.session.settings.plan)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Take hold of the signals; in the controller, refuse what cannot run before anything is spent."""
        end_on_signals(is_worker=not self.is_controller)
        if not self.is_controller:
            return
        try:
            refuse_repeaters(self.config)
            for path in self._find_argument_catalogs():
                check_tasks(self.session.read_catalog(path), self.session.registry)
            refuse_namesakes(self.session.catalogs)
            check_gates(self.session, self.outcome.gates)
            check_configuration(self.session)
            if not self._runs_nothing:
                self.config.add_cleanup(HeldFolder.take(self.session.folder).release)
                make_room(self.session)
            if self.session.settings.regrade is None:
                check_session(self.session)
                for warning in list_version_warnings(self.session):
                    self._terminal.tell(f"warning: {warning}")
                self._prepare_setups()
        except (UserError, DiskError) as error:
            raise pytest.UsageError(str(error)) from None

    def _prepare_setups(self) -> None:
        if self._runs_nothing:
            return
        lanes = list_session_lanes(self.session)
        prepare_setups(self.session, lanes, tell=self._terminal.tell)

    def _find_argument_catalogs(self) -> Iterator[Path]:
        for argument in self.config.args:
            path = self.config.invocation_params.dir / argument.partition("::")[0]
            yield from find_catalogs(path) if path.is_dir() else [path] * looks_like_catalog(path)

    def pytest_report_header(self) -> list[str]:
        """Say where results go, and what is reused."""
        place = self._terminal.show(self.session.folder.root)
        lines = [] if self._runs_nothing else [f"searchlight: results in {place}"]
        if self.session.settings.resume:
            records = read_records(self.session.folder)
            measured = sum(STATUS_RULES[record.status].counts for record in records)
            lines.append(
                f"searchlight: resuming; {measured} of {len(records)} planned runs are measured, and reused "
                "where task and setup are unchanged"
            )
        if self.session.settings.regrade:
            lines.append(
                f"searchlight: grading evidence of {self._terminal.show(self.session.settings.regrade)} again"
            )
        return lines

    # --- collection --------------------------------------------------------------------------------------

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> CatalogFile | None:
        """Collect a catalog."""
        return CatalogFile.from_parent(parent, path=file_path) if looks_like_catalog(file_path) else None

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Collect without looking for garbage: what is collected stays, and ten thousand items are many."""
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return (yield)
        finally:
            if was_enabled:
                gc.enable()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note the runs of Python tests, which are parameters of theirs."""
        for item in items:
            callspec = getattr(item, "callspec", None)
            run = None if callspec is None else callspec.params.get(RUN_PARAMETER)
            if isinstance(run, TestRun):  # pytest puts something else there when no run was selected
                item.stash[RUN_KEY] = run

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Write down which runs are planned; every worker collects the same ones."""
        runs = {item.nodeid: item.stash[RUN_KEY] for item in session.items if RUN_KEY in item.stash}
        if self._runs_nothing or not runs:
            return
        try:
            selection = describe_selection(self.config)
            self.session.start(describe_session(self.session, selection=selection))
            write_plan(self.session.folder, (_plan_run(nodeid, run) for nodeid, run in runs.items()))
        except SearchlightError as error:
            self._give_up(session, error)

    def _give_up(self, session: pytest.Session, error: SearchlightError) -> None:
        """End before the first run. From a worker, why it stopped is all that xdist passes on."""
        if self.is_controller:
            raise pytest.UsageError(str(error)) from None
        session.shouldstop = self._problem = clean_text(error)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Let fixtures find their item, or make no run after all: a worker is sent it before it may stop."""
        self.config.stash[ITEM_KEY] = item
        if self._problem is not None:
            pytest.fail(self._problem, pytrace=False)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """With ``--searchlight-plan``, say what would run instead of running it."""
        if not self.session.settings.plan:
            return None
        runs = [item.stash[RUN_KEY] for item in session.items if RUN_KEY in item.stash]
        for line in describe_plan(runs, session=self.session):
            self._terminal.write_line(line)
        return True

    # --- running -----------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Keep the call phase's report, whose assertions are the checks of a Python test.

        The controller of a distributed session keeps every report of every item, so a run's facts ride on its
        last report alone, where junit and progress read them, and keywords only where something went wrong.
        """
        report = yield
        if call.when == "call":
            item.stash[CALL_REPORT_KEY] = report
        if RUN_KEY in item.stash:
            if call.when != "teardown":
                report.user_properties = []
            if report.passed:
                report.keywords = {}
        return report

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str) -> None:
        """A worker died in the middle of a run: a fault of infrastructure, never a wrong answer."""
        if not self.session.folder.plan_file.is_file():
            return  # it died of an ordinary test, in a session without runs
        try:
            self.session.store.seal_crashed(crashitem)
        except SearchlightError as error:
            self._terminal.tell(clean_text(error))

    # --- the end -----------------------------------------------------------------------------------------

    def pytest_keyboard_interrupt(self) -> None:
        """Let workers start no further run while xdist, which takes its time, ends them."""
        if not self.is_controller or not self.session.folder.plan_file.is_file():
            return
        with suppress(SearchlightError):  # a full disk is what may have stopped the session
            self.session.ledger.declare_interrupted()
        if self.config.pluginmanager.has_plugin("dsession"):
            # xdist lets workers finish for five seconds, interrupts them, and kills them five seconds later.
            self._terminal.tell("interrupted; runs that are under way get up to ten seconds to end")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """In the controller, turn the evidence into numbers, once xdist has ended the workers."""
        self.session.close()
        if not self.is_controller or not self.session.folder.plan_file.is_file():
            return
        try:
            summary = self.outcome.sum_up(self._collect_extra())
        except SearchlightError as error:
            self._problem = str(error)
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            return
        if session.exitstatus in _ENDED_BY_ITSELF:
            session.exitstatus = self._choose_exit(summary, session.exitstatus)

    def _choose_exit(self, summary: Summary, exit_code: int) -> int:
        if self.outcome.judged is not None and self.outcome.judged.fails:
            return pytest.ExitCode.TESTS_FAILED
        if self.session.settings.exit_on != "soundness":
            return exit_code
        sound = summary.counts.graded == summary.counts.planned
        return pytest.ExitCode.OK if sound else pytest.ExitCode.TESTS_FAILED

    def _collect_extra(self) -> dict[str, Any]:
        if not self.config.hook.pytest_searchlight_summary_extra.get_hookimpls():
            return {}  # reading ten thousand records takes a second
        records: list[RunRecord] = read_records(self.session.folder)
        parts = self.config.hook.pytest_searchlight_summary_extra(records=records)
        return {name: value for part in parts for name, value in part.items()}

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The result table, what was not counted, and the files."""
        if self._problem is not None:
            part = "no summary" if self.outcome.summary is None else "incomplete"
            terminalreporter.write_line(f"searchlight: {part}: {self._problem}", red=True)
        if self.outcome.summary is not None:
            terminalreporter.section("searchlight")
        for line in self.outcome.describe(self._terminal.show):
            terminalreporter.write_line(line.text, red=line.tone == "failure", yellow=line.tone == "warning")


_ENDED_BY_ITSELF: Final = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


def _holds_tasks(catalogs: Path) -> bool:
    """Whether there is a catalog, or Python code, which may hold tasks too."""
    return any(find_catalogs(catalogs)) or any(catalogs.rglob("*.py"))


def _plan_run(nodeid: str, run: TestRun) -> PlannedRun:
    reason = "the session ended before it"
    return PlannedRun(nodeid=nodeid, record=describe_unrun(run, status=RunStatus.NOT_RUN, reason=reason))
