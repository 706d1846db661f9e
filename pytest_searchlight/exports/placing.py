"""The formats, where an export goes, and how it gets there: each file at once or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pytest_searchlight.errors import DiskError, UserError
from pytest_searchlight.evidence import write_atomic
from pytest_searchlight.exports.source import RowSource

Encode = Callable[[RowSource], Iterator[tuple[str, bytes]]]
"""Gives the files of an export by their names in its folder; the empty name is the export itself."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of another tool.

    Attributes:
        file: how an export is called by default.
        encode: makes its content.
        package: what must be importable for it; the extra that installs it is called like the format.
        needs_evidence: whether it also holds prompts, tool results and answers, which no report does.
    """

    file: str
    encode: Encode
    package: str | None = None
    needs_evidence: bool = False


def choose_place(source: RowSource, *, format_name: str, output: Path | None) -> Path:
    """Where the export goes: `output`, else the ``exports`` folder of the session.

    Raises:
        UserError: a report is exported and no place is given.
    """
    if output is not None:
        return output
    if source.session is None:
        raise UserError(
            f"{source.name}: a report's folder holds what is published and nothing else; say with --output "
            "where the export goes"
        )
    return source.session.root / "exports" / FORMATS[format_name].file


def write_export(source: RowSource, *, format_name: str, place: Path) -> list[Path]:
    """Write `source` in a format and give the files written; an earlier export there is replaced.

    Raises:
        UserError: the format's package is missing, a report has no evidence for it, or the disk refuses.
        EvidenceError: evidence cannot be read.
    """
    chosen = FORMATS[format_name]
    if chosen.package is not None and find_spec(chosen.package) is None:
        raise UserError(
            f"--format {format_name} needs {chosen.package}; "
            f"install it with: pip install 'pytest-searchlight[{format_name}]'"
        )
    if chosen.needs_evidence and source.session is None:
        raise UserError(
            f"{source.name}: --format {format_name} needs a session's evidence; a report has none"
        )
    return [_write(place / name, data) for name, data in chosen.encode(source)]


def _write(file: Path, data: bytes) -> Path:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, data)
    except (OSError, DiskError) as error:
        cause = error.__cause__ or error
        problem = cause.strerror if isinstance(cause, OSError) else cause
        raise UserError(
            f"{file}: cannot be written ({problem}); choose another place with --output"
        ) from error
    return file


def _encode_csv(source: RowSource) -> Iterator[tuple[str, bytes]]:
    from pytest_searchlight.exports.csv_rows import encode_csv

    yield "", encode_csv(source)


def _encode_parquet(source: RowSource) -> Iterator[tuple[str, bytes]]:
    from pytest_searchlight.exports.parquet import encode_parquet

    yield "", encode_parquet(source)


def _encode_junit(source: RowSource) -> Iterator[tuple[str, bytes]]:
    from pytest_searchlight.exports.junit import encode_junit

    yield "", encode_junit(source)


def _encode_inspect(source: RowSource) -> Iterator[tuple[str, bytes]]:
    from pytest_searchlight.exports.inspect_logs import encode_logs

    assert source.session is not None
    yield from encode_logs(source.records, session=source.session)


FORMATS: Final[dict[str, Format]] = {
    "csv": Format(file="runs.csv", encode=_encode_csv),
    "parquet": Format(file="runs.parquet", encode=_encode_parquet, package="pyarrow"),
    "inspect": Format(file="inspect", encode=_encode_inspect, package="inspect_ai", needs_evidence=True),
    "junit": Format(file="junit.xml", encode=_encode_junit),
}
