from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic_core import from_json

from pytest_searchlight.errors import DiskError, EvidenceError
from pytest_searchlight.evidence import (
    OpenBundle,
    Scrubber,
    SealedBundle,
    SessionFolder,
    encode_json_line,
    encode_text,
    open_bundle,
    read_bundle,
    seal_bundle,
    write_atomic,
)

if TYPE_CHECKING:
    from pathlib import Path

SECRET = 'sk-"very/secret"+value'


@pytest.fixture
def session(tmp_path: Path) -> SessionFolder:
    folder = SessionFolder(tmp_path / "session")
    folder.create()
    return folder


def seal(session: SessionFolder, bundle: OpenBundle, *, secrets: tuple[str, ...] = ()) -> SealedBundle:
    folder = seal_bundle(
        bundle,
        destination=session.runs / "run",
        head={"record": {"status": "graded"}},
        files={"answer.txt": "blue \ud83d", "calls.jsonl": '{"a": 1}\n{"b": "\u2028"}\n'},
        scrub=Scrubber(secrets),
    )
    return read_bundle(folder)


def test_a_sealed_bundle_is_read_back_and_verified(session: SessionFolder) -> None:
    bundle = seal(session, open_bundle(session, "run"))
    bundle.verify()
    assert bundle.read_json_lines("calls.jsonl") == ({"a": 1}, {"b": "\u2028"})
    assert bundle.read_text("nothing.txt") == ""
    assert [path.name for path in session.find_bundles()] == ["run"]
    assert session.find_partial("run") is None


def test_until_it_is_sealed_a_bundle_is_not_there(session: SessionFolder) -> None:
    bundle = open_bundle(session, "run[1]*")
    (bundle.folder / "answer.txt").write_text("blue", encoding="utf-8")
    assert list(session.find_bundles()) == []
    assert session.find_partial("run[1]*") == bundle.folder


def test_partial_bundles_are_set_aside_with_what_they_hold(session: SessionFolder) -> None:
    bundle = open_bundle(session, "run")
    (bundle.folder / "last-words.txt").write_text("help", encoding="utf-8")
    session.set_aside_partials()
    (kept,) = session.attempts.iterdir()
    assert (kept / "last-words.txt").read_text(encoding="utf-8") == "help"
    assert list(session.runs.iterdir()) == []


@pytest.mark.parametrize("damage", [b"one\ntw0\n", b"one", None])
def test_damaged_evidence_is_recognised(session: SessionFolder, damage: bytes | None) -> None:
    bundle = open_bundle(session, "run")
    bundle.agent_folder.mkdir()
    (bundle.agent_folder / "events.jsonl").write_bytes(b"one\ntwo\n")
    sealed = seal(session, bundle)
    path = sealed.folder / "agent" / "events.jsonl"
    path.unlink() if damage is None else path.write_bytes(damage)
    with pytest.raises(EvidenceError, match=r"events\.jsonl: (differs from its hash|missing)"):
        sealed.verify()


@pytest.mark.parametrize("seal_text", ["", "{", "null", "[]", "{}", '{"files": 1}', "[" * 99_999])
def test_a_seal_that_is_none_is_recognised(session: SessionFolder, seal_text: str) -> None:
    folder = seal(session, open_bundle(session, "run")).folder
    (folder / "run.json").write_text(seal_text)
    with pytest.raises(EvidenceError, match=r"run\.json: not a readable seal"):
        read_bundle(folder)


def test_a_newer_bundle_replaces_an_older_one(session: SessionFolder) -> None:
    seal(session, open_bundle(session, "run"))
    bundle = open_bundle(session, "run")
    (bundle.folder / "new.txt").write_text("new", encoding="utf-8")
    assert (seal(session, bundle).folder / "new.txt").is_file()


def test_secrets_are_scrubbed_from_every_file_however_they_are_spelled(session: SessionFolder) -> None:
    bundle = open_bundle(session, "run")
    bundle.wire_folder.mkdir()
    spellings = [
        SECRET,
        quote(SECRET, safe=""),
        json.dumps(SECRET),
        base64.b64encode(SECRET.encode()).decode(),
    ]
    (bundle.wire_folder / "raw.bin").write_bytes(b"\x00\xff" + "\n".join(spellings).encode())
    sealed = seal(session, bundle, secrets=(SECRET,))
    stored = b"".join(path.read_bytes() for path in sealed.folder.rglob("*") if path.is_file())
    assert stored.count(b"[REDACTED]") == len(spellings)
    assert not any(spelling.strip("=").encode() in stored for spelling in spellings)
    sealed.verify()


def test_a_link_in_a_bundle_is_neither_followed_nor_hashed(session: SessionFolder, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text(SECRET, encoding="utf-8")
    bundle = open_bundle(session, "run")
    (bundle.folder / "link").symlink_to(outside)
    (bundle.folder / "folder").symlink_to(tmp_path, target_is_directory=True)
    sealed = seal(session, bundle, secrets=(SECRET,))
    assert sealed.head["files"].keys() == {"answer.txt", "calls.jsonl"}
    assert outside.read_text(encoding="utf-8") == SECRET


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    write_atomic(path, b"old")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    (tmp_path / "folder").mkdir()
    with pytest.raises(DiskError, match="cannot write evidence"):
        write_atomic(tmp_path / "folder", b"new")
    assert {entry.name for entry in tmp_path.iterdir()} == {"summary.json", "folder"}


def test_a_session_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(DiskError, match="choose another with --searchlight-output"):
        SessionFolder(tmp_path / "file" / "session").create()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_json_does_not_have_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode_json_line({"cost": number})


@given(st.text(st.characters(categories=None, exclude_categories=[])))
@example("lone \ud83d, NUL \x00, line \u2028 end")
def test_every_string_that_python_holds_is_stored_as_one_line_that_a_strict_reader_takes(text: str) -> None:
    data = encode_text(encode_json_line({"text": text}))
    assert data.count(b"\n") == 1
    assert from_json(data) == {"text": text.encode("utf-8", "replace").decode()}
