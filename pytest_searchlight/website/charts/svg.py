"""SVG as matplotlib writes it, made fit for a page: style variables, no inline style, round numbers.

A page's content policy forbids inline styles, so they become attributes. Numbers are rounded to hundredths,
so that the last bits of another machine's arithmetic do not show.
"""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as ET

from pytest_searchlight.website.charts.canvas import COLOURS, Align, Sheet, WrittenText, name_placeholder

_SVG: Final = "{http://www.w3.org/2000/svg}"
_LINK: Final = "{http://www.w3.org/1999/xlink}href"
_NUMBER: Final = re.compile(r"-?\d+\.\d+")
_COLOUR: Final = re.compile(r"#0000[0-9a-f]{2}")
_VARIABLES: Final = {name_placeholder(colour): f"var(--chart-{colour})" for colour in COLOURS}
_FONT: Final = "system-ui, sans-serif"
_ANCHORS: Final[dict[Align, str]] = {"left": "start", "center": "middle", "right": "end"}


def finish_svg(sheet: Sheet, *, id_: str, kind: str, title: str, description: str) -> str:
    """What was drawn on `sheet` as an element to put into a page.

    Args:
        sheet: lines, marks and texts.
        id_: unique in the page; all ids in the drawing begin with it.
        kind: the class by which the page's style knows it.
        title: what it shows.
        description: the same in a sentence or two, for those who do not see it.
    """
    root = ET.fromstring(sheet.export_svg())  # noqa: S314 - written by matplotlib a moment ago
    for element in root.iter():
        _rewrite_attributes(element, id_=id_)
    frame = _make_frame(id_, kind=kind, view_box=root.attrib["viewBox"])
    frame.append(_make_text_element("title", f"{id_}-title", title))
    frame.append(_make_text_element("desc", f"{id_}-desc", description))
    frame.extend(child for child in root if child.tag != f"{_SVG}defs")
    frame.extend(map(_set_text, sheet.texts))
    for element in frame.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.text = (element.text or "").strip() or None
        element.tail = None
    return ET.tostring(frame, encoding="unicode")


def _make_frame(id_: str, *, kind: str, view_box: str) -> ET.Element:
    names = {"role": "img", "aria-labelledby": f"{id_}-title", "aria-describedby": f"{id_}-desc"}
    return ET.Element("svg", {"viewBox": view_box, "class": kind, **names, "font-family": _FONT})


def _make_text_element(tag: str, id_: str, text: str) -> ET.Element:
    element = ET.Element(tag, {"id": id_})
    element.text = text
    return element


def _set_text(written: WrittenText) -> ET.Element:
    x, y = (_show_number(part) for part in written.place)
    attributes = {"x": x, "y": y, "fill": f"var(--chart-{written.letters.colour})"}
    attributes |= {"font-size": _show_number(written.letters.size), "text-anchor": _ANCHORS[written.align]}
    if written.letters.is_bold:
        attributes["font-weight"] = "bold"
    if not written.letters.grows:
        attributes["class"] = "long"
    element = ET.Element("text", attributes)
    element.text = written.text
    return element


def _rewrite_attributes(element: ET.Element, *, id_: str) -> None:
    found = dict(element.attrib)
    style = found.pop("style", "")
    found |= dict(_split_style(style))
    element.attrib.clear()
    for name, value in found.items():
        for kept_name, kept in _rewrite(name, value, id_=id_, is_group=element.tag == f"{_SVG}g"):
            element.set(kept_name, kept)


def _split_style(style: str) -> list[tuple[str, str]]:
    pairs = (part.partition(":") for part in style.split(";") if part.strip())
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def _rewrite(name: str, value: str, *, id_: str, is_group: bool) -> list[tuple[str, str]]:
    """An attribute as it stands in the page, or none: the ids of groups are dropped."""
    if name == "id" and is_group:
        return []
    if name == "id":
        return [("id", f"{id_}-{value}")]
    if name == _LINK:
        return [("href", f"#{id_}-{value.removeprefix('#')}")]
    rounded = _NUMBER.sub(lambda match: _show_number(float(match[0])), " ".join(value.split()))
    return [(name, _COLOUR.sub(lambda match: _VARIABLES[match[0]], rounded))]


def _show_number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
