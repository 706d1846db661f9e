"""The hooks of a pytest session in which Searchlight is in play; nothing but wiring."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_searchlight.catalog import find_catalogs, looks_like_catalog
from pytest_searchlight.comparison.session_gates import SessionGates
from pytest_searchlight.domain import STATUS_RULES, RunRecord, RunStatus, TestRun
from pytest_searchlight.errors import SearchlightError, UserError
from pytest_searchlight.grading import describe_unrun
from pytest_searchlight.items.collection import ITEM_KEY, RUN_KEY, RUN_PARAMETER, SESSION_KEY, CatalogFile
from pytest_searchlight.items.phases import CALL_REPORT_KEY
from pytest_searchlight.judging import JUDGE_FOLDERS
from pytest_searchlight.opening import (
    describe_selection,
    end_on_signals,
    open_session,
    recall_selection,
    refuse_namesakes,
    refuse_reruns,
)
from pytest_searchlight.proofs import check_tasks
from pytest_searchlight.reporting.progress import Progress
from pytest_searchlight.reporting.texts import clean_text
from pytest_searchlight.run_rows import PlannedRun, read_records, write_plan
from pytest_searchlight.session.benchmark import BenchmarkSession
from pytest_searchlight.session.facts import describe_session
from pytest_searchlight.session.outcome import SessionOutcome
from pytest_searchlight.session.plan import describe_plan
from pytest_searchlight.session.preflight import (
    check_gates,
    check_session,
    list_session_lanes,
    list_version_warnings,
)
from pytest_searchlight.session.preparation import prepare_setups
from pytest_searchlight.settings import check_new_session
from pytest_searchlight.summary_schema import Summary


@dataclass(eq=False)  # older releases of pytest hash plugins
class SessionHooks:
    """A plugin object that lives as long as one pytest session.

    Attributes:
        config: pytest's configuration.
        session: the benchmark session as this process sees it.
        outcome: what it comes to.
        progress: what has been done so far; used where reports arrive.
    """

    config: pytest.Config
    session: BenchmarkSession
    outcome: SessionOutcome
    progress: Progress = field(default_factory=Progress)
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
        return cls(config, session, SessionOutcome(session=session, gates=gates))

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
        if not recalled and not settings.catalogs.is_dir():
            raise pytest.UsageError(
                f"no catalogs folder at {settings.catalogs}; name a catalog's path, set searchlight_catalogs "
                "in your ini file, or let `sew init` write a starter catalog"
            )

    @property
    def _runs_nothing(self) -> bool:
        return bool(self.config.option.collectonly or self.session.settings.plan)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Take hold of the signals; in the controller, refuse what cannot run before anything is spent."""
        end_on_signals(is_worker=not self.is_controller)
        if not self.is_controller:
            return
        try:
            refuse_reruns(self.config)
            for path in self._find_argument_catalogs():
                check_tasks(self.session.read_catalog(path), self.session.registry)
            refuse_namesakes(self.session.catalogs)
            check_gates(self.session, self.outcome.gates)
            self._make_room()
            if self.session.settings.regrade is None:
                check_session(self.session)
                for warning in list_version_warnings(self.session):
                    self._write_line(f"searchlight: warning: {warning}")
                self._prepare_setups()
        except UserError as error:
            raise pytest.UsageError(str(error)) from None

    def _make_room(self) -> None:
        if self.session.settings.resume:
            self.session.folder.set_aside_partials()
            self.session.ledger.forget_faults()
        elif not self._runs_nothing:
            check_new_session(self.session.folder.root)
            self._take_over_judgements()

    def _take_over_judgements(self) -> None:
        source = self.session.settings.regrade
        if source is None:
            return
        for name in JUDGE_FOLDERS:
            if (source / name).is_dir():
                shutil.copytree(source / name, self.session.folder.root / name)

    def _prepare_setups(self) -> None:
        if self._runs_nothing:
            return
        lanes = list_session_lanes(self.session)
        prepare_setups(self.session, lanes, tell=lambda text: self._write_line(f"searchlight: {text}"))

    def _find_argument_catalogs(self) -> Iterator[Path]:
        for argument in self.config.args:
            path = self.config.invocation_params.dir / argument.partition("::")[0]
            yield from find_catalogs(path) if path.is_dir() else [path] * looks_like_catalog(path)

    def pytest_report_header(self) -> list[str]:
        """Say where results go, and what is reused."""
        lines = [f"searchlight: results in {self._show(self.session.folder.root)}"]
        if self.session.settings.resume:
            records = read_records(self.session.folder)
            measured = sum(STATUS_RULES[record.status].counts for record in records)
            lines.append(
                f"searchlight: resuming; {measured} of {len(records)} planned runs are measured, and reused "
                "where task and setup are unchanged"
            )
        if self.session.settings.regrade:
            lines.append(
                f"searchlight: grading evidence of {self._show(self.session.settings.regrade)} again"
            )
        return lines

    def _show(self, path: Path) -> str:
        return str(
            path.relative_to(self.config.rootpath) if path.is_relative_to(self.config.rootpath) else path
        )

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
        self.progress.planned = len(runs)
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
            self._write_line(line)
        return True

    @property
    def _reporter(self) -> pytest.TerminalReporter | None:
        reporter: pytest.TerminalReporter | None = self.config.pluginmanager.get_plugin("terminalreporter")
        return reporter

    def _write_line(self, line: str) -> None:
        reporter = self._reporter
        if reporter is not None:
            reporter.ensure_newline()
            reporter.write_line(line)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Learn in the controller how many runs there are."""
        self.progress.planned = len(ids)

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

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Show progress from time to time."""
        if not self.is_controller:
            return
        self._forget_uneventful()
        if self.progress.add(report) and self.progress.is_due() and self.config.option.verbose >= 0:
            self._write_line(f"searchlight: {self.progress.describe()}")

    def _forget_uneventful(self) -> None:
        """Drop the reports of set-ups and teardowns that passed: only ``--durations`` has a use for them."""
        reporter = self._reporter
        if reporter is not None and self.config.option.durations is None:
            reporter.stats.pop("", None)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str) -> None:
        """A worker died in the middle of a run: a fault of infrastructure, never a wrong answer."""
        if not self.session.folder.plan_file.is_file():
            return  # it died of an ordinary test, in a session without runs
        try:
            self.session.store.seal_crashed(crashitem)
        except SearchlightError as error:
            self._write_line(f"searchlight: {clean_text(error)}")

    # --- the end -----------------------------------------------------------------------------------------

    def pytest_keyboard_interrupt(self) -> None:
        """Let workers start no further run while xdist, which takes its time, ends them."""
        if not self.is_controller or not self.session.folder.plan_file.is_file():
            return
        with suppress(SearchlightError):  # a full disk is what may have stopped the session
            self.session.ledger.declare_interrupted()
        if self.config.pluginmanager.has_plugin("dsession"):
            # xdist lets workers finish for five seconds, interrupts them, and kills them five seconds later.
            self._write_line("searchlight: interrupted; runs that are under way get up to ten seconds to end")

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
        for line in self.outcome.describe(self._show):
            terminalreporter.write_line(line.text, red=line.tone == "failure", yellow=line.tone == "warning")


_ENDED_BY_ITSELF: Final = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


def _plan_run(nodeid: str, run: TestRun) -> PlannedRun:
    reason = "the session ended before it"
    return PlannedRun(nodeid=nodeid, record=describe_unrun(run, status=RunStatus.NOT_RUN, reason=reason))
