"""Every iteration told: the same search, and numbers that add up to its report."""

from __future__ import annotations

import json
import signal
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from ponderosa import CHANCE, Search
from ponderosa.core.notation import position
from ponderosa.errors import SettingError
from tests.helpers import PlainNim, first_decision, loaded, specs
from tests.plain_python import plain_and_compiled  # noqa: F401


@pytest.mark.parametrize("spec", [*specs(), "nim"])
def test_a_search_that_is_told_is_the_same_search(spec):
    game = PlainNim() if spec == "nim" else loaded(spec)
    state, lines = first_decision(game), []
    usual = Search(game, seed=4).run(state, iterations=80)
    told = Search(game, seed=4).run(state, iterations=80, trace=lines.append)
    assert replace(told, seconds=0.0) == replace(usual, seconds=0.0)
    assert [line["iteration"] for line in lines] == list(range(1, told.iterations + 1))
    assert json.loads(json.dumps(lines)) == lines
    names = [entry.name for entry in told.actions]
    tried = Counter(move["move"] for line in lines for move in line["moves"][:1])
    if not game.viewed:
        assert tried == {entry.name: entry.visits for entry in told.actions if entry.visits}
    assert all(len(line["result"]) == game.players for line in lines)
    assert any(move["move"] in names for move in lines[0]["moves"])


def test_values_are_the_means_of_the_results_so_far():
    lines, sums, visits = [], defaultdict(float), Counter()
    Search(loaded("connect4"), solve=False).run(iterations=300, trace=lines.append)
    for line in lines:
        way = ()
        for move in line["moves"]:
            way = (*way, move["move"])
            sums[way] += line["result"][move["player"]]
            visits[way] += 1
            assert move["visits"] == visits[way]
            assert move["value"] == pytest.approx(sums[way] / visits[way])
            assert move["player"] == (len(way) - 1) % 2


def test_what_is_proven_is_told_once_and_when_it_is():
    game, lines = loaded("tictactoe"), []
    search = Search(game)
    state = position(game, "b2 a1 c3")
    search.run(state, iterations=40)
    report = search.run(state, iterations=5000, trace=lines.append)
    assert report.stopped == "solved" and report.proven == "draw"
    news = [(tuple(entry["moves"]), entry["result"]) for line in lines for entry in line["proven"]]
    assert len(news) == len(set(way for way, _ in news))
    assert lines[-1]["proven"][0] == {"moves": [], "player": state.to_move(), "result": "draw"}
    assert not any(not way for way, _ in news[: -len(lines[-1]["proven"])])
    for line in lines:
        for entry in line["proven"]:
            if entry["moves"]:
                assert line["moves"][len(entry["moves"]) - 1]["proven"] == entry["result"]


def test_outcomes_are_chance_s():
    game, lines = loaded("einstein"), []
    Search(game).run(first_decision(game), iterations=100, trace=lines.append)
    assert {move["player"] for line in lines for move in line["moves"][1:2]} == {CHANCE}
    assert CHANCE not in {line["moves"][0]["player"] for line in lines}


@pytest.mark.slow
def test_a_full_tree_goes_on_being_told():
    lines = []
    report = Search(loaded("connect4")).run(iterations=3000, max_nodes=600, trace=lines.append)
    assert len(lines) == report.iterations == 3000
    assert report.nodes <= 600


def test_ctrl_c_while_an_iteration_is_told_counts_it():
    lines = []

    def tell(line):
        lines.append(line)
        if len(lines) == 50:
            signal.raise_signal(signal.SIGINT)

    report = Search(loaded("connect4")).run(iterations=1000, trace=tell)
    assert (report.stopped, report.iterations, len(lines)) == ("interrupted", 50, 50)
    assert sum(entry.visits for entry in report.actions) == 50
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_keeps_what_was_told():
    lines = []

    def tell(line):
        if len(lines) == 50:
            raise KeyboardInterrupt
        lines.append(line)

    search = Search(loaded("connect4"))
    report = search.run(iterations=1000, trace=tell)
    assert (report.stopped, report.iterations, len(lines)) == ("interrupted", 50, 50)
    assert search.run(iterations=10).iterations == 10, "the next run is told to nobody"
    assert len(lines) == 50


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"iterations": 10**6 + 1}, "at most 1,000,000"),
        ({"seconds": 1}, "say how many"),
        ({"iterations": 5, "trace": "file"}, "must be a function"),
    ],
)
def test_what_cannot_be_told_is_refused(options, words):
    with pytest.raises(SettingError, match=words):
        Search(loaded("tictactoe")).run(**{"trace": print, **options})
    with pytest.raises(SettingError, match="threads=1"):
        Search(loaded("tictactoe"), threads=2).run(iterations=5, trace=print)
