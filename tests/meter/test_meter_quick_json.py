"""The meter reads its spec without importing `json`, and nobody can tell."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import pytest_searchlight
from pytest_searchlight.meter.quick_json import parse_json

SOUND = ('{"a": [1, -2.5e3, null, true, "x\\u00e9\\ud83d\\ude00"], "b": {}}', " [] \n", '"text"', "7")
BROKEN = ("", "{", '{"a": 1', "[1,]", "nope", "{} x", '"a\nb"', "{'a': 1}", '{"a" 1}')


@pytest.mark.parametrize("text", SOUND)
def test_what_it_reads_is_what_json_reads(text: str) -> None:
    assert parse_json(text.encode()) == json.loads(text)


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_json_is_refused_in_the_words_of_json(text: str) -> None:
    with pytest.raises(ValueError, match="line 1 column") as refusal:
        json.loads(text.strip())
    with pytest.raises(ValueError, match="line 1 column") as ours:
        parse_json(text.encode())
    assert str(ours.value) == str(refusal.value)


@pytest.mark.parametrize("text", BROKEN)
def test_a_bare_interpreter_refuses_it_too(text: str) -> None:
    """Without `json` in memory, the scanner's own faults are of other sorts."""
    done = run_bare(f"parse_json({text.encode()!r})")
    assert done.stderr.splitlines()[-1].startswith("json.decoder.JSONDecodeError: ")


def test_what_is_sound_needs_none_of_the_slow_modules() -> None:
    modules = ("json", "re", "enum", "contextlib", "signal", "typing")
    done = run_bare(
        f"parse_json({SOUND[0].encode()!r})",
        "from pytest_searchlight.meter import launch",
        f"print(sorted(set({modules!r}) & set(sys.modules)))",
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def run_bare(*statements: str) -> subprocess.CompletedProcess[str]:
    root = pytest_searchlight.__path__[0].rpartition("/")[0]
    start = ("import sys", f"sys.path.append({root!r})", "from pytest_searchlight.meter.quick_json import *")
    program = "\n".join((*start, *statements))
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
