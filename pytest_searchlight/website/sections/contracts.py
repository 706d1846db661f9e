"""What each setup can touch, under which agent; and how providers are configured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_searchlight.agents.claude_code import MOST_RESULT_TOKENS
from pytest_searchlight.costs.token_prices import ModelPrice
from pytest_searchlight.domain import SearchSetup, SetupKind, Tariff
from pytest_searchlight.website.formats import DASH, join_words, show_seconds, show_usd
from pytest_searchlight.website.house import House
from pytest_searchlight.website.sections.parts import Section
from pytest_searchlight.website.tables import Cell, Table, make_table, number

_CONTRACTS: Final = (
    "An agent is offered these tools and no others; the audit holds every call against the same list. The "
    "embedded agent baseline has no tools of its own and calls the server's only. The prompt is the same "
    "under every setup, but for the ceiling, whose prompt holds the reference excerpt."
)
_SHOWN: Final = (
    "Claude Code shows its model every tool of the setup's server in full, from the first turn on, and "
    "leaves ToolSearch out, which has nothing to find then. A server that describes many tools costs tokens "
    "at every turn, and these count against the tokens of a run."
)
_HASH_LENGTH: Final = 12
_KINDS: Final = {
    SetupKind.PROVIDER: "a provider's server",
    SetupKind.BUILT_IN: "the agent's own search",
    SetupKind.NO_SEARCH: "nothing",
    SetupKind.FLOOR: "nothing, as a reference",
    SetupKind.CEILING: "nothing; the answer's source is in the prompt",
}


def describe_contracts(house: House) -> Section:
    """The tools of each setup under each agent: exposed, approved and audited from the same table."""
    tables = (_make_contracts(house), _make_agents(house))
    paragraphs = (_CONTRACTS, _SHOWN)
    return Section(id="contracts", title="What each setup can touch", paragraphs=paragraphs, tables=tables)


def _make_contracts(house: House) -> Table:
    return make_table(
        "What an agent may use under each setup",
        labels=(
            "Setup",
            "Searches with",
            "Server's tools",
            *(f"Own tools of {name}" for name in house.agents),
        ),
        rows=[_make_contract(setup, house) for setup in house.setups.values()],
        notes=[
            f"{name} also keeps {join_words(pin.inert_tools)}, which cannot be taken away and reach no "
            "further than the setup's own server."
            for name, pin in house.agents.items()
            if pin.inert_tools
        ],
        texts=3 + len(house.agents),
    )


def _make_contract(setup: SearchSetup, house: House) -> list[Cell | str]:
    return [
        setup.name,
        _KINDS[setup.kind],
        _list_tools(setup),
        *(", ".join(pin.own_tools.get(setup.kind, ())) or DASH for pin in house.agents.values()),
    ]


def _list_tools(setup: SearchSetup) -> str:
    names = sorted(setup.tool_names)
    return (
        ", ".join(names)
        if len(names) <= 8
        else f"all {len(names)} tools listed under “Provider configurations”"
    )


def _make_agents(house: House) -> Table:
    return make_table(
        "Agents, at the versions that results are made with",
        labels=("Agent", "Package", "Version", "Default model", "Features turned off"),
        rows=[
            [
                name,
                pin.package,
                pin.version,
                pin.default_model,
                number(len(pin.disabled_features), str(len(pin.disabled_features))),
            ]
            for name, pin in house.agents.items()
        ],
        texts=4,
    )


def describe_providers(house: House) -> Section:
    """Every provider's server, tools and prices, as pinned."""
    providers = [setup for setup in house.setups.values() if setup.server is not None]
    text = (
        "Servers are started at these versions and refused when they advertise other tools or other input "
        "schemas than pinned here. Prices are list prices, applied after the run from what it called; a "
        "dash is a price that is not known, and the source says why."
    )
    defaults = (
        "No server's defaults are changed: how many results a search gives, and how much of each, is its "
        "provider's choice and the model's. Claude Code puts a result of a server over "
        f"{MOST_RESULT_TOKENS:,} tokens into a file that its model may read; Codex shortens long results and "
        "does not tell by how much."
    )
    tables = (_make_servers(providers, house), *map(_make_tools, providers))
    return Section(
        id="providers", title="Provider configurations", paragraphs=(text, defaults), tables=tables
    )


