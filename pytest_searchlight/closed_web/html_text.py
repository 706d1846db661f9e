"""HTML to text that loses no statement: headings, lists, tables as rows, links, footers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

_UNSEEN: Final = "script, style, noscript, template, svg, iframe, nav, [hidden]"
_MARKS: Final = {f"h{level}": "#" * level + " " for level in range(1, 7)} | {"li": "- ", "dd": "  : "}
_LINES: Final = frozenset({"li", "dt", "dd", "tr", "thead", "tbody", "tfoot"})
_BLOCK_TAGS: Final = """
    address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header
    hr html h1 h2 h3 h4 h5 h6 legend li main ol p section summary table tbody tfoot thead ul
"""
_BLOCKS: Final = frozenset(_BLOCK_TAGS.split())
_DATE_TAGS: Final = (
    'meta[property="article:modified_time"], meta[name="last-modified"], meta[name="dcterms.modified"]',
    'meta[property="article:published_time"], meta[name="date"], meta[name="dcterms.date"]',
    "time[datetime]",
)
_ISO_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
# HTML's own white space only: U+0085 and U+2028 inside a sentence are characters of the page.
_SPACES: Final = re.compile(r"[ \t\n\r\f]+")
# A form feed marks the gap between paragraphs, a newline the gap between lines; squeezed text holds neither.
_GAP: Final = re.compile(r"(?:[ \t]*[\n\f])+(?: (?! ))?")
_BREAKS: Final = " \n\f"
_CELL_SEPARATOR: Final = " | "


def read_html(html: str, *, base_url: str) -> tuple[str, str | None, str]:
    """Title, date (ISO, as the page's own metadata states it) and readable text of an HTML page."""
    tree = LexborHTMLParser(html)
    title = tree.css_first("title")
    date = _find_date(tree)
    for node in tree.css(_UNSEEN):
        node.decompose()
    body = tree.body
    text = "".join(_write_children(body, base_url=base_url)) if body else ""
    text = _GAP.sub(lambda gap: "\n\n" if "\f" in gap[0] else "\n", text)
    return (_squeeze(title.text()) if title else ""), date, text.strip(" \n")


def _find_date(tree: LexborHTMLParser) -> str | None:
    for selector in _DATE_TAGS:
        for node in tree.css(selector):
            stated = node.attributes.get("content") or node.attributes.get("datetime") or ""
            if found := _ISO_DATE.search(stated):
                return found[0]
    return None


def _write_children(parent: LexborNode, *, base_url: str) -> Iterator[str]:
    child = parent.child
    while child is not None:
        yield from _write_node(child, base_url=base_url)
        child = child.next


def _write_node(node: LexborNode, *, base_url: str) -> Iterator[str]:
    tag = node.tag
    if node.is_text_node:
        yield _SPACES.sub(" ", node.text_content or "")
    elif tag == "br":
        yield "\n"
    elif tag == "pre":
        yield f"\f{node.text()}\f"
    elif tag == "a":
        yield _write_link(node, base_url=base_url)
    elif tag == "tr":
        yield f"\n{_write_row(node, base_url=base_url)}\n"
    elif tag in _BLOCKS:
        yield from _write_block(node, base_url=base_url)
    elif node.is_element_node:
        yield from _write_children(node, base_url=base_url)


def _write_block(node: LexborNode, *, base_url: str) -> Iterator[str]:
    tag = node.tag or ""
    gap = "\n" if tag in _LINES else "\f"
    inner = "".join(_write_children(node, base_url=base_url))
    yield f"{gap}{_MARKS[tag]}{inner.lstrip(_BREAKS)}" if tag in _MARKS else f"{gap}{inner}"
    yield gap


def _write_row(row: LexborNode, *, base_url: str) -> str:
    cells = ("".join(_write_children(cell, base_url=base_url)) for cell in row.css("td, th"))
    return f"| {_CELL_SEPARATOR.join(_squeeze(cell) for cell in cells)} |"


def _write_link(node: LexborNode, *, base_url: str) -> str:
    label = _squeeze("".join(_write_children(node, base_url=base_url)))
    target = (node.attributes.get("href") or "").strip()
    if not label or not target or target.startswith(("#", "javascript:", "mailto:")):
        return label
    try:
        return f"[{label}]({urljoin(base_url, target)})"
    except ValueError:
        return label


def _squeeze(text: str) -> str:
    return _SPACES.sub(" ", text).strip()
