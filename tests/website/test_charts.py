"""Charts in a page: coloured by it, without inline styles, honest about what is not known."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from website.staged_reports import write_measured

from pytest_searchlight.report_folder import read_report
from pytest_searchlight.website.charts import Axis, DotChart, DotRow, Mark, ScatterChart, Spot
from pytest_searchlight.website.charts.axes import make_axis, make_share_axis
from pytest_searchlight.website.charts.drawing import draw_chart
from pytest_searchlight.website.formats import DASH
from pytest_searchlight.website.sections.pictures import chart_closures


def make_dots(*rows: DotRow, axis: Axis | None = None) -> DotChart:
    return DotChart(
        title="Pass rates",
        caption="What they mean.",
        groups=(("codex", rows),),
        axis=axis or make_share_axis("rate"),
    )


EXA = DotRow(label="exa", marks=(Mark(value=0.5, ends=(0.25, 0.75), style="provider"),), text="50 % of 4/4")
FLOOR = DotRow(label="floor", marks=(Mark(value=0.0, ends=(0.0, 0.3), style="floor"),), text="0 % of 4/4")
SPOTS = ScatterChart(
    title="Cost",
    caption="Cheaper is left.",
    spots=(
        Spot(label="exa", x=0.2, y=0.5, ends=(0.25, 0.75), style="provider"),
        Spot(label="tavily", x=0.2, y=0.5, ends=None, style="provider"),
    ),
    x_axis=make_axis("dollars", values=[0.2], show="{:g}".format),
    y_axis=make_share_axis("pass rate"),
)


def read_texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter("text")]


@pytest.mark.parametrize("chart", [make_dots(EXA, FLOOR), SPOTS], ids=["dots", "spots"])
def test_a_chart_has_no_styles_and_no_colours_of_its_own(chart: DotChart | ScatterChart) -> None:
    svg = draw_chart(chart, id_="c")

    assert "style=" not in svg
    assert "<style" not in svg
    assert re.findall(r"#[0-9a-fA-F]{6}", svg) == []
    assert "var(--chart-provider)" in svg


def test_a_chart_is_named_and_described_for_those_who_do_not_see_it() -> None:
    root = ET.fromstring(draw_chart(make_dots(EXA), id_="c"))

    assert root.get("role") == "img"
    named = [root.find(f"*[@id='{root.get(f'aria-{way}')}']") for way in ("labelledby", "describedby")]
    assert [element.text for element in named if element is not None] == ["Pass rates", "What they mean."]


def test_ids_begin_with_the_chart_so_that_two_can_share_a_page() -> None:
    ids = [
        re.findall(r' id="([^"]+)"', draw_chart(make_dots(EXA, FLOOR), id_=name)) for name in ("one", "two")
    ]

    assert set(ids[0]).isdisjoint(ids[1])
    assert all(id_.startswith("one-") for id_ in ids[0])


def test_numbers_are_rounded_so_that_other_arithmetic_does_not_show() -> None:
    third = DotRow(label="exa", marks=(Mark(value=1 / 3, style="provider"),), text="33 %")

    assert re.findall(r"\d+\.\d{3,}", draw_chart(make_dots(third), id_="c")) == []


def test_kinds_of_setup_differ_by_shape_besides_colour() -> None:
    shapes = [
        draw_chart(make_dots(DotRow(label="x", marks=(Mark(value=0.5, style=style),), text="")), id_="c")
        for style in ("provider", "built-in", "no-search", "floor", "ceiling")
    ]

    assert len({re.sub(r"var\(--chart-[a-z-]+\)", "", shape) for shape in shapes}) == 5


def test_a_row_without_a_number_has_a_text_and_no_mark() -> None:
    svg = draw_chart(make_dots(DotRow(label="exa", marks=(), text=f"{DASH} of 0/4")), id_="c")

    assert "<use" not in svg
    assert f"{DASH} of 0/4" in read_texts(svg)


def test_names_are_shown_as_they_are_and_shortened_when_long() -> None:
    odd = DotRow(label="$x^2$ <b>&", marks=(), text="検索")
    long = DotRow(label="x" * 60, marks=(), text="")

    texts = read_texts(draw_chart(make_dots(odd, long), id_="c"))

    assert "$x^2$ <b>&" in texts
    assert "検索" in texts
    assert "x" * 19 + "…" in texts


def test_a_closure_says_of_how_many_tasks_it_is(tmp_path: Path) -> None:
    report = read_report(write_measured(tmp_path, "battery"))
    assert report.summary is not None
    assert report.summary.comparisons is not None
    setups = report.summary.comparisons.lanes[0].setups

    chart = chart_closures(setups, where="somewhere")

    assert chart is not None
    texts = [row.text for _, rows in chart.groups for row in rows]
    assert texts
    assert all(re.fullmatch(r"-?\d+\.\d\d, \d+ tasks?", text) for text in texts)


def test_labels_of_spots_at_one_place_do_not_cover_each_other() -> None:
    root = ET.fromstring(draw_chart(SPOTS, id_="c"))

    heights = [float(str(text.get("y"))) for text in root.iter("text") if text.text in {"exa", "tavily"}]
    assert abs(heights[0] - heights[1]) >= 15


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.37], ["0", "0.1", "0.2", "0.3", "0.4"]),
        ([1.0, -0.3, 1.29], ["-0.5", "0", "0.5", "1", "1.5"]),
        ([41_000.0], ["0", "20000", "40000", "60000"]),
        ([0.0], ["0", "0.25", "0.5", "0.75", "1"]),
    ],
)
def test_axes_have_round_ticks_that_hold_every_value(values: list[float], ticks: list[str]) -> None:
    axis = make_axis("x", values=values, show="{:g}".format)

    assert [text for _, text in axis.ticks] == ticks
    assert axis.low <= min(values)
    assert axis.high >= max(values)
