"""Has the briefs of a session judged: gathers what they cite, blinds them, asks the judge, keeps both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from pytest_searchlight.catalog import Catalog
from pytest_searchlight.closed_web.pages import ClosedWeb
from pytest_searchlight.costs.runs import find_day, price_judging
from pytest_searchlight.costs.token_prices import PriceList
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.evidence import SessionFolder
from pytest_searchlight.extensions import Answer, Judge, ObservedRun, Registry
from pytest_searchlight.judges import (
    Assessment,
    Assessor,
    BlindingMarks,
    LexicalJudge,
    RecordedJudge,
    list_cited_urls,
    list_marks,
)
from pytest_searchlight.sources import (
    CapturedSource,
    CapturePolicy,
    SourceStore,
    capture,
    capture_closed,
    gather_sources,
)
from pytest_searchlight.sources.store import Capture

JUDGE_FOLDERS: Final = ("sources", "judgements")
"""Where a session keeps captured pages and judgements; with both, no model need be asked again."""


@dataclass(frozen=True, kw_only=True)
class BriefJudging:
    """The judging of one session.

    Attributes:
        judge: who judges; judgements of others than the embedded one are kept and not asked for twice.
        marks: what the judge must not read.
        store: captured pages.
        prices: what the judge's tokens cost.
        catalogs: by name, what says where a catalog's cited pages are captured; None when none may be
            fetched, as in grading again.
    """

    judge: Judge
    marks: BlindingMarks
    store: SourceStore
    prices: PriceList
    catalogs: Mapping[str, Catalog] | None

    def assess(
        self,
        observed: ObservedRun,
        answer: Answer,
        sources: Mapping[str, CapturedSource],
        *,
        record: Path,
    ) -> Assessment:
        """Judge the brief in `answer`, whose checks have passed, by the `sources` that were gathered for it.

        `record` takes the judge's raw output.
        """
        assessor = Assessor(judge=self.judge, marks=self.marks)
        found = assessor.assess(answer.deliverable, task=observed.run.task, sources=sources, record=record)
        if found.usage is None:
            return found
        cost = price_judging(found.usage, self.judge, prices=self.prices, day=find_day(observed))
        return replace(found, cost=cost)

    def gather(self, observed: ObservedRun, answer: Answer) -> dict[str, CapturedSource]:
        """What the brief in `answer` cites, by the address as cited; captured now unless it is kept."""
        catalogs = self.catalogs
        return gather_sources(
            list_cited_urls(answer.deliverable),
            store=self.store,
            capture=None if catalogs is None else _choose_capture(catalogs[observed.run.catalog]),
            calls=observed.trace.tool_calls,
        )


def _choose_capture(catalog: Catalog) -> Capture:
    policy = CapturePolicy(allow_http=catalog.defaults.allow_http)
    if catalog.closed_web is not None:
        return partial(capture_closed, web=ClosedWeb(catalog.closed_web), policy=policy)
    return partial(capture, policy=policy)


def open_judging(
    name: str,
    *,
    registry: Registry,
    folder: SessionFolder,
    prices: PriceList,
    catalogs: Mapping[str, Catalog] | None,
) -> BriefJudging:
    """The judging of a session by the judge called `name`. Raises SettingsError when it is unknown."""
    sources, judgements = (folder.root / each for each in JUDGE_FOLDERS)
    judge = registry.judges.get(name)
    if not isinstance(judge, LexicalJudge):
        # The embedded judge costs nothing, so grading again is by the rules that it has today.
        judge = RecordedJudge(original=judge, folder=judgements)
    return BriefJudging(
        judge=judge,
        marks=collect_marks(registry),
        store=SourceStore(sources),
        prices=prices,
        catalogs=catalogs,
    )


def collect_marks(registry: Registry) -> BlindingMarks:
    """What could tell a judge who wrote a brief: every setup, agent, tool and model that is known."""
    setups = list(registry.setups.values())
    agents = list(registry.agents.values())
    return list_marks(
        setups,
        agents=[agent.name for agent in agents if agent.default_model is not None],
        own_tools=[tool for agent in agents for setup in setups for tool in agent.list_own_tools(setup)],
        models=[agent.default_model for agent in agents if agent.default_model is not None],
    )


def refuse_other_judges(begun: Mapping[str, JsonValue], now: Mapping[str, JsonValue], *, file: Path) -> None:
    """See that a session goes on with the judges that it began with, so that no rate mixes verdicts.

    Args:
        begun: the facts of the session when it began; without judges it had no briefs.
        now: its facts as they would be recorded today.
        file: where the former stand.

    Raises:
        SettingsError: another judge, or a judge with another model, would judge from here on.
    """
    first, later = (_name_judges(facts) for facts in (begun, now))
    if first and (others := later - first):
        raise SettingsError(
            f"{file}: the session's briefs are judged by {' and '.join(sorted(first))}, and now "
            f"{' and '.join(sorted(others))} would judge; a rate needs one judge, so keep the first, or "
            f"have all briefs judged anew with --searchlight-regrade={file.parent}"
        )


def _name_judges(facts: Mapping[str, JsonValue]) -> set[str]:
    judges = facts.get("judges")
    models = {
        name: details.get("model_name")
        for name, details in (judges.items() if isinstance(judges, dict) else ())
        if isinstance(details, dict)
    }
    return {f"{name} with {model}" if model else name for name, model in models.items()}
