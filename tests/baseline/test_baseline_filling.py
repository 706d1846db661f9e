from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pytest

from pytest_searchlight.baseline.assignment import Assignment, read_assignment
from pytest_searchlight.baseline.fields import Kind, read_fields
from pytest_searchlight.baseline.filling import fill_deliverable
from pytest_searchlight.baseline.pages import Page
from pytest_searchlight.baseline.research import plan_followups, plan_queries
from pytest_searchlight.baseline.rows import find_entities
from pytest_searchlight.baseline.values import Json

SITE = "https://tindrel.example/"


def make_page(text: str, *, url: str = SITE, day: str | None = None, title: str = "Tindrel") -> Page:
    return Page(url=url, title=title, text=text, day=date.fromisoformat(day) if day else None)


def fill(task: str, properties: Mapping[str, Any], pages: Sequence[Page]) -> dict[str, Json]:
    assignment = Assignment(task=task, schema={"type": "object", "properties": properties})
    return fill_deliverable(assignment, pages).value


def fill_one(task: str, schema: Mapping[str, Any], text: str, *, name: str = "value") -> Json:
    return fill(task, {name: schema}, [make_page(text)])[name]


# --- kinds -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "schema", "kind"),
    [
        ("released_on", {"type": "string"}, Kind.DATE),
        ("end", {"type": ["string", "null"], "format": "date"}, Kind.DATE),
        ("since_version", {"type": "string"}, Kind.VERSION),
        ("fixed_in", {"type": "string", "description": "First release with the fix"}, Kind.VERSION),
        ("docs_url", {"type": "string"}, Kind.URL),
        ("sources", {"type": "array", "items": {"type": "string"}}, Kind.CITATIONS),
        ("source_url", {"type": "string"}, Kind.CITATION),
        ("stable", {"type": ["boolean", "null"]}, Kind.BOOLEAN),
        ("level", {"enum": ["low", "high", None]}, Kind.CHOICE),
        ("count", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, Kind.NUMBER),
        ("maintainer", {"$ref": "#/$defs/person"}, Kind.NAME),
        ("error_code", {"type": "string"}, Kind.CODE),
        ("summary", {"type": "string"}, Kind.PROSE),
        ("case", {"type": "string", "pattern": "^LQ-"}, Kind.PATTERN),
        ("keys", {"type": "array", "items": {"type": "string"}}, Kind.LIST),
        ("rows", {"type": "array", "items": {"type": "object", "properties": {}}}, Kind.ROWS),
    ],
)
def test_the_schema_says_what_a_field_wants(name: str, schema: Mapping[str, Any], kind: Kind) -> None:
    root = {"properties": {name: schema}, "$defs": {"person": {"type": "string"}}}
    assert read_fields(root)[0].kind is kind


# --- single values -----------------------------------------------------------------------------------------


def test_a_number_is_given_in_the_unit_that_the_field_names() -> None:
    text = "| Limit | Value |\n| Idle timeout | 2 minutes |\n| Frame size | 24 MiB |"
    assert fill_one("Tindrel idle timeout?", {"type": "integer"}, text, name="idle_timeout_s") == 120


def test_the_newer_page_wins_over_the_older_one() -> None:
    pages = [
        make_page("The default port of Tindrel is 7400.", url="https://a.example/", day="2024-01-01"),
        make_page("The default port of Tindrel is 7500.", url="https://b.example/", day="2026-01-01"),
    ]
    assert (
        fill("Default port of Tindrel?", {"default_port": {"type": "integer"}}, pages)["default_port"] == 7500
    )


def test_old_and_new_value_of_a_change_are_told_apart() -> None:
    filled = fill(
        "How did the quota of Tindrel change?",
        {"old_quota": {"type": "integer"}, "new_quota": {"type": "integer"}},
        [make_page("In May the Tindrel quota was raised from 200 to 350 builds.")],
    )
    assert filled == {"old_quota": 200, "new_quota": 350}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tindrel supports signed caches on every platform.", True),
        ("Tindrel does not support signed caches at all.", False),
        ("| Feature | Tindrel |\n| Signed caches | no |", False),
    ],
)
def test_a_boolean_follows_the_sentence_or_the_cell(text: str, expected: bool) -> None:
    schema = {"type": "boolean", "description": "Whether signed caches are supported"}
    assert fill_one("Does Tindrel support signed caches?", schema, text, name="signed_caches") is expected


