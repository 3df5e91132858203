"""The forest's tasks compile for CUDA cards, which needs no card; numba-cuda must be there."""

from __future__ import annotations

import importlib.util
import os
from typing import Any

import numpy as np
import pytest

from ponderosa import Game, PonderosaError, load_game, rule
from ponderosa.forest.plan import aligned, planned
from ponderosa.mcts.settings import SearchSettings
from tests.helpers import EVERY_GAME, Nim, loaded

REQUIRED = os.environ.get("PONDEROSA_REQUIRE_CUDA") == "1"
there = importlib.util.find_spec("numba_cuda") is not None
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (there or REQUIRED), reason='numba-cuda is missing: pip install "ponderosa[cuda]"'),
]

SEARCHED = [spec for spec in EVERY_GAME.values() if not loaded(spec).viewed]
COMPOSITIONS: list[dict[str, Any]] = [
    {"select": "rave"},
    {"select": "puct", "playout": "decisive"},
    {"select": "thompson", "backup": "discounted"},
    {"select": "ucb1_tuned", "playout": "informed", "rollouts": 3},
    {"select": "late_ucb1", "expand": "all", "playout": "majority", "win_first": True, "solve": False},
    {"select": "implicit_minimax", "playout": "static"},
]


def even(states: Any) -> tuple[Any, Any]:
    """An evaluator to whom all moves are alike, and every position even."""
    return None, np.zeros(len(states))


JUDGED: list[dict[str, Any]] = [
    {"select": "puct", "evaluator": even},
    {"select": "puct", "noise": 0.25, "evaluator": even},
    {"select": "gumbel", "evaluator": even},
]
"""Compositions with an evaluator."""


def named(settings: dict[str, Any]) -> str:
    """Settings as a test's name, the same in every process."""
    return ",".join(f"{name}={getattr(value, '__name__', value)}" for name, value in settings.items())


def code_of(game: Game, task: str, capability: tuple[int, int] = (9, 0), **settings: Any) -> str:
    """The PTX of a task."""
    from ponderosa.forest.card_code import ptx_of

    return ptx_of(task, planned(aligned(game), SearchSettings.of(None, settings)), 64, capability)


def unresolved(code: str) -> list[str]:
    """Functions that the code calls and that no card has: it would be refused when it is loaded."""
    return [line for line in code.splitlines() if line.startswith(".extern .func")]


@pytest.mark.parametrize("capability", [(7, 5), (9, 0)])
@pytest.mark.parametrize("spec", SEARCHED)
def test_the_search_of_every_game_compiles_for_cards(spec: str, capability: tuple[int, int]) -> None:
    code = code_of(load_game(spec), "tend", capability)
    assert ".entry" in code and f".target sm_{capability[0]}{capability[1]}" in code


@pytest.mark.parametrize("spec", SEARCHED)
def test_what_a_network_sees_of_every_game_is_filled_in_on_cards(spec: str) -> None:
    code = code_of(load_game(spec), "observe")
    assert ".entry" in code and not unresolved(code)


@pytest.mark.parametrize("settings", COMPOSITIONS + JUDGED, ids=named)
def test_policies_compile_for_cards(settings: dict[str, Any]) -> None:
    assert ".entry" in code_of(load_game("connect4"), "tend", **settings)


@pytest.mark.parametrize("task", ["plant", "withdraw", "choose", "gather", "check", "advance"])
def test_all_tasks_compile_for_cards(task: str) -> None:
    assert ".entry" in code_of(load_game("connect4"), task)


@pytest.mark.parametrize("settings", JUDGED, ids=named)
def test_what_is_found_compiles_with_an_evaluator(settings: dict[str, Any]) -> None:
    for task in ("gather", "choose"):
        assert ".entry" in code_of(load_game("connect4"), task, **settings)


@pytest.mark.parametrize("numbers", [np.float32, np.float64])
def test_an_evaluators_answers_are_taken_over_on_cards(numbers: Any) -> None:
    from ponderosa.compile.cuda_code import ptx_of
    from ponderosa.compile.native import FLOAT, INTS, record, rows
    from ponderosa.forest.cores import trees_type
    from ponderosa.forest.cuda_exchange import counter, enterer
    from ponderosa.mcts.tree.node import NODE

    table, trees = rows(record(np.dtype(numbers))), trees_type(NODE)
    assert ".entry" in ptx_of(enterer(), (trees, table, table, FLOAT, FLOAT), (9, 0))
    assert ".entry" in ptx_of(counter(), (trees, INTS), (9, 0))


def test_tables_of_nodes_are_emptied_and_copied_on_cards() -> None:
    from ponderosa.compile.cuda_code import ptx_of
    from ponderosa.compile.native import INT, INT_ROWS, INTS, record, records, rows
    from ponderosa.forest.card_code import clearer, copier, spreader
    from ponderosa.mcts.tree.counters import COUNTERS
    from ponderosa.mcts.tree.node import NODE

    table = rows(record(NODE))
    assert ".entry" in ptx_of(clearer(), (INT_ROWS, records(COUNTERS), INT), (9, 0))
    assert ".entry" in ptx_of(spreader(), (INTS, INT_ROWS), (9, 0))
    assert ".entry" in ptx_of(copier(), (table, table, records(COUNTERS)), (9, 0))


def test_a_game_of_ones_own_compiles_as_it_is_written() -> None:
    assert ".entry" in code_of(Nim(), "tend")


def test_products_and_sums_are_rounded_one_by_one() -> None:
    from ponderosa.compile.cuda_code import ptx_of
    from ponderosa.compile.native import VALUES

    def kernel(numbers: Any) -> None:
        numbers[0] = numbers[1] * numbers[2] + numbers[3]

    assert "fma" not in ptx_of(kernel, (VALUES,), (9, 0))


STEPS = {1: 1, 2: 1, 3: 1}


class WithDict(Game):
    """A game whose rule uses something that no card knows."""

    dtype = np.dtype([("left", "i4")])
    max_actions = 2

    def setup(self, s: Any) -> None:
        s.left = 3

    @rule
    def current_player(s: Any) -> int:
        return 0

    @rule
    def legal_actions(s: Any) -> Any:
        yield STEPS[s.left]

    @rule
    def apply_action(s: Any, a: int) -> None:
        s.left -= 1

    @rule
    def is_terminal(s: Any) -> bool:
        return s.left == 0

    @rule
    def returns(s: Any) -> tuple[float, float]:
        return 1.0, -1.0


def test_a_rule_that_no_card_can_run_is_named_with_its_line() -> None:
    with pytest.raises(PonderosaError, match=r"legal_actions.*test_card\.py, line \d+"):
        code_of(WithDict(), "tend")


class WithArray(WithDict):
    """A game whose results are an array that the rule makes."""

    @rule
    def legal_actions(s: Any) -> Any:
        yield 1

    @rule
    def returns(s: Any) -> Any:
        return np.zeros(2)


def test_a_rule_that_makes_an_array_is_told_to_return_a_tuple() -> None:
    with pytest.raises(PonderosaError, match="return a tuple"):
        code_of(WithArray(), "plant")
