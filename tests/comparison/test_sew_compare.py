"""What ``sew compare`` reads, prints and writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from comparison.session_rows import make_session, use_tokens, write_session
from stats.battery_rows import make_rows, spell

from pytest_searchlight.cli import main
from pytest_searchlight.comparison.gating import GateReport
from pytest_searchlight.comparison.markdown import MARKER, escape
from pytest_searchlight.comparison.records import SessionComparison
from pytest_searchlight.comparison.sources import read_measured
from pytest_searchlight.errors import ReportError

GOOD, WORSE = spell(*[3] * 12), spell(*[3] * 6, *[1] * 6)
UNAUDITED = {"model_name": "m-1", "audit": None}
AUDITED = {"model_name": "m-1", "audit": {"set_sha256": "c" * 64, "passed": False}}
FACTS = {"searchlight_version": "1.0", "catalogs": {"small": "a" * 64}, "judges": {"codex": UNAUDITED}}
NEWER = {"searchlight_version": "1.1", "catalogs": {"small": "b" * 64}, "judges": {"codex": AUDITED}}


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two sessions of two setups; in the later one ``shop`` is worse and dearer, and a floor is gone."""
    root = tmp_path_factory.mktemp("compared")
    before = [*make_rows({"shop": GOOD, "floor": GOOD}, agent_version="1.0"), *make_rows({"corner": GOOD})]
    after = [
        *make_rows({"shop": WORSE}, agent_version="1.1", identity="other", **use_tokens(40)),
        *make_rows({"corner": {**GOOD, "task-000": "x++", "task-001": "+"}, "new": GOOD}),
    ]
    return (
        write_session(make_session(before, name="main", facts=FACTS), root / "before"),
        write_session(make_session(after, name="change", facts=NEWER), root / "after"),
    )


