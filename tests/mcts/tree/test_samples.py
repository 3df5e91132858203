"""Trees that older versions saved still load, and are searched on: tests/samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from ponderosa import Search

SAMPLES = Path(__file__).parents[2] / "samples"
TREES = {
    "tree_connect4_4x4": ("connect4:rows=4,cols=4", "ucb1", ()),
    "tree_pig": ("pig", "ucb1", ()),
    "tree_tictactoe_rave": ("tictactoe", "rave", ("amaf_value", "amaf_visits")),
    "tree_tictactoe_symmetry": ("tictactoe", "ucb1", ()),
}


def test_every_sample_of_a_tree_is_tried():
    assert {file.stem for file in SAMPLES.glob("tree_*")} == set(TREES)


@pytest.mark.parametrize("name", TREES)
def test_a_tree_of_an_older_version_is_loaded_and_searched_on(name):
    game, select, fields = TREES[name]
    search = Search.load(SAMPLES / f"{name}.npz")
    assert (search.game.spec, search.policies["select"].name, search.seed) == (game, select, 1)
    assert search.symmetry == name.endswith("symmetry")
    assert set(fields) <= set(search.tree.nodes.dtype.names)
    before = search.report()
    visits = search.report().tree.root.visits
    assert visits == 300 and sum(entry.visits for entry in before.actions) in (299, 300)
    after = search.run(iterations=100)
    assert after.tree.root.visits == 400 and after.nodes > before.nodes


@pytest.mark.parametrize("name", TREES)
def test_a_loaded_tree_grows_as_one_that_was_never_saved(name):
    _, select, _ = TREES[name]
    loaded = Search.load(SAMPLES / f"{name}.npz")
    fresh = Search(loaded.game, select=select, symmetry=loaded.symmetry, seed=1)
    fresh.run(iterations=300)
    told = [
        {entry.name: (entry.visits, entry.value, entry.proven) for entry in search.run(iterations=200).actions}
        for search in (loaded, fresh)
    ]
    assert told[0] == told[1]
