"""The first page: what the session is, and all its runs to filter and sort."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_searchlight.domain import RunStatus
from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.run_pages.index_data import describe_index
from pytest_searchlight.run_pages.listing import ListedRun
from pytest_searchlight.run_pages.rendering import render_template
from pytest_searchlight.website.provenance import Provenance


def render_session_page(
    session: SessionFolder, *, runs: Sequence[ListedRun], agreement_problem: str = ""
) -> str:
    """The page of a session.

    Args:
        session: the session.
        runs: all of its plan.
        agreement_problem: why its second judges' labels cannot be read.
    """
    return render_template(
        "session",
        facts=_read_facts(session),
        made=sum(run.status != RunStatus.NOT_RUN for run in runs),
        planned=len(runs),
        agreement_problem=agreement_problem,
        unreadable=sum(run.is_unreadable for run in runs),
        is_summed_up=(session.root / "summary.json").is_file(),
        index=describe_index(runs),
    )


def _read_facts(session: SessionFolder) -> Provenance:
    """What the session says of itself; a page without it is better than none."""
    try:
        return Provenance.model_validate_json(session.session_file.read_bytes())
    except (OSError, ValueError):
        return Provenance()
