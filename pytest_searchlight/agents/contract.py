"""What one agent may touch under one setup: the single source of exposed, approved and audited tools."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pytest_searchlight.agents.pins import AgentPin
from pytest_searchlight.domain import SearchSetup
from pytest_searchlight.extensions import McpServer

CALL_LIMIT_S: Final = 300
"""How long one call to the setup's server may take, in every product."""

OWN_SEARCHES: Final = frozenset({"WebSearch", "web_search"})
"""Agent products' own tools that search the web, which their vendors charge for by the call."""


@dataclass(frozen=True, kw_only=True)
class Contract:
    """The agent's own tools and the one MCP server, if any; nothing else.

    Agent products call an MCP tool ``mcp__<server>__<tool>``, with every other character than letters,
    digits, ``_`` and ``-`` replaced.

    Attributes:
        own_tools: the product's own tools that the model is to be offered.
        inert_tools: more of them, which cannot be taken away and do no harm.
        server: the MCP server, or None.
    """

    own_tools: tuple[str, ...]
    inert_tools: tuple[str, ...] = ()
    server: McpServer | None

    @property
    def server_tools(self) -> dict[str, str]:
        """The server's tools: the name agent products give each, and its own."""
        if self.server is None:
            return {}
        return {name_server_tool(self.server.name, tool): tool for tool in self.server.tools}

    @property
    def tools(self) -> tuple[str, ...]:
        """Every tool the model is to be offered, as the agent product names them."""
        return (*self.own_tools, *self.server_tools)

    def locate_tool(self, name: str) -> tuple[str | None, str]:
        """Server and tool of a product's tool name; the server is None for its own tools.

        Names outside the contract are taken apart as well as can be.
        """
        if self.server is not None and name in self.server_tools:
            return self.server.name, self.server_tools[name]
        if name.startswith("mcp__"):
            server, _, tool = name.removeprefix("mcp__").partition("__")
            return server, tool
        return None, name

    def allows(self, *, server: str | None, tool: str) -> bool:
        """Whether a call is inside the contract."""
        if server is None:
            return tool in self.own_tools or tool in self.inert_tools
        return self.server is not None and server == self.server.name and tool in self.server.tools


def write_contract(pin: AgentPin, *, setup: SearchSetup, server: McpServer | None) -> Contract:
    """The contract of `pin`'s agent under `setup`; `server` is what stands for the setup's provider."""
    own_tools = pin.own_tools.get(setup.kind, ())
    return Contract(own_tools=own_tools, inert_tools=pin.inert_tools, server=server)


def name_server_tool(server: str, tool: str) -> str:
    """The name agent products give to a tool of an MCP server."""
    return "__".join(("mcp", _replace_odd(server), _replace_odd(tool)))


def _replace_odd(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)
