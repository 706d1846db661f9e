from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_searchlight.catalog import find_catalogs, looks_like_catalog, read_catalog
from pytest_searchlight.errors import CatalogError

SOUND = """\
catalog: demo
title: A demo
description: Two tasks.
defaults: {agents: [baseline], setups: [floor], repetitions: 3, budgets: {wall_clock_s: 60, tokens: 500}}
tasks:
  - &first
    id: first
    family: typed-facts
    prompt: Which version?
    deliverable:
      type: object
      properties:
        version: {type: [string, "null"]}
        sources: {type: array, items: {type: string}}
      required: [version, sources]
    checks:
      - {kind: value-match, field: /version, version: "2.4.1"}
      - {kind: citation-set, field: /sources}
    reference: {excerpt: Kiln 2.4.1 is out., source: https://kiln.example/news, event_date: 2026-03-01}
    reference_answer: {version: "2.4.1", sources: [https://kiln.example/news]}
    wrong_answers: [{why: stale, answer: {version: no, sources: []}}]
    freshness: {checked: 2026-11-30}
    budgets: {tokens: 900, provider_calls: 5}
  - <<: *first
    id: second
    budgets: {}
"""

WriteCatalog = Callable[..., Path]


@pytest.fixture
def write_catalog(tmp_path: Path) -> WriteCatalog:
    def write(text: str | bytes = SOUND, *, name: str = "tasks.yaml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def _refuse(path: Path) -> str:
    with pytest.raises(CatalogError) as caught:
        read_catalog(path)
    return str(caught.value)


# --- what is read -----------------------------------------------------------------------------------------


def test_tasks_come_in_file_order_with_the_defaults_filled_in(write_catalog: WriteCatalog) -> None:
    catalog = read_catalog(write_catalog())
    first, second = catalog.tasks
    assert (catalog.name, first.id, second.id) == ("demo", "first", "second")
    assert (first.budgets.wall_clock_s, first.budgets.tokens, first.budgets.provider_calls) == (60, 900, 5)
    assert (second.budgets.wall_clock_s, second.budgets.tokens, second.budgets.provider_calls) == (
        60,
        500,
        None,
    )
    assert (catalog.defaults.agents, catalog.defaults.repetitions) == (("baseline",), 3)


def test_plain_words_and_dates_stay_text(write_catalog: WriteCatalog) -> None:
    answer = '{version: no, sources: [2026-03-01, 12:30, 007, 0x1F, "1", .inf, yes]}'
    text = SOUND.replace("{version: no, sources: []}", answer)
    read = read_catalog(write_catalog(text)).tasks[0].wrong_answers[0].answer
    assert read == {"version": "no", "sources": ["2026-03-01", "12:30", "007", "0x1F", "1", ".inf", "yes"]}


@pytest.mark.parametrize(
    "change",
    [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n"), lambda text: "---\n" + text],
)
def test_byte_order_marks_and_line_ends_do_not_matter(
    change: Callable[[str], str], write_catalog: WriteCatalog
) -> None:
    assert read_catalog(write_catalog(change(SOUND))).content_hash == _hash(write_catalog)


def test_the_content_hash_follows_what_is_said_and_not_how(write_catalog: WriteCatalog) -> None:
    same = SOUND.replace("tasks:", "# a comment\ntasks:").replace(
        "family: typed-facts", "family: 'typed-facts'"
    )
    other = SOUND.replace("Which version?", "What version?")
    assert read_catalog(write_catalog(same, name="elsewhere/x.yml")).content_hash == _hash(write_catalog)
    assert read_catalog(write_catalog(other)).content_hash != _hash(write_catalog)


def _hash(write_catalog: WriteCatalog) -> str:
    return read_catalog(write_catalog(name="reference.yaml")).content_hash


def test_a_web_folder_beside_the_file_is_its_closed_web(write_catalog: WriteCatalog) -> None:
    path = write_catalog()
    assert read_catalog(path).closed_web is None
    (path.parent / "web").mkdir()
    assert read_catalog(path).closed_web == path.parent / "web"


# --- what is found ----------------------------------------------------------------------------------------


def test_catalogs_are_found_sorted_without_webs_and_hidden_folders(
    write_catalog: WriteCatalog, tmp_path: Path
) -> None:
    for name in ("b/tasks.yaml", "a/tasks.yml", "a/web/site.yaml", ".hidden/tasks.yaml"):
        write_catalog(name=name)
    write_catalog("other: 1\n", name="a/config.yaml")
    write_catalog(name="a/readme.md")
    assert find_catalogs(tmp_path) == (tmp_path / "a" / "tasks.yml", tmp_path / "b" / "tasks.yaml")


def test_peeking_never_raises(tmp_path: Path, write_catalog: WriteCatalog) -> None:
    assert looks_like_catalog(write_catalog("# about\n\ncatalog : x\n"))
    assert not looks_like_catalog(write_catalog(b"\xff\xfe\x00", name="binary.yaml"))
    assert not looks_like_catalog(write_catalog("  catalog: nested\n"))
    assert not looks_like_catalog(write_catalog("x" * 9000 + "\ncatalog: late\n"))
    assert not looks_like_catalog(tmp_path / "absent.yaml")
    (tmp_path / "folder.yaml").mkdir()
    assert not looks_like_catalog(tmp_path / "folder.yaml")


# --- what is refused --------------------------------------------------------------------------------------


def test_every_problem_is_told_with_its_line_task_field_and_remedy(write_catalog: WriteCatalog) -> None:
    text = (
        SOUND.replace("family: typed", "famly: typed")
        .replace("prompt: Which version?", "prompt: 3.10")
        .replace("repetitions: 3", "repetitions: many")
    )
    path = write_catalog(text)
    lines = _refuse(path).splitlines()
    assert f"{path}:4: field /defaults/repetitions: many → input should be a valid integer" in lines[0]
    assert f"{path}:6: task 'first', field /family: absent → field required → add it" in lines
    assert (
        f"{path}:9: task 'first', field /prompt: 3.1 → input should be a valid string → put it in quotes"
        in lines
    )
    assert any(
        line.startswith(f"{path}:8: task 'first', field /famly: unknown field")
        and "did you mean 'family'?" in line
        for line in lines
    )


def test_faults_of_readable_tasks_are_told_beside_those_of_unreadable_ones(
    write_catalog: WriteCatalog,
) -> None:
    text = SOUND.replace("id: second", "id: second\n    prompt: ''\n    famly: x").replace(
        "/version,", "/versoin,"
    )
    message = _refuse(write_catalog(text))
    assert "task 'second', field /famly" in message
    assert "task 'first', field /checks/0/field: '/versoin' → the deliverable has no such field" in message
    assert "did you mean '/version'?" in message


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("id: second", "id: first", ":25: task 'first', field /id: 'first' → ids are unique in a catalog"),
        ("id: second", "id: not", "pytest -k reads it as an operator"),
        ("id: second", "id: Zwei", "use a-z, 0-9"),
        ("id: second", "id: zw\u00f6lf", "use a-z, 0-9"),
        ("catalog: demo", "catalog: a b", "field /catalog: a b"),
        ("title: A demo", "title: A demo\ntitle: B", "2: key 'title' is written twice".replace("2:", ":3:")),
        ("budgets: {}", "12: x", "key '12' is not text → quote it"),
        ("budgets: {}", "\tbudgets: {}", "look for a tab"),
        ("budgets: {}", "? [a]\n    : x", "is not text"),
        ("budgets: {}", "tags: !!python/name:os.system x", "remove the tag"),
        ("budgets: {}", "tags: &t [*t]", "contains itself"),
        ("budgets: {}", "<<: [1]", "merges mappings only"),
        ("budgets: {}", "budgets: [1]", "field /budgets: [1] → input should be"),
        ("budgets: {}", "checks: []", "add checks or a rubric"),
        ("budgets: {}", "wrong_answers: []", "field /wrong_answers: [] → tuple should have at least 1 item"),
        ("event_date: 2026-03-01", "event_date: March", "field /reference/event_date: March"),
        ("type: object", "type: array", "field /deliverable/type: array → a deliverable is an object"),
        ("required: [version", "requried: [version", "/deliverable/requried: unknown word"),
        ("{type: [string, ", "{type: [text, ", "field /deliverable/properties/version/type"),
        ("items: {type: string}", "items: {pattern: '('}", "does not compile"),
        ("items: {type: string}", "items: {pattern: 'a*'}", "matches the empty string"),
        ("items: {type: string}", "items: {$ref: 'https://a.example/s'}", "nothing is fetched"),
        ("items: {type: string}", "items: {$ref: '#/$defs/x'}", "leads nowhere"),
        ("items: {type: string}", "items: {minLength: '3'}", "must be a whole number"),
        ("field: /sources", "field: sources", "write it as '/name'"),
        ("field: /sources", "field: /sources/name", "no such field"),
        ("tasks:", "tasks: 5\nx:", "field /tasks: 5"),
        ("tasks:", "tasks: []\nx:", "field /tasks: [] → tuple should have at least 1 item"),
    ],
)
def test_a_broken_rule_is_refused(old: str, new: str, said: str, write_catalog: WriteCatalog) -> None:
    assert said in _refuse(write_catalog(SOUND.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "start with 'catalog: <name>'"),
        (b"- catalog: x\n", "start with 'catalog: <name>'"),
        (b"catalog: [\n", "not YAML"),
        (b"catalog: a\ntitle: caf\xe9\n", ":2: byte 0xe9 → catalogs are UTF-8"),
        (b"\xff\xfec\x00", ":1: byte 0xff"),
        (b"catalog: " + b"[" * 100_000, "not YAML"),
        (b"catalog: " + b"[" * 200 + b"]" * 200, "nests deeper than"),
        (b"catalog: a\x00b\n", "not YAML"),
        (b"a: 1\n---\nb: 2\n", "not YAML"),
    ],
    ids=range(9),
)
def test_what_is_no_catalog_is_refused_with_its_line(
    text: bytes, said: str, write_catalog: WriteCatalog
) -> None:
    assert said in _refuse(write_catalog(text))


def test_aliases_that_grow_without_bound_are_refused_quickly(write_catalog: WriteCatalog) -> None:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))
    assert "once aliases are expanded" in _refuse(write_catalog(f"catalog: x\na0: &a0 [x]\n{levels}"))


def test_an_absent_file_is_refused(tmp_path: Path) -> None:
    assert "check the path" in _refuse(tmp_path / "absent.yaml")


def test_a_thousand_problems_are_not_all_told(write_catalog: WriteCatalog) -> None:
    text = SOUND + "".join(f"  - {{id: t{n}}}\n" for n in range(200))
    assert _refuse(write_catalog(text)).endswith("more")
