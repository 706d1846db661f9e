"""How one run searched, from what was observed of it.

`study_run` counts its queries and fetches, says whether the primary source came into view, and finds tool
results that hold what a benchmark must not hand out.
"""

from pytest_searchlight.searching.contamination import FoundSign
from pytest_searchlight.searching.facts import StudiedRun, study_run

__all__ = ["FoundSign", "StudiedRun", "study_run"]
