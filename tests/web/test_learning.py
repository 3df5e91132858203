"""The Learning view without a browser: what is listed and drawn of a run."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict
from types import SimpleNamespace

import pytest

from ponderosa.core.spec import read_settings
from ponderosa.errors import LimitError, PonderosaError, SettingError
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.learning.judged import Judged
from ponderosa.learning.report import charts
from ponderosa.learning.settings import LearnSettings
from ponderosa.learning.showing import LOCKED, STOP
from ponderosa.learning.watching import begun_with
from ponderosa.pictures.board import Shown as Overlay
from ponderosa.pictures.board import draw_position
from ponderosa.system.lease import Lease
from ponderosa.web.drawing.curves import draw_chart
from ponderosa.web.drawing.graph import draw_curve
from ponderosa.web.drawing.learning import last_gate, run_charts, run_list, run_status
from ponderosa.web.model.catalogue import Catalogue
from ponderosa.web.model.learner import learn_arguments
from ponderosa.web.model.learning import Learning, Wish, as_report
from ponderosa.web.model.limits import Limits
from tests.helpers import loaded
from tests.learning.folders import LINES, gate, run_folder
from tests.web.browser import wait_for

NASTY = "<script>alert(1)</script>"


@pytest.fixture
def learning(tmp_path):
    run_folder(tmp_path / "first")
    return Learning(tmp_path, Catalogue(), Limits())


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


def test_priors_of_moves_of_pieces_are_arrows_the_most_likely_one_the_strongest():
    state = loaded("checkers").new_initial_state()
    actions = state.legal_actions()
    priors = [0.6, *[0.4 / (len(actions) - 1)] * (len(actions) - 1)]
    judged = Judged(0.5, dict(zip(actions, priors, strict=True)))
    report = as_report(SimpleNamespace(states=[state], game=state.game), 0, judged)
    picture = draw_position(state, None, Overlay(report=report))
    assert report.best_action == actions[0] and picture.count(">60</text>") == 1 and picture.count("opacity:0.90") == 1


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (Wish("./mine.py:Mine"), "start the server with it"),
        (Wish("kuhn_poker"), "hidden information"),
        (Wish("2048"), "without bounds"),
        (Wish("tictactoe", minutes=1e9), "minutes must be a number from"),
        (Wish("tictactoe", minutes=None), "minutes must be a number from"),
        (Wish("tictactoe", network="huge"), "size of a network"),
        (Wish("tictactoe", network="tiny\n--device=cuda"), "size of a network"),
        (Wish(""), "must be text"),
    ],
)
def test_a_run_that_cannot_be_is_refused_before_a_folder_is_made(tmp_path, wish, words):
    learning = Learning(tmp_path / "runs", Catalogue(), Limits())
    with pytest.raises(PonderosaError, match=words):
        learning.start(wish)
    assert not (tmp_path / "runs").exists() and learning.runs() == []


def test_a_run_goes_on_with_what_it_was_begun_with(tmp_path):
    given = asdict(LearnSettings(network="tiny", tables=8, passes=2.5))
    told = learn_arguments(tmp_path, "tictactoe", 1.5, "cpu", given)
    assert told[:6] == ["learn", "tictactoe", "--minutes", "1.5", "--device", "cpu"]
    settings = dict(part.split("=") for part in told if "=" in part)
    assert LearnSettings(**read_settings("learning", LearnSettings, settings)) == LearnSettings(**given)


@pytest.mark.parametrize("value", ["a\nb", "a\0", ["a"], True])
def test_what_cannot_be_said_on_a_command_line_is_refused(tmp_path, value):
    with pytest.raises(SettingError, match="command line"):
        learn_arguments(tmp_path, "tictactoe", 1.0, "cpu", {"network": value})


def test_only_a_run_that_goes_on_is_paused(learning, tmp_path):
    learning.pause("first")
    assert not (tmp_path / "first" / STOP).exists()
    lease = Lease(tmp_path / "first" / LOCKED)
    assert lease.take()
    try:
        learning.pause("first")
        assert learning.run("first").stopping and "about to pause" in run_list(learning.runs())
        with pytest.raises(LimitError, match="already"):
            learning.go_on("first", 1)
    finally:
        lease.give_back()


def test_new_runs_of_a_game_have_folders_of_their_own(learning, tmp_path):
    names = []
    for _ in range(2):
        names.append(learning._new_folder(loaded("tictactoe")).name)
        (tmp_path / names[-1]).mkdir()
    assert names == ["tictactoe", "tictactoe-2"]


@pytest.mark.slow
def test_a_run_is_started_paused_and_gone_on_with(tmp_path):
    pytest.importorskip("optax", reason='learning needs the extra "learn"')
    learning = Learning(tmp_path, Catalogue(), Limits())
    try:
        key = learning.start(Wish("tictactoe", minutes=20, network="tiny"))
        with pytest.raises(LimitError, match="one game at a time"):
            learning.start(Wish("tictactoe"))
        wait_for(lambda: learning.run(key).games > 0)
        learning.pause(key)
        wait_for(lambda: not learning.run(key).running)
        before = learning.run(key)
        assert before.seconds > 0 and not before.finished and learning.trouble(before) == ""
        learning.go_on(key, 20)
        wait_for(lambda: learning.run(key).seconds > before.seconds)
    finally:
        learning.learner.close()
    assert learning.learner.running is None and not learning.run(key).running
    assert begun_with(tmp_path / key)["given"]["network"] == "tiny"


@pytest.mark.slow
def test_why_a_run_has_ended_is_told(tmp_path):
    learning = Learning(tmp_path, Catalogue(), Limits())
    run_folder(tmp_path / "first", seconds=0, device="abacus")
    learning.go_on("first", 1)
    wait_for(lambda: learning.trouble(learning.run("first")))
    assert "abacus" in learning.trouble(learning.run("first"))
