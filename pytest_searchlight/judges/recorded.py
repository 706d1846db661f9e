"""Judgements kept by what was judged, so that grading again asks nobody again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from pytest_searchlight.domain import hash_content
from pytest_searchlight.domain.judging import Judgement, JudgePayload
from pytest_searchlight.errors import EvidenceError
from pytest_searchlight.evidence import encode_json, write_atomic
from pytest_searchlight.extensions import Judge
from pytest_searchlight.judges.labels import accept_judgement


@dataclass(frozen=True, kw_only=True)
class RecordedJudge:
    """`judge`, who is asked only about payloads that `folder` holds no judgement of."""

    original: Judge
    folder: Path

    @property
    def name(self) -> str:
        """The judge's name."""
        return self.original.name

    @property
    def model_name(self) -> str | None:
        """The judge's model."""
        return self.original.model_name

    def explain_unavailable(self) -> str | None:
        """Why the judge cannot judge what is not recorded yet."""
        return self.original.explain_unavailable()

    def judge(self, payload: JudgePayload, *, record: Path) -> Judgement:
        """The recorded judgement, or the judge's own, recorded now."""
        path = self.folder / f"{self._name_record(payload)}.json"
        if path.is_file():
            return _read(path)
        judgement = accept_judgement(self.original.judge(payload, record=record), payload=payload)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomic(path, encode_json(judgement.model_dump(mode="json")))
        return judgement

    def _name_record(self, payload: JudgePayload) -> str:
        return hash_content([self.name, self.model_name, payload.content_hash])


def _read(path: Path) -> Judgement:
    try:
        return Judgement.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise EvidenceError(f"{path}: is no judgement; remove it to have the brief judged again") from error
