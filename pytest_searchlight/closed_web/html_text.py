"""HTML to text that loses no statement: headings, lists, tables as rows, links, footers."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

_UNSEEN: Final = "script, style, noscript, template, svg, iframe, nav, [hidden]"
_MARKS: Final = {f"h{level}": "#" * level + " " for level in range(1, 7)} | {"li": "- ", "dd": "  : "}
_LINES: Final = frozenset({"li", "dt", "dd", "thead", "tbody", "tfoot"})
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


def read_html(html: str, *, base_url: str) -> tuple[str, str | None, str]:
    """Title, date (ISO, as the page's own metadata states it) and readable text of an HTML page."""
    tree = LexborHTMLParser(html)
    title = tree.css_first("title")
    date = _find_date(tree)
    for node in tree.css(_UNSEEN):
        node.decompose()
    body = tree.body
    text = _write_node(body, base_url=base_url) if body else ""
    text = _GAP.sub(lambda gap: "\n\n" if "\f" in gap[0] else "\n", text)
    return (_squeeze(title.text()) if title else ""), date, text.strip(" \n")


def _find_date(tree: LexborHTMLParser) -> str | None:
    for selector in _DATE_TAGS:
        for node in tree.css(selector):
            stated = node.attributes.get("content") or node.attributes.get("datetime") or ""
            if found := _ISO_DATE.search(stated):
                return found[0]
    return None


def _write_node(root: LexborNode, *, base_url: str) -> str:
    """The text of a node and all below it; walks with a stack of its own, since pages nest without limit."""
    written: list[list[str]] = [[]]
    steps = [(root, False)]
    while steps:
        node, is_left = steps.pop()
        if is_left:
            inner = "".join(written.pop())
            written[-1].append(_frame_text(node, inner, base_url=base_url))
        elif (leaf := _read_leaf(node)) is not None:
            written[-1].append(leaf)
        else:
            written.append([])
            steps.append((node, True))
            steps.extend((child, False) for child in reversed(list(node.iter(include_text=True))))
    return "".join(written[0])


def _read_leaf(node: LexborNode) -> str | None:
    if node.is_text_node:
        return _SPACES.sub(" ", node.text_content or "")
    if node.tag == "br":
        return "\n"
    if node.tag == "pre":
        return f"\f{node.text()}\f"
    return None if node.is_element_node else ""


def _frame_text(node: LexborNode, inner: str, *, base_url: str) -> str:
    tag = node.tag or ""
    if tag == "a":
        return _write_link(node, _squeeze(inner), base_url=base_url)
    if tag in {"td", "th"}:
        return f"| {_squeeze(inner)} "
    if tag == "tr":
        return f"\n{_squeeze(inner)} |\n"
    if tag not in _BLOCKS:
        return inner
    gap = "\n" if tag in _LINES else "\f"
    return f"{gap}{_MARKS[tag]}{inner.lstrip(_BREAKS)}{gap}" if tag in _MARKS else f"{gap}{inner}{gap}"


def _write_link(node: LexborNode, label: str, *, base_url: str) -> str:
    target = (node.attributes.get("href") or "").strip()
    if not label or not target or target.startswith(("#", "javascript:", "mailto:")):
        return label
    try:
        return f"[{label}]({urljoin(base_url, target)})"
    except ValueError:
        return label


def _squeeze(text: str) -> str:
    return _SPACES.sub(" ", text).strip()
