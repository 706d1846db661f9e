"""Secrets in what is written: found however they are spelled, wherever they stand, and nothing else."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from pytest_searchlight.evidence import Scrubber

SECRET = 'key-"with"\\odd/characters+\u00e9'
LONG = "key-one-and-more"


@pytest.mark.parametrize(
    "spelled",
    [
        SECRET,
        quote(SECRET, safe=""),
        json.dumps(SECRET)[1:-1],
        base64.b64encode(SECRET.encode()).decode().rstrip("="),
    ],
    ids=["plain", "percent", "json", "base64"],
)
def test_a_secret_is_found_in_each_spelling_and_replaced_whole(spelled: str) -> None:
    assert Scrubber([SECRET])(f"<{spelled}>".encode()) == b"<[REDACTED]>"


def test_a_secret_within_another_leaves_nothing_of_the_longer_one() -> None:
    assert Scrubber(["key-one-", LONG])(f"{LONG} key-one-".encode()) == b"[REDACTED] [REDACTED]"


@pytest.mark.parametrize(("secret", "kept"), [("1234567", True), ("12345678", False)])
def test_only_what_is_too_short_to_be_a_secret_is_kept(secret: str, kept: bool) -> None:
    scrub = Scrubber([secret])
    assert (scrub(secret.encode()) == secret.encode(), scrub.is_idle) == (kept, kept)


def test_values_are_scrubbed_in_depth_and_keep_their_form() -> None:
    value = {LONG: [LONG, 5, None, True, 0.5], "nested": {"tuple": (f"x {LONG}", "\ud83d")}}
    assert Scrubber([LONG]).scrub_value(value) == {
        "[REDACTED]": ["[REDACTED]", 5, None, True, 0.5],
        "nested": {"tuple": ["x [REDACTED]", "\ud83d"]},
    }
