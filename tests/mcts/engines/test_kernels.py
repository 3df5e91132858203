"""What compiled loops get: named values, of which each loop takes what it uses."""

from __future__ import annotations

import pickle

import pytest

from ponderosa.mcts.engines import kernels
from ponderosa.mcts.loops.workspace import Game, Settings, Workspace
from ponderosa.mcts.tree.tree import Tree


def test_a_loop_uses_the_fields_that_its_code_mentions_and_no_others():
    usual, batches = (kernels.names_in(kernels.LOOPS[kind]) for kind in ("usual", "batches"))
    assert {"path", "moves", "counters", "settings", "candidates"} <= usual
    assert not usual & {"batch", "keys", "best_moves", "prior", "determinize"}
    assert "batch" in batches


@pytest.mark.parametrize("kind", kernels.LOOPS)
def test_every_loop_uses_what_every_game_must_have(kind):
    assert {"copy", "current_player", "apply_action", "is_terminal", "scores"} <= kernels.names_in(kernels.LOOPS[kind])


def test_every_field_of_a_workspace_has_a_compiled_type():
    assert set(kernels.field_types()) == set(Workspace._fields)


def test_every_operation_has_a_compiled_signature():
    assert [name for name in kernels.functions_of(kernels.NODE, Game._fields)] == [*Game._fields]


def test_settings_are_the_same_as_a_record():
    settings = Settings(solve=True, by_prior=True, players=3, against=2)
    record = kernels.recorded(settings)
    assert {name: record[name].item() for name in Settings._fields} == settings._asdict()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_the_counters_of_a_tree_from_a_pickle_can_be_changed(protocol):
    tree = pickle.loads(pickle.dumps(Tree(0), protocol))
    tree.used = 7
    assert tree.used == 7
