"""The evidence bundle: the folder a run leaves behind, sealed in one step and never changed afterwards.

A session folder holds

    session.json, plan.jsonl          what was asked for, and the runs that were planned
    runs/<run id>/                    one sealed bundle a run
    attempts/<run id>.<n>/            earlier attempts, and what an interrupted run left
    runs.jsonl, summary.json          written from the bundles, at any time, identically

A bundle is built in a folder whose name starts with a dot and renamed when it is complete. Its
``run.json`` is written last and synced to disk; it holds the hash of every other file, so a torn or
altered bundle is recognised.
"""

from pytest_searchlight.evidence.bundles import (
    OpenBundle,
    SealedBundle,
    open_bundle,
    read_bundle,
    seal_bundle,
)
from pytest_searchlight.evidence.encoding import encode_json, encode_json_line, encode_json_lines, encode_text
from pytest_searchlight.evidence.files import write_atomic
from pytest_searchlight.evidence.scrubbing import Scrubber
from pytest_searchlight.evidence.session_folder import SEAL, SessionFolder

__all__ = [
    "SEAL",
    "OpenBundle",
    "Scrubber",
    "SealedBundle",
    "SessionFolder",
    "encode_json",
    "encode_json_line",
    "encode_json_lines",
    "encode_text",
    "open_bundle",
    "read_bundle",
    "seal_bundle",
    "write_atomic",
]