def test_a_choice_is_made_by_its_words() -> None:
    schema = {
        "enum": ["generally-available", "public-preview", "unknown", None],
        "description": "Stage of Tindrel",
    }
    text = "Since October the Tindrel cloud is in public preview."
    assert fill_one("At which stage is the Tindrel cloud?", schema, text, name="stage") == "public-preview"


def test_a_labelled_name_is_taken_without_its_remark() -> None:
    text = "Maintainer: Íris Hjaltadóttir (since 2024)\nLicence: BSD-3-Clause"
    assert (
        fill_one("Who maintains Tindrel?", {"type": "string"}, text, name="maintainer") == "Íris Hjaltadóttir"
    )


def test_limits_of_the_schema_hold() -> None:
    schema = {"type": "integer", "minimum": 1000}
    assert (
        fill_one("Port of Tindrel?", schema, "Tindrel has 3 ports, the main port is 7400.", name="port")
        == 7400
    )


def test_prose_is_quoted_from_the_page() -> None:
    text = "Weather was fine. Tindrel evicts entries by size, because disks are small. Lunch was late."
    schema = {"type": "string", "description": "Reason why Tindrel evicts entries by size"}
    filled = fill_one("Why does Tindrel evict entries by size?", schema, text, name="reason")
    assert filled == "Tindrel evicts entries by size, because disks are small."


# --- lists and rows ----------------------------------------------------------------------------------------


def test_a_list_is_narrowed_to_the_rows_that_answer_the_question() -> None:
    text = "| Version | Yanked |\n| 1.0.0 | false |\n| 1.1.0 | true |\n| 1.2.0 | false |\n| 1.3.0 | true |\n"
    schema = {"type": "array", "items": {"type": "string"}}
    assert fill_one("Which versions of Tindrel were yanked?", schema, text, name="yanked_versions") == [
        "1.1.0",
        "1.3.0",
    ]


def test_a_series_in_a_sentence_is_a_list() -> None:
    text = "Members of the Tindrel board are Ada Lindqvist, Bo Marsh and Chidi Okafor."
    schema = {"type": "array", "items": {"type": "string", "description": "Name of a board member"}}
    assert fill_one("Who is on the Tindrel board?", schema, text, name="members") == [
        "Ada Lindqvist",
        "Bo Marsh",
        "Chidi Okafor",
    ]


def test_rows_are_read_from_the_columns_that_fit() -> None:
    text = "| Release | Released | Notes |\n| 11 | 2024-09-10 | old |\n| 12 | 2025-09-16 | new |"
    schema = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "release": {"type": "string"},
                "released_on": {"type": "string", "format": "date"},
                "source": {"type": "string", "format": "uri"},
            },
        },
    }
    assert fill_one("Which releases of Tindrel are there?", schema, text, name="releases") == [
        {"release": "11", "released_on": "2024-09-10", "source": SITE},
        {"release": "12", "released_on": "2025-09-16", "source": SITE},
    ]


def test_things_that_are_compared_get_a_row_each_from_their_own_pages() -> None:
    pages = [
        make_page("Message size: 96 MiB", url="https://tindrel.example/l", title="Limits of Tindrel"),
        make_page("Message size: 12 MiB", url="https://ferrow.example/l", title="Limits of Ferrow"),
    ]
    properties = {"name": {"type": "string"}, "message_size_mib": {"type": "integer"}}
    schema = {"type": "array", "items": {"type": "object", "properties": properties}}
    filled = fill("Compare the message size of Tindrel (cloud) and Ferrow.", {"brokers": schema}, pages)
    assert filled["brokers"] == [
        {"name": "Tindrel", "message_size_mib": 96},
        {"name": "Ferrow", "message_size_mib": 12},
    ]