def _make_servers(providers: list[SearchSetup], house: House) -> Table:
    return make_table(
        "Servers",
        labels=(
            "Setup",
            "Reached by",
            "Package or address",
            "Version",
            "Key",
            "Tools",
            "Start limit",
            "Calls a second",
        ),
        rows=[_make_server(setup, house) for setup in providers],
        notes=["Calls a second are the shipped limits of all workers together; a project may set its own."],
        texts=5,
    )


def _make_server(setup: SearchSetup, house: House) -> list[Cell | str]:
    server = setup.server
    assert server is not None  # only setups with a server are listed
    limits = house.limits.get(setup.name)
    pace = limits.calls_per_s if limits else None
    return [
        setup.name,
        "streamable HTTP" if server.url else "stdio",
        server.url or server.package or "part of this package",
        server.version,
        server.key_variable or "none",
        number(len(setup.tools), str(len(setup.tools))),
        number(server.start_timeout_s, show_seconds(server.start_timeout_s)),
        number(pace, DASH if pace is None else f"{pace:g}"),
    ]


def _make_tools(setup: SearchSetup) -> Table:
    return make_table(
        f"Tools and prices of {setup.name}",
        labels=("Tool", "Input schema, sha256", "Price", "When", "Source", "Read on"),
        rows=[row for tool in setup.tools for row in _list_prices(setup, tool.name, tool.schema_sha256)],
        notes=[
            f"What an answer reports in {unit}: {_show_price(price.usd_per_unit)} each ({price.source}, "
            f"read on {price.checked.isoformat()})."
            for unit, price in setup.unit_prices.items()
        ],
        texts=6,
    )


def _list_prices(setup: SearchSetup, tool: str, schema: str | None) -> Iterator[list[Cell | str]]:
    pin = f"{schema[:_HASH_LENGTH]}…" if schema else "not pinned"
    for tariff in setup.tariffs.get(tool, ()):
        price = _show_price(tariff.usd_per_call)
        each = f"{price} per item of {tariff.per_item_of}" if tariff.per_item_of else f"{price} a call"
        known = tariff.usd_per_call is not None
        yield [
            tool,
            pin,
            each if known else DASH,
            _tell_condition(tariff),
            tariff.source,
            tariff.checked.isoformat(),
        ]
    if tool not in setup.tariffs:
        yield [tool, pin, DASH, "", "", ""]


def _show_price(usd: float | None) -> str:
    return "not known" if usd is None else show_usd(usd)


def _tell_condition(tariff: Tariff) -> str:
    """The arguments that a price depends on, named; the whole condition is in the configuration file."""
    properties = tariff.when.get("properties")
    names = sorted(properties) if isinstance(properties, dict) else []
    return f"depends on {join_words(names)}" if names else ""


def describe_model_prices(house: House) -> Section:
    """What the tokens of each model cost."""
    table = make_table(
        "US dollars per million tokens, and for each search by the agent product itself",
        labels=(
            "Model",
            "Source",
            "Read on",
            "Input",
            "Cached input",
            "Cache write",
            "Output",
            "Reasoning",
            "A search of the product's own",
        ),
        rows=[_make_price(model, price) for model, prices in house.prices.items() for price in prices],
        texts=3,
    )
    return Section(id="prices", title="Model prices", tables=(table,))


def _make_price(model: str, price: ModelPrice) -> list[Cell | str]:
    rates = price.usd_per_million
    values = (rates.input, rates.cached_input, rates.cache_write, rates.output, rates.reasoning)
    return [
        model,
        price.source,
        price.checked.isoformat(),
        *(number(rate, show_usd(rate)) for rate in (*values, price.usd_per_search)),
    ]
