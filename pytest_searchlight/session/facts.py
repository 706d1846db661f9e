"""What a session records of itself: versions, seed, options, hashes, judges; no secrets, no full paths."""

from __future__ import annotations

import importlib.metadata
import platform
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from pydantic import JsonValue

from pytest_searchlight import __version__
from pytest_searchlight.judge_audits import is_passed, locate_audits, read_audits
from pytest_searchlight.matrix import list_lanes
from pytest_searchlight.session.benchmark import BenchmarkSession

_REQUIREMENT_NAME: Final = re.compile(r"[\w.-]+")


def list_requirements() -> list[str]:
    """Names of the packages that Searchlight needs, extras left out."""
    lines = importlib.metadata.requires("pytest-searchlight") or []
    return [match[0] for line in lines if "extra ==" not in line and (match := _REQUIREMENT_NAME.match(line))]


def describe_session(
    session: BenchmarkSession, *, selection: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """Everything the numbers depend on besides the runs themselves.

    Args:
        session: the session that starts.
        selection: paths and expressions that selected its runs, to resume by.
    """
    return {
        "schema_version": 1,
        "name": session.folder.root.name,
        "started_at": datetime.fromtimestamp(session.started_at_s, UTC).isoformat(timespec="seconds"),
        "searchlight_version": __version__,
        "python_version": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: importlib.metadata.version(name) for name in list_requirements()},
        "seed": session.settings.seed,
        "options": session.settings.describe_options(),
        "catalogs": {catalog.name: catalog.content_hash for catalog in session.catalogs},
        "needs_calibration": [
            catalog.name for catalog in session.catalogs if catalog.defaults.needs_calibration
        ],
        "servers": dict(_list_servers(session)),
        "judges": _describe_judges(session),
        "selection": dict(selection),
    }


def _list_servers(session: BenchmarkSession) -> Iterator[tuple[str, JsonValue]]:
    """The setups of the session that have a server, each with the version that it is pinned at."""
    for catalog in session.catalogs:
        for lane in list_lanes(catalog, settings=session.settings, registry=session.registry):
            if lane.setup.server is not None:
                yield lane.setup.name, lane.setup.server.version


def _describe_judges(session: BenchmarkSession) -> dict[str, JsonValue]:
    """The judges of the session's briefs, and the audit each of them went through, if any."""
    judged = [catalog for catalog in session.catalogs if any(task.rubric for task in catalog.tasks)]
    audits = read_audits(locate_audits(session.settings.root))
    described: dict[str, JsonValue] = {}
    for judge in (session.open_judging(catalog.name).judge for catalog in judged):
        audit, facts = audits.find(judge), dict[str, JsonValue]()
        if audit is not None:
            facts = {"set_sha256": audit.set_sha256, "passed": is_passed(audit)}
        described[judge.name] = {"model_name": judge.model_name, "audit": facts or None}
    return described