@pytest.mark.parametrize(
    ("task", "entities"),
    [
        ("Compare Alpha, Beta (3.1) and Gamma Queue.", ["Alpha", "Beta", "Gamma Queue"]),
        ("What does Alpha cost?", ["Alpha"]),
        ("what is it?", []),
    ],
)
def test_things_that_a_task_compares_are_found_by_their_series(task: str, entities: list[str]) -> None:
    found = find_entities(task)
    assert found == entities or len(found) <= 1 >= len(entities)


def test_claims_quote_a_page_and_cite_it() -> None:
    item = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "citation_urls": {"type": "array", "items": {"type": "string", "format": "uri"}},
        },
    }
    page = make_page("Tindrel should be upgraded before December. It rains.")
    filled = fill("Should Tindrel be upgraded?", {"claims": {"type": "array", "items": item}}, [page])
    assert filled["claims"] == [
        {"text": "Tindrel should be upgraded before December.", "citation_urls": [SITE]}
    ]


# --- citing and declining ----------------------------------------------------------------------------------

PORT_AND_SOURCES = {
    "default_port": {"type": ["integer", "null"]},
    "sources": {"type": "array", "items": {"type": "string"}},
}


def test_only_pages_that_were_used_are_cited() -> None:
    pages = [
        make_page("The default port of Tindrel is 7500."),
        make_page("Tindrel has a logo.", url="https://other.example/"),
    ]
    assert fill("Default port of Tindrel?", PORT_AND_SOURCES, pages)["sources"] == [SITE]


@pytest.mark.parametrize("pages", [[], [make_page("Bread needs 12 hours.", title="Baking")]])
def test_without_a_relevant_page_every_field_is_null(pages: list[Page]) -> None:
    assert fill("Default port of Tindrel?", PORT_AND_SOURCES, pages) == {
        "default_port": None,
        "sources": None,
    }


def test_a_page_that_says_it_is_not_known_outweighs_a_guess() -> None:
    pages = [
        make_page("The release date of Tindrel 5 has not been announced."),
        make_page("Tindrel 5 may come on 2027-03-15.", url="https://rumours.example/", title="Rumours"),
    ]
    schema = {"release_date": {"type": ["string", "null"], "format": "date"}}
    assert fill("When is the release date of Tindrel 5?", schema, pages)["release_date"] is None


def test_the_answer_does_not_depend_on_what_an_empty_schema_holds() -> None:
    assert fill("anything", {}, [make_page("Tindrel.")]) == {}


# --- prompt and queries ------------------------------------------------------------------------------------


def test_reference_material_names_its_sources_line_by_line() -> None:
    prompt = (
        "# Task\n\nWhich port?\n\n# Reference material\n\nFrom https://a.example/x:\n\n<reference>\n"
        "The port is 1.\nhttps://b.example/y: It was 2.\n</reference>\n\n# Deliverable\n\nA JSON object:\n\n"
        '```json\n{"type": "object"}\n```\n\n# Rules\n\n- none\n'
    )
    assignment = read_assignment(prompt)
    assert assignment.task == "Which port?"
    assert [(passage.url, passage.text) for passage in assignment.references] == [
        ("https://a.example/x", "The port is 1."),
        ("https://b.example/y", "It was 2."),
    ]


def test_a_task_that_quotes_the_prompts_headings_is_read_to_its_end() -> None:
    prompt = (
        "# Task\n\nExplain:\n\n# Deliverable\n\nnot this.\n\n# Deliverable\n\nThis:\n\n"
        '```json\n{"type": "object"}\n```\n'
    )
    assert read_assignment(prompt).schema == {"type": "object"}


def test_queries_follow_the_task_then_what_is_still_open() -> None:
    assignment = Assignment(
        task="Who maintains the cache Tindrel?", schema={"properties": {"maintainer": {"type": "string"}}}
    )
    assert all("Tindrel" in query for query in plan_queries(assignment))
    open_deliverable = fill_deliverable(assignment, [])
    assert plan_followups(assignment, open_deliverable) == ["Tindrel maintainer"]