def sew(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["compare", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


# --- what it says -----------------------------------------------------------------------------------------


def test_the_terminal_is_told_what_changed_and_what_else_differs(
    sessions: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = sew(capsys, *sessions)
    assert code == 0
    lines = [re.sub(r"\s+", " ", line).strip() for line in out.splitlines()]
    assert lines[0] == "main -> change: 1 of 2 dropped"
    shop = lines[lines.index("small, agent: shop") :]
    assert shop[1].startswith("passes 36/36 (100 %) -> 24/36 (67 %): dropped by 33 points (95 %: -")
    assert shop[1].endswith("p = 0.00098 Holm)")
    assert shop[2] == "compared 36 pairs of runs over 12 task(s)"
    assert shop[3].startswith("worse task-006 3/3 -> 1/3, task-007 3/3 -> 1/3")
    assert any(line.startswith("tokens/success 15 -> 60, +300 % (95 %: ") for line in shop)
    assert "calls/run 2.0 -> 2.0" in shop
    assert "differs agent 1.0 -> 1.1" in shop
    assert "differs what shop offers (its server, tools or pages), or the words around its tasks" in shop
    assert "differs: Searchlight 1.0 -> 1.1" in lines
    assert "differs: catalog small aaaaaaaaaaaa -> bbbbbbbbbbbb" in lines
    audit = "audit set_sha256 cccccccccccc, passed no"
    assert f"differs: judge codex model_name m-1 -> model_name m-1, {audit}" in lines
    assert lines[-2:] == ["only before: small, agent: floor", "only after: small, agent: new"]


def test_the_terminal_is_told_what_does_not_count_and_what_could_have_been_seen(
    sessions: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = sew(capsys, *sessions, "--setup=corner")
    text = re.sub(r"\s+", " ", out)
    assert "no significant change (+0 points, no interval; could have detected " in text
    assert "left out 3 run(s) without a counterpart" in text
    assert "not counted after 1 provider_error of 34 planned" in text
    assert "shop" not in out


@pytest.mark.parametrize(
    ("catalog", "told"),
    [("a" * 64, ""), ("b" * 64, "; whether they ask and expect the same as before is not known")],
)
def test_without_rows_the_catalog_alone_tells_whether_the_tasks_are_the_same(
    catalog: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = make_rows({"shop": GOOD})
    before = write_session(make_session(rows, facts=FACTS), tmp_path / "before", rows=False)
    facts = {"catalogs": {"small": catalog}}
    after = write_session(make_session(rows, facts=facts), tmp_path / "after", rows=False)
    lines = [re.sub(r"\s+", " ", line).strip() for line in sew(capsys, before, after)[1].splitlines()]
    assert f"compared unpaired: 36 and 36 runs, by task over 12 task(s){told}" in lines


def test_an_agent_version_that_is_not_known_is_no_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = (
        write_session(make_session(make_rows({"shop": GOOD}, agent_version=version)), tmp_path / name)
        for name, version in (("before", None), ("after", "1.1"))
    )
    assert "differs" not in sew(capsys, before, after)[1]
    assert "differs" not in sew(capsys, after, before)[1]


def test_a_comment_can_be_found_again_and_folds_its_details(
    sessions: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = sew(capsys, *sessions, "--format=markdown")
    lines = out.splitlines()
    assert lines[:2] == [MARKER, "### Searchlight: 1 of 2 dropped"]
    table = [line for line in lines if line.startswith("|")]
    assert {line.count("|") for line in table} == {8}
    assert table[3].startswith(
        "| small, agent: shop | 36/36 (100 %) | 24/36 (67 %) | -33 points, **dropped** |"
    )
    assert out.count("<details>") == out.count("</details>") == 3
    assert "- Worse: task-006 3/3 -&gt; 1/3" in out


def test_what_others_wrote_is_shown_as_it_is_and_is_no_markup(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "<img src=x onerror=alert(1)> | **bold** @all\n# title"
    rows = make_rows({"shop": GOOD}, model_name="<b>m|n</b>")
    folder = write_session(make_session(rows, name=name), tmp_path / "odd")
    _, out, _ = sew(capsys, folder, folder, "--format=markdown")
    assert "<img" not in out
    assert "<b>" not in out
    assert "\n# title" not in out
    assert {line.count("|") - line.count(r"\|") for line in out.splitlines() if line.startswith("|")} == {8}
    assert escape("a_b*[c](d)`e`") == r"a\_b\*\[c\](d)\`e\`"


def test_json_keeps_to_its_published_schema(
    sessions: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = sew(capsys, *sessions, "--format=json")
    schemas: dict[str, Any] = {}
    for name in ("comparison", "gates"):
        assert main(["schema", name]) == 0
        schemas[name] = json.loads(capsys.readouterr().out)
    jsonschema.validate(json.loads(out), schemas["comparison"])
    comparison = SessionComparison.model_validate_json(out)
    assert [change.lane.setup for change in comparison.lanes] == ["corner", "shop"]
    jsonschema.validate(
        GateReport(results=(), baseline="main", comparison=comparison).model_dump(mode="json"),
        schemas["gates"],
    )


def test_the_output_goes_to_a_file(
    sessions: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "comment.md"
    code, out, _ = sew(capsys, *sessions, "--format=markdown", "--output", file)
    assert (code, out) == (0, f"written: {file}\n")
    assert file.read_text(encoding="utf-8").startswith(MARKER)
    code, _, err = sew(capsys, *sessions, "--output", tmp_path / "nowhere/comment.md")
    assert code == 2
    assert "cannot be written" in err


# --- what it reads ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "summary.json", "runs.jsonl"])
def test_a_folder_and_either_of_its_files_stand_for_the_same(sessions: tuple[Path, Path], name: str) -> None:
    measured = read_measured(sessions[0] / name)
    assert measured.name == "main"
    assert measured.rows is not None
    assert len(measured.rows) == 108
    assert measured.facts["searchlight_version"] == "1.0"


def test_files_that_lie_alone_are_named_after_themselves(sessions: tuple[Path, Path], tmp_path: Path) -> None:
    rows, summary = tmp_path / "old.jsonl", tmp_path / "old.json"
    rows.write_bytes((sessions[0] / "runs.jsonl").read_bytes())
    summary.write_bytes((sessions[0] / "summary.json").read_bytes())
    assert (read_measured(rows).name, read_measured(rows).facts) == ("old.jsonl", {})
    assert (read_measured(summary).name, read_measured(summary).rows) == ("main", None)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "no summary.json or runs.jsonl there"),
        ({"summary.json": "{}"}, "not a readable summary (session: Field required)"),
        ({"summary.json": "{"}, "not a readable summary (Invalid JSON"),
        ({"runs.jsonl": "{}\n"}, "runs.jsonl, line 1: not a readable row (run_id: Field required)"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(
    files: dict[str, str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    code, _, err = sew(capsys, tmp_path, tmp_path)
    assert code == 2
    assert told in err
    assert len(err.strip().splitlines()) == 1


def test_a_torn_row_is_named_by_its_line(tmp_path: Path) -> None:
    session = make_session(make_rows({"shop": GOOD}))
    folder = write_session(session, tmp_path)
    file = folder / "runs.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join([*lines[:4], lines[4][:50]]), encoding="utf-8")
    with pytest.raises(ReportError, match=r"runs\.jsonl, line 5: not a readable row"):
        read_measured(file)


def test_a_summary_and_rows_of_different_sessions_are_refused(tmp_path: Path) -> None:
    write_session(make_session(make_rows({"shop": GOOD})), tmp_path)
    rows = "".join(row.model_dump_json() + "\n" for row in make_rows({"shop": {"a": "+"}}))
    (tmp_path / "runs.jsonl").write_text(rows, encoding="utf-8")
    with pytest.raises(
        ReportError, match=r"tells of 36 runs and runs\.jsonl of 1; they do not belong together"
    ):
        read_measured(tmp_path)


def test_sessions_that_share_nothing_exit_with_2(
    sessions: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write_session(make_session(make_rows({"shop": GOOD}, catalog="other")), tmp_path)
    code, out, err = sew(capsys, sessions[0], other)
    assert (code, out) == (2, "")
    assert "share no catalog, agent, model and setup" in err
    code, _, err = sew(capsys, *sessions, "--setup=exa")
    assert code == 2
    assert "main: no runs of exa; it has small, agent: corner" in err
