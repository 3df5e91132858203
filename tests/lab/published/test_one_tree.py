"""Two players on one tree: what the one has found, the other goes on with."""

from __future__ import annotations

import pytest

from ponderosa.lab.experiment import Work
from ponderosa.lab.published import one_tree
from ponderosa.lab.published.one_tree import on_one_tree, scores_on_one_tree
from ponderosa.mcts.search import Search

AGENT = "mcts:choose=max,solve=false"


def test_each_side_goes_on_with_the_tree_of_the_other(monkeypatch):
    grown = []
    run = Search.run

    def noted(self, *arguments, **options):
        before = int(self.tree.nodes[0]["visits"])
        report = run(self, *arguments, **options)
        grown.append((before, int(self.tree.nodes[0]["visits"])))
        return report

    monkeypatch.setattr(Search, "run", noted)
    on_one_tree("tictactoe", f"{AGENT},iterations=400", f"{AGENT},iterations=20", 1, seed=3)
    assert grown[0] == (0, 400)
    assert grown[1][0] > 20 and grown[1][1] == grown[1][0] + 20  # most of what it sees was found by the other side
    assert grown[2][0] >= 1


def test_results_are_those_of_the_first_player_and_follow_from_the_seed():
    strong, weak = f"{AGENT},iterations=300", f"{AGENT},iterations=1"
    results = on_one_tree("tictactoe", strong, weak, 12, seed=5)
    assert set(results) <= {-1.0, 0.0, 1.0} and results == on_one_tree("tictactoe", strong, weak, 12, seed=5)
    assert len({tuple(on_one_tree("tictactoe", weak, weak, 12, seed=seed)) for seed in range(3)}) > 1


def test_scores_are_counted_by_seat_and_no_bundle_is_played_twice(tmp_path, monkeypatch):
    played = []

    def decreed(game: str, first: str, second: str, games: int, seed: int) -> list[float]:
        played.append((first, games))
        return [1.0, 0.0, -1.0, 1.0][:games] if first == "a" else [-1.0, -1.0, 0.0, 1.0][:games]

    monkeypatch.setattr(one_tree, "on_one_tree", decreed)
    monkeypatch.setattr(one_tree, "BUNDLE", 4)
    work = Work("tiny", tmp_path)
    for _ in range(2):
        first, second = scores_on_one_tree(work, "tictactoe", "a", "b", 12)
    assert (first.games, second.games) == (6, 6)
    assert played == [("a", 4), ("a", 2), ("b", 4), ("b", 2)]
    assert first.value == pytest.approx((3 + 2 / 2) / 6)
    assert second.value == pytest.approx((4 + 1 / 2) / 6)
