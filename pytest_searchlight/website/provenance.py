"""What a session says of itself, read from its summary with nothing taken for granted."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from pytest_searchlight.errors import ReportError
from pytest_searchlight.record_file import explain_invalid
from pytest_searchlight.summary_schema import Summary


class JudgeFacts(BaseModel):
    """A judge of the session: its model, and what its audit said, if it had one."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model_name: str | None = None
    audit: dict[str, JsonValue] | None = None

    @property
    def has_passed(self) -> bool | None:
        """Whether it passed its audit; None when it never had one."""
        return None if self.audit is None else self.audit.get("passed") is True


class Selection(BaseModel):
    """Which paths and expressions chose the session's runs."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    paths: tuple[str, ...] = ()
    keyword: str = ""
    markers: str = ""


class Provenance(BaseModel):
    """The facts of a session that pages show; extensions may have added more."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str | None = None
    started_at: str | None = None
    searchlight_version: str | None = None
    python_version: str | None = None
    platform: str | None = None
    packages: dict[str, str] = {}
    seed: int | None = None
    options: dict[str, JsonValue] = {}
    catalogs: dict[str, str] = {}
    servers: dict[str, str] = {}
    judges: dict[str, JudgeFacts] = {}
    selection: Selection = Selection()

    @property
    def is_uncalibrated(self) -> bool:
        """Whether tasks counted although no calibration admits them."""
        return bool(self.options.get("uncalibrated"))


def read_provenance(summary: Summary) -> Provenance:
    """The facts of the session that `summary` sums up. Raises ReportError when one is not of its kind."""
    try:
        return Provenance.model_validate(summary.session)
    except ValidationError as error:
        raise ReportError(f"summary.json: session.{explain_invalid(error)}") from error
