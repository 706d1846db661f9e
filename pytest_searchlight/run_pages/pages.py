"""Every page of a session, by its path: the list of runs, a page a run, a page an earlier attempt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.run_pages.attempts import find_attempt_folders, read_attempt
from pytest_searchlight.run_pages.listing import ListedRun
from pytest_searchlight.run_pages.neighbours import Neighbourhood
from pytest_searchlight.run_pages.run_page import render_run_page
from pytest_searchlight.run_pages.second_readings import SecondReadings, read_second_readings
from pytest_searchlight.run_pages.session_page import render_session_page

INDEX: Final = "index.html"


@dataclass(frozen=True, kw_only=True)
class RunPages:
    """The pages of a session as it stood when its runs were listed.

    Attributes:
        session: whose runs they are.
        runs: all of them, in the plan's order.
        shown_root: what the session's folder is called on the pages.
    """

    session: SessionFolder
    runs: Sequence[ListedRun]
    shown_root: str

    def list_paths(self) -> Iterator[str]:
        """Every path that `render` knows, relative to the first page's folder."""
        yield INDEX
        yield from (f"runs/{run_id}.html" for run_id in self._by_id)
        yield from (f"attempts/{name}.html" for name in self._attempts)

    def render(self, path: str) -> bytes | None:
        """The page at `path`, None when there is none.

        A path never reaches the disk: it is looked up among the names of what is listed. Evidence that cannot
        be read gives a page that says so.
        """
        if path == INDEX:
            problem = self._readings.problem
            return render_session_page(self.session, runs=self.runs, agreement_problem=problem).encode()
        folder, _, name = path.rpartition("/")
        stem, dot, ending = name.rpartition(".")
        if dot + ending != ".html":
            return None
        if folder == "runs" and stem in self._by_id:
            return self._render_run(self._by_id[stem]).encode()
        if folder == "attempts" and stem in self._attempts:
            return self._render_attempt(*self._attempts[stem]).encode()
        return None

    def _render_run(self, run: ListedRun) -> str:
        run_id = run.record.run_id
        return render_run_page(
            run,
            folder=self.session.runs / run_id,
            session=self.session,
            shown_root=self.shown_root,
            neighbours=self._neighbourhood.find(run),
            attempts=[read_attempt(each) for each in self._attempt_folders.get(run_id, ())],
            readings=self._readings.by_run.get(run_id, ()),
        )

    def _render_attempt(self, run: ListedRun, folder: Path) -> str:
        return render_run_page(
            run,
            folder=folder,
            session=self.session,
            shown_root=self.shown_root,
            neighbours=self._neighbourhood.find(run),
        )

    @cached_property
    def _by_id(self) -> dict[str, ListedRun]:
        return {run.record.run_id: run for run in self.runs}

    @cached_property
    def _readings(self) -> SecondReadings:
        return read_second_readings(self.session)

    @cached_property
    def _neighbourhood(self) -> Neighbourhood:
        return Neighbourhood(self.runs)

    @cached_property
    def _attempt_folders(self) -> dict[str, tuple[Path, ...]]:
        return find_attempt_folders(self.session, run_ids=self._by_id.keys())

    @cached_property
    def _attempts(self) -> dict[str, tuple[ListedRun, Path]]:
        return {
            folder.name: (self._by_id[run_id], folder)
            for run_id, folders in self._attempt_folders.items()
            for folder in folders
        }
