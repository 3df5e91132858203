"""Figures: what a reader needs is in them, in black and white too, and the same figure gives the same bytes."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree

import pytest

from ponderosa import PonderosaError
from ponderosa.lab.extra import INSTALL, need
from ponderosa.lab.reports.figures import (
    COLOURS,
    LINES,
    MARKERS,
    Axis,
    Chart,
    Grid,
    Series,
    as_png,
    as_svg,
    write_figure,
)

pytest.importorskip("matplotlib")

NASTY = "<script>alert(1)</script> $x^2$ & co"


def chart(count: int = 2, points: int = 3, x: Axis | None = None, **more: object) -> Chart:
    at = list(range(1, points + 1))
    series = [
        Series(f"agent {n}", at, [v + n for v in at], [v + n - 0.5 for v in at], [v + n + 0.5 for v in at])
        for n in range(count)
    ]
    return Chart("example", "An example", x or Axis("time", "s"), Axis("score", "%"), series, **more)  # type: ignore[arg-type]


def texts(svg: str) -> str:
    """All words of a picture."""
    return " ".join(
        element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")
    )


def test_axes_units_interval_and_legend_are_written_in_the_figure():
    said = texts(as_svg(chart()))
    for words in ("An example", "time (s)", "score (%)", "95 % interval", "agent 0", "agent 1"):
        assert words in said


def test_points_have_bars_of_error_and_long_series_have_bands():
    few, many = chart(points=5).draw().axes[0], chart(points=60).draw().axes[0]
    assert len(few.containers) == 2 and all(bars.has_yerr for bars in few.containers)
    assert len(many.collections) == 2 and not many.containers
    vertices = many.collections[0].get_paths()[0].vertices
    assert vertices[:, 1].min() == 0.5 and vertices[:, 1].max() == 60.5


def test_bars_of_error_reach_from_low_to_high():
    axes = chart(count=1).draw().axes[0]
    _, _, (lines,) = axes.containers[0].lines
    assert [(a[1], b[1]) for a, b in lines.get_segments()] == [(0.5, 1.5), (1.5, 2.5), (2.5, 3.5)]


def test_series_can_be_told_apart_without_colours():
    axes = chart(count=8).draw().axes[0]
    drawn = [bars.lines[0] for bars in axes.containers]
    assert len({line.get_marker() for line in drawn}) == 8
    assert len({str(line._unscaled_dash_pattern) for line in drawn}) == 8
    assert len(set(MARKERS)) == len(set(map(str, LINES))) == len(COLOURS) == 8


def test_colours_are_dark_enough_on_white():
    for colour in COLOURS:
        red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
        assert 0.299 * red + 0.587 * green + 0.114 * blue < 170, colour


def test_the_same_figure_gives_the_same_bytes():
    assert as_svg(chart()) == as_svg(chart())
    assert as_png(chart()) == as_png(chart())
    assert "<dc:date>" not in as_svg(chart())


def test_words_are_words_and_never_markup_or_formulas():
    svg = as_svg(Chart("nasty", NASTY, Axis(NASTY), Axis("y"), [Series(NASTY, [1], [1])]))
    assert "<script" not in svg
    assert texts(svg).count(NASTY) == 3


def test_logarithmic_axes_have_plain_numbers():
    figure = chart(points=4, x=Axis("games", log=True))
    said = texts(as_svg(figure))
    assert "mathdefault" not in said and all(f" {n} " in f" {said} " for n in (1, 2, 3, 4))


def test_categories_keep_their_order_and_series_stand_side_by_side():
    series = [Series(name, ["slow", "fast"], [1, 2], [0, 1], [2, 3]) for name in ("a", "b")]
    for bars in (False, True):
        axes = Chart("kinds", "Kinds", Axis("agent"), Axis("score", "%"), series, bars=bars).draw().axes[0]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["slow", "fast"]
    first, second = (patch.get_x() for patch in (axes.patches[0], axes.patches[2]))
    assert first < second
    assert len({patch.get_hatch() for patch in axes.patches}) == 2


def test_a_grid_says_every_number_in_its_cell():
    grid = Grid(
        "pairs",
        "Pairs",
        Axis("opponent"),
        Axis("agent"),
        ["a", "b"],
        ["c", "d"],
        [[1, None], [3, 4]],
        Axis("score", "%"),
    )
    said = texts(as_svg(grid))
    assert all(word in said.split() for word in ("a", "b", "c", "d", "1", "3", "4"))
    assert "score (%)" in said


def test_a_figure_is_written_as_svg_and_png(tmp_path):
    svg, png = write_figure(tmp_path / "figures", chart())
    assert svg.read_text().lstrip().startswith("<?xml") and png.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in svg.parent.iterdir()) == ["example.png", "example.svg"]


def test_figures_that_cannot_be_say_why():
    axis = Axis("x")
    with pytest.raises(PonderosaError, match="one length"):
        Chart("bad", "Bad", axis, axis, [Series("a", [1, 2], [1])])
    with pytest.raises(PonderosaError, match="no series"):
        Chart("bad", "Bad", axis, axis, [])
    with pytest.raises(PonderosaError, match="name of a file"):
        Chart("../bad", "Bad", axis, axis, [Series("a", [1], [1])])
    with pytest.raises(PonderosaError, match="every row and column"):
        Grid("bad", "Bad", axis, axis, ["a"], ["b"], [[1, 2]], axis)


def test_a_missing_package_says_what_to_install():
    with pytest.raises(PonderosaError) as error:
        need("no_such_package_anywhere", "figures")
    assert INSTALL in str(error.value) and "ponderosa[lab]" in INSTALL


def test_every_pair_of_looks_differs_twice():
    looks = list(zip(MARKERS, map(str, LINES), COLOURS, strict=True))
    assert all(sum(a != b for a, b in zip(*pair, strict=True)) >= 2 for pair in itertools.combinations(looks, 2))


@pytest.mark.parametrize("axis", [Axis("c"), Axis("c", log=True)])
@pytest.mark.parametrize("at", [0.0, 7.0])
def test_series_with_one_point_at_the_same_place_do_not_hide_each_other(axis: Axis, at: float) -> None:
    if axis.log and at == 0:
        pytest.skip("0 has no logarithm")
    series = [Series(f"agent {n}", [at], [50.0], [45.0], [55.0]) for n in range(4)]
    axes = Chart("one", "One", axis, Axis("score", "%"), series).draw().axes[0]
    axes.figure.canvas.draw()
    places = sorted(axes.transData.transform((bars.lines[0].get_xdata()[0], 50.0))[0] for bars in axes.containers)
    assert min(after - before for before, after in itertools.pairwise(places)) > 20  # pixels


@pytest.mark.parametrize("at", [["10", "100"], [10, 100]])
def test_series_with_two_points_stand_side_by_side_and_nearer_to_their_own_place_than_to_the_next(at: list) -> None:
    series = [Series(f"agent {n}", at, [0.0, 0.0], [0.0, 0.0], [20.0, 20.0]) for n in range(7)]
    axes = Chart("two", "Two", Axis("c"), Axis("score", "%"), series).draw().axes[0]
    axes.figure.canvas.draw()
    first, second = (
        sorted(axes.transData.transform((bars.lines[0].get_xdata()[end], 0.0))[0] for bars in axes.containers)
        for end in (0, 1)
    )
    assert min(after - before for before, after in itertools.pairwise(first)) > 8  # pixels
    assert second[0] - first[-1] > first[-1] - first[0]


def test_names_along_a_logarithmic_axis_do_not_write_over_each_other():
    near = Chart("near", "Near", Axis("c", log=True), Axis("visits"), [Series("c", [0.1, 1, 1.4, 1.5, 10], [5.0] * 5)])
    axes = near.draw().axes[0]
    axes.figure.canvas.draw()
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.1", "1", "1.4", "10"]


def test_points_on_the_ends_of_an_axis_stand_free_of_the_frame():
    series = [Series("all or nothing", [1, 2], [0.0, 100.0])]
    low, high = Chart("ends", "Ends", Axis("n"), Axis("score", "%", low=0, high=100), series).draw().axes[0].get_ylim()
    assert low < 0 and high > 100
    columns = Chart("ends", "Ends", Axis("n"), Axis("score", "%", low=0, high=100), series, bars=True)
    assert columns.draw().axes[0].get_ylim() == (0, 100)


def test_few_points_well_apart_are_all_named_along_the_axis():
    sizes = [3, 5, 7, 9, 12, 15, 19]
    one = Chart("sizes", "Sizes", Axis("board"), Axis("speed"), [Series("fast", sizes, sizes)])
    assert [label.get_text() for label in one.draw().axes[0].get_xticklabels()] == [str(size) for size in sizes]
    near = Chart("near", "Near", Axis("c"), Axis("score"), [Series("c", [1, 1.01, 5], [1, 2, 3])])
    assert "1.01" not in [label.get_text() for label in near.draw().axes[0].get_xticklabels()]


def test_means_that_are_not_known_have_no_point():
    mean = Series("of", [1], [0.5], [0.4], [0.6])
    known = type("Known", (), {"value": 0.5, "low": 0.4, "high": 0.6})()
    assert Series.of("of", [1, 2], [known, None]) == mean
