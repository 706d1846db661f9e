"""How agents search, read from the sealed bundles of a session; nothing is run or fetched again.

`study_session` says, for each search setup under each agent and model, how it was searched with, whether the
primary source came into view, and which tool results hold what a benchmark must not hand out. A bundle keeps
the prompt but neither source nor reference answer, so these come from the catalogs, by `read_tasks`; without
them the numbers that need them are None.
"""

from __future__ import annotations

from pytest_searchlight.searching.describing import describe_habits
from pytest_searchlight.searching.lanes import FlaggedRun, LaneHabits, SessionHabits
from pytest_searchlight.searching.reading import find_planned_catalogs, read_tasks, study_session

__all__ = [
    "FlaggedRun",
    "LaneHabits",
    "SessionHabits",
    "describe_habits",
    "find_planned_catalogs",
    "read_tasks",
    "study_session",
]
