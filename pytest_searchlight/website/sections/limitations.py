"""What a report cannot show, said before anything that it shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_searchlight.domain import name_agent
from pytest_searchlight.report_folder import Report
from pytest_searchlight.summary_schema import Summary
from pytest_searchlight.website.formats import DASH, count_things, join_words
from pytest_searchlight.website.provenance import Provenance, read_provenance
from pytest_searchlight.website.sections.comparing import tell_detectable
from pytest_searchlight.website.sections.parts import Section

_WITHOUT_LLM: Final = frozenset({"baseline", "oracle", "noop"})


def describe_limitations(report: Report) -> Section:
    """What the authors say first, then what follows from the records."""
    points = _list_transcribed(report) if report.summary is None else _list_measured(report.summary)
    return Section(
        id="limitations",
        title="Limitations",
        paragraphs=split_paragraphs(report.manifest.note),
        points=tuple(points),
    )


def split_paragraphs(text: str) -> tuple[str, ...]:
    """The paragraphs of plain text; a blank line stands between two."""
    return tuple(" ".join(part.split()) for part in text.split("\n\n") if part.strip())


def _list_transcribed(report: Report) -> Iterator[str]:
    assert report.transcription is not None  # a report is measured or transcribed
    yield (
        "Nothing here can be recomputed: the rows behind these figures were never published. They stand as "
        f"they were printed; a dash ({DASH}) stands where the publication gave no figure."
    )
    yield from report.transcription.limitations


def _list_measured(summary: Summary) -> Iterator[str]:
    facts = read_provenance(summary)
    yield from _tell_agents(summary)
    yield from _tell_size(summary)
    yield from _tell_coverage(summary)
    yield from _tell_uneven_coverage(summary)
    yield from _tell_unknown_costs(summary)
    yield from _tell_judges(facts)
    yield from _tell_conduct(summary)
    yield (
        "One session shows one moment: search indexes, models and pages change. The order of setups in a "
        "single session is no ranking."
    )


def _tell_agents(summary: Summary) -> Iterator[str]:
    agents = {row.agent for row in summary.results}
    if agents and agents <= _WITHOUT_LLM:
        yield (
            f"No language model took part: the agents here ({join_words(sorted(agents))}) are fixed "
            "programs, whose rates say nothing about how an agent with a model would do."
        )


def _tell_size(summary: Summary) -> Iterator[str]:
    tasks = {(row.catalog, row.task) for row in summary.tasks}
    most = max((row.planned for row in summary.tasks), default=0)
    yield (
        f"{count_things(len(tasks), 'task')}, at most {count_things(most, 'run')} each under one setup and "
        "agent. Runs of one task are not independent, so the tasks, not the runs, bound what can be "
        "concluded."
    )
    found = tell_detectable(summary.comparisons)
    if found is not None:
        yield found


def _tell_coverage(summary: Summary) -> Iterator[str]:
    counts = summary.counts
    left_out = counts.planned - counts.graded
    if left_out:
        reasons = [f"{count:,} {name.replace('_', ' ')}" for name, count in counts.excluded.items() if count]
        yield (
            f"{left_out:,} of {counts.planned:,} planned runs are in no rate: {join_words(reasons)}. What is "
            "left may be easier or harder than what was planned."
        )


def _tell_uneven_coverage(summary: Summary) -> Iterator[str]:
    rows = sorted(summary.results, key=lambda row: row.graded / row.planned)
    if not rows or rows[0].coverage == rows[-1].coverage:
        return
    ends = " to ".join(
        f"{row.graded:,} of {row.planned:,} ({row.setup}, {name_agent(row.agent, row.model_name)})"
        for row in (rows[0], rows[-1])
    )
    yield (
        f"Not all rates are over the same runs: of what was planned there were graded {ends}. Only the pairs "
        "under “Comparisons” are the same runs on both sides."
    )


def _tell_unknown_costs(summary: Summary) -> Iterator[str]:
    unpriced = sorted({row.setup for row in summary.results if row.graded and row.cost_usd.total is None})
    if unpriced:
        yield (
            f"Costs are not known of every run with {join_words(unpriced)}: a dash stands instead of dollars."
        )


def _tell_judges(facts: Provenance) -> Iterator[str]:
    doubtful = sorted(name for name, judge in facts.judges.items() if not judge.has_passed)
    if doubtful:
        yield f"Judges that were not audited, or did not pass their audit: {join_words(doubtful)}."


def _tell_conduct(summary: Summary) -> Iterator[str]:
    contaminated = summary.counts.contaminated
    if contaminated:
        yield (
            f"{count_things(contaminated, 'run')} called what the setup does not allow, and counted as "
            "failed."
        )
    flagged = sum(row.scan.flagged for row in summary.results)
    if flagged:
        yield (
            f"{count_things(flagged, 'run')} saw a task's text, its answer or a page where benchmarks are "
            "kept; the rates without them stand under “Contamination”."
        )
    if any(row.scan.unscanned for row in summary.results):
        unscanned = sum(row.scan.unscanned for row in summary.results)
        yield (
            f"{count_things(unscanned, 'run')} could not be scanned for that, as not all results are known."
        )
