"""The logs of a session for Inspect View, one for each catalog, agent, model and setup.

Inspect computes the metrics itself, from the scores of the samples. It averages the repetitions of a task
first, so its accuracy is our pass rate where every task has as many counted runs as any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from inspect_ai.log import (
    EvalLog,
    EvalSample,
    EvalSpec,
    EvalStats,
    recompute_metrics,
    write_eval_log,
)
from inspect_ai.model import ModelUsage

from pytest_searchlight import __version__
from pytest_searchlight.domain import STATUS_RULES, RunRecord, hash_content
from pytest_searchlight.evidence import SessionFolder, read_bundle
from pytest_searchlight.exports.inspect_samples import SCORER, make_sample, name_model

_METRICS: Final = ("inspect_ai/accuracy", "inspect_ai/stderr")

Lane = tuple[str, str, str, str]


def encode_logs(records: Iterable[RunRecord], *, session: SessionFolder) -> Iterator[tuple[str, bytes]]:
    """The logs' contents by file name; a lane in which no run was made has none.

    Raises:
        EvidenceError: a bundle cannot be read or was altered.
    """
    for lane, runs in groupby(sorted(records, key=_name_lane), key=_name_lane):
        planned = list(runs)
        made = [run for run in planned if STATUS_RULES[run.status].pytest != "skip"]
        if made:
            samples = [_read_sample(run, session=session) for run in made]
            log = _make_log(made, samples, session=session.root.resolve().name, planned=len(planned))
            yield ".".join(part.replace("/", "-") for part in lane if part) + ".eval", _encode(log)


def _name_lane(run: RunRecord) -> Lane:
    return run.catalog, run.agent, run.model_name or "", run.setup


def _read_sample(run: RunRecord, *, session: SessionFolder) -> EvalSample:
    bundle = read_bundle(session.runs / run.run_id)
    bundle.verify()
    return make_sample(bundle, run)


def _make_log(runs: Sequence[RunRecord], samples: list[EvalSample], *, session: str, planned: int) -> EvalLog:
    starts = [sample.started_at for sample in samples if sample.started_at]
    ends = [sample.completed_at for sample in samples if sample.completed_at]
    log = EvalLog(
        status="success",
        eval=_describe_lane(runs, session=session, planned=planned, created=min(starts, default="")),
        stats=EvalStats(
            started_at=min(starts, default=""),
            completed_at=max(ends, default=""),
            model_usage=_add_usage(samples),
        ),
        samples=samples,
    )
    recompute_metrics(log)
    return log


def _describe_lane(runs: Sequence[RunRecord], *, session: str, planned: int, created: str) -> EvalSpec:
    first, lane = runs[0], _name_lane(runs[0])
    tasks = list(dict.fromkeys(run.task for run in runs))
    return EvalSpec.model_validate(
        {
            "eval_id": hash_content([session, *lane])[:22],
            "run_id": hash_content(session)[:22],
            "task_id": hash_content(lane)[:22],
            "created": created,
            "task": f"{first.catalog}-{first.setup}",
            "task_args": {"catalog": first.catalog, "setup": first.setup, "agent": first.agent},
            "dataset": {"name": first.catalog, "samples": len(tasks), "sample_ids": tasks},
            "model": name_model(first),
            "config": {"epochs": max(run.repetition for run in runs), "epochs_reducer": ["mean"]},
            "packages": {"pytest-searchlight": __version__},
            "scorers": [{"name": SCORER, "metrics": [{"name": name} for name in _METRICS]}],
            "metadata": {"session": session, "planned_runs": planned, "runs_not_made": planned - len(runs)},
        }
    )


def _add_usage(samples: Iterable[EvalSample]) -> dict[str, ModelUsage]:
    total: dict[str, ModelUsage] = {}
    for sample in samples:
        for model, usage in sample.model_usage.items():
            total[model] = total[model] + usage if model in total else usage
    return total


def _encode(log: EvalLog) -> bytes:
    with TemporaryDirectory(prefix="searchlight-export-") as folder:
        file = Path(folder, "log.eval")
        write_eval_log(log, file)
        return file.read_bytes()
