"""The Learning view without a browser: what is listed and drawn of a run."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from ponderosa.errors import PonderosaError
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.learning.report import charts
from ponderosa.pictures.board import Shown as Overlay
from ponderosa.pictures.board import draw_position
from ponderosa.web.drawing.curves import draw_chart
from ponderosa.web.drawing.graph import draw_curve
from ponderosa.web.drawing.learning import last_gate, run_charts, run_list, run_status
from ponderosa.web.model.catalogue import Catalogue
from ponderosa.web.model.learning import Learning, as_report
from tests.learning.folders import LINES, gate, run_folder

NASTY = "<script>alert(1)</script>"


@pytest.fixture
def learning(tmp_path):
    run_folder(tmp_path / "first")
    return Learning(tmp_path, Catalogue())


def test_runs_are_listed_with_their_strength(learning):
    words = run_list(learning.runs())
    assert "?run=first" in words and "+250 (+200 to +300)" in words and "paused" in words


def test_what_comes_from_a_folder_is_escaped(learning, tmp_path):
    run_folder(tmp_path / "second", game=NASTY, device=NASTY, doing=NASTY)
    run = learning.run("second")
    log = [*run.log(), gate(3, 40.0, None, rival=NASTY)]
    for words in (run_list(learning.runs()), run_status(run), run_charts(log), last_gate(log)):
        assert "<script" not in words
    with pytest.raises(PonderosaError):
        learning.game(run)


def test_the_charts_of_the_report_are_drawn_in_the_page(learning):
    drawn = run_charts(LINES)
    assert drawn.count("<figure") == 4 == len(charts(LINES))
    svg = ElementTree.fromstring(drawn[drawn.index("<svg") : drawn.index("</svg>") + 6])
    assert len(svg.findall(".//{*}polyline")) == 2  # the losses of the policy and of the value
    assert "nothing to draw" in run_charts([])


def test_a_chart_of_one_point_and_of_equal_values_is_drawn():
    for ys in ([3.0], [3.0, 3.0], [0.0, float("inf")]):
        series = Series("one", list(range(len(ys))), ys, [0.0] * len(ys), [9.0] * len(ys))
        words = draw_chart(Chart("one", "One", Axis("x"), Axis("y"), [series]))
        assert not re.search(r'="[^"]*\b(nan|inf)\b', words) and words.count("<circle") == len(ys)


def test_intervals_without_an_end_go_to_the_edge():
    (scores,) = [chart for chart in charts(LINES) if chart.name == "scores"]
    assert scores.series[0].high == [100.0, 100.0] and 80 < scores.series[0].low[0] < 90


def test_two_curves_share_a_graph():
    words = draw_curve([0.5, None, 0.75], 1, "X", [None, 0.25, 0.5], NASTY)
    assert 'class="beside"' in words and "<script" not in words and words.count('class="point"') == 2
    assert 'class="beside"' not in draw_curve([0.5, 0.6], 0, "X")


def test_priors_are_drawn_where_nothing_was_searched(learning):
    pytest.importorskip("onnxruntime", reason='networks play with the extra "net"')
    shown = learning.shown(learning.run("first"))
    judged = shown.judged(2, 1)
    report = as_report(shown, 2, judged)
    assert [entry.prior for entry in report.actions] == sorted(judged.priors.values(), reverse=True)
    picture = draw_position(shown.states[2], None, Overlay(report=report))
    assert picture.count('class="thought') == 7 and f">{100 * judged.priors[judged.best]:.0f}</text>" in picture
    assert "before any search" in picture
