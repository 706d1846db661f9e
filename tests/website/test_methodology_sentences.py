"""What the methodology says in words, held against what the program does."""

from __future__ import annotations

import html
from pathlib import Path

from rooms.records_for_tests import make_record, make_run

from pytest_searchlight.agents.claude_code import MOST_RESULT_TOKENS, list_mcp_servers
from pytest_searchlight.domain import SetupKind
from pytest_searchlight.extensions import AgentJob, McpServer
from pytest_searchlight.session.ledger import FAULTS_IN_A_ROW
from pytest_searchlight.stats.comparing import compare_setups
from pytest_searchlight.website.building import Site


def read_methodology(built: Site) -> str:
    return " ".join(html.unescape(built["methodology.html"].decode()).split())


def test_it_tells_what_takes_runs_of_a_setup_out_of_its_rate(built: Site) -> None:
    assert FAULTS_IN_A_ROW == 3
    assert "Three such runs in a row put off the rest of their setup" in read_methodology(built)


def test_it_tells_where_a_providers_results_are_cut_and_an_agents_own_are_not(built: Site) -> None:
    text = read_methodology(built)
    assert f"a result of a server over {MOST_RESULT_TOKENS:,} tokens" in text
    assert "An agent product's own search passes no proxy: it has neither rate nor limit" in text


def test_it_tells_that_a_servers_tools_are_all_shown_from_the_first_turn_on(built: Site) -> None:
    server = McpServer(name="exa", command=("exa",), tools=("find",), start_timeout_s=1.0)
    job = AgentJob(
        run=make_run(),
        prompt="",
        workspace=Path(),
        home=Path(),
        record=Path(),
        server=server,
        environment={},
    )
    assert list_mcp_servers(job)["exa"]["alwaysLoad"] is True
    assert "every tool of the setup's server in full, from the first turn on" in read_methodology(built)


def test_no_provider_is_compared_with_another_as_it_says(built: Site) -> None:
    setups = {
        "exa": SetupKind.PROVIDER,
        "brave": SetupKind.PROVIDER,
        "built-in": SetupKind.BUILT_IN,
        "no-search": SetupKind.NO_SEARCH,
        "floor": SetupKind.FLOOR,
    }
    rows = [make_record(setup=name, setup_kind=kind) for name, kind in setups.items()]
    (lane,) = compare_setups(rows, seed=0, draws=10).lanes
    compared = {comparison.reference for setup in lane.setups for comparison in setup.comparisons}
    assert compared == {"floor", "no-search", "built-in"}
    assert "and no provider with another" in read_methodology(built)
