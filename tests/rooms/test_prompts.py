"""What agents are told: the same under every setup."""

from __future__ import annotations

import re

import pytest
from plugin.small_project import make_task

from pytest_searchlight.domain import SetupKind, Task
from pytest_searchlight.prompting import compose_prompt

TASK = Task.model_validate(make_task("sky"))


@pytest.mark.parametrize("kind", SetupKind)
def test_a_setups_prompt_differs_from_that_without_search_by_the_ceilings_excerpt_only(
    kind: SetupKind,
) -> None:
    prompt = compose_prompt(TASK, kind)
    told = re.sub(r"# Reference material\n.*?</reference>\n\n", "", prompt, flags=re.DOTALL)
    assert told == compose_prompt(TASK, SetupKind.NO_SEARCH)
    assert (told != prompt) == (kind is SetupKind.CEILING)


def test_no_rule_holds_only_for_agents_without_tools_nor_keeps_them_from_what_they_know() -> None:
    rules = compose_prompt(TASK, SetupKind.NO_SEARCH).partition("# Rules")[2]
    assert not re.search(
        r"\b(?:if|without|unless)\b[^.\n]*\b(?:none|no tools?|tools?)\b", rules, re.IGNORECASE
    )
    assert "what you know" in rules
