"""Holds what a server advertises against what is pinned, and writes a new pin into the configuration."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import yaml

from pytest_searchlight.domain import Record, SearchSetup, ToolPin
from pytest_searchlight.errors import SettingsError
from pytest_searchlight.metering import Metering
from pytest_searchlight.providers.setups import parse_setups

_SHOWN_HASH_CHARS: Final = 12
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][\w-]*")


class PinDrift(Record):
    """How the tools that a setup's server advertises differ from the pinned ones.

    `changed` holds pairs of pinned and advertised tool of the same name.
    """

    setup: str
    added: tuple[ToolPin, ...]
    removed: tuple[ToolPin, ...]
    changed: tuple[tuple[ToolPin, ToolPin], ...]

    def explain(self) -> str:
        """The difference, a line for each tool, and what to do about it."""
        return "\n".join(self._list_lines())

    def _list_lines(self) -> Iterator[str]:
        yield f"setup {self.setup!r}: its server does not advertise the pinned tools"
        for tool in self.removed:
            yield f"  - {tool.name}: pinned, but no longer advertised"
        for tool in self.added:
            yield f"  + {tool.name}: advertised, but not pinned"
        for pinned, found in self.changed:
            yield f"  ~ {pinned.name}: schema {_shorten(pinned)} pinned, {_shorten(found)} advertised"
        yield f"  look at what changed, then accept it with: sew pin {self.setup}"


def collect_pins(metering: Metering) -> tuple[ToolPin, ...]:
    """The tools that a server was seen to advertise, as they would be pinned."""
    return tuple(ToolPin(name=tool.name, schema_sha256=tool.schema_sha256) for tool in metering.tools)


def compare_pin(setup: SearchSetup, advertised: Sequence[ToolPin]) -> PinDrift | None:
    """The difference between pinned and `advertised` tools, in either order, or None when they agree.

    A pinned tool without a schema hash agrees with any schema.
    """
    pinned = {tool.name: tool for tool in setup.tools}
    found = {tool.name: tool for tool in advertised}
    drift = PinDrift(
        setup=setup.name,
        added=tuple(found[name] for name in found if name not in pinned),
        removed=tuple(pinned[name] for name in pinned if name not in found),
        changed=tuple(
            (tool, found[name])
            for name, tool in pinned.items()
            if name in found and tool.schema_sha256 not in {None, found[name].schema_sha256}
        ),
    )
    return drift if drift.added or drift.removed or drift.changed else None


def write_pin(setup_name: str, config_file: Path, *, tools: Sequence[ToolPin]) -> None:
    """Replace the setup's ``tools`` in `config_file`; every other line stays as it is.

    Raises:
        SettingsError: the file has no such setup, or would not be valid afterwards (a tariff for a tool that
            is gone); the file is then left alone.
    """
    text = config_file.read_text("utf-8")
    first, end, indent = _find_tools_block(text, setup_name, config_file)
    lines = text.splitlines(keepends=True)
    block = [f"{indent}- {_render_tool(tool)}\n" for tool in tools]
    changed = "".join([*lines[:first], *block, *lines[end:]])
    parse_setups(changed, file=config_file)
    _replace_file(config_file, changed)


def _find_tools_block(text: str, setup_name: str, file: Path) -> tuple[int, int, str]:
    """First line, end line and indent of the block list under the setup's ``tools``."""
    setup = _find_value(yaml.compose(text, Loader=yaml.SafeLoader), setup_name)
    if setup is None:
        raise SettingsError(
            f"{file}: defines no setup {setup_name!r}; a setup is pinned in the file that defines it"
        )
    tools = _find_value(setup, "tools")
    if not isinstance(tools, yaml.SequenceNode) or tools.flow_style or not tools.value:
        raise SettingsError(
            f"{file}: {setup_name}: no list of `tools` to renew; write it with one `- {{name: ...}}` a line"
        )
    indent = " " * tools.start_mark.column
    return tools.start_mark.line, _find_last_line(tools) + 1, indent


def _find_value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for name, value in node.value if name.value == key), None)


def _find_last_line(node: yaml.Node) -> int:
    """A block's own end mark lies beyond the comments that follow it; its last leaf's does not."""
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _find_last_line(node.value[-1])
    if isinstance(node, yaml.MappingNode) and not node.flow_style and node.value:
        return _find_last_line(node.value[-1][1])
    return int(node.end_mark.line)


def _render_tool(tool: ToolPin) -> str:
    name = tool.name if _PLAIN_NAME.fullmatch(tool.name) else json.dumps(tool.name)
    return f"{{name: {name}, schema_sha256: {tool.schema_sha256 or 'null'}}}"


def _replace_file(path: Path, text: str) -> None:
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    Path(file.name).chmod(path.stat().st_mode)
    Path(file.name).replace(path)


def _shorten(tool: ToolPin) -> str:
    return (tool.schema_sha256 or "unknown")[:_SHOWN_HASH_CHARS]
