"""Rules that yield, written anew as functions that fill an array."""

from __future__ import annotations

import inspect
import linecache
import random
from typing import Any

import numpy as np
import pytest

from ponderosa.compile.yielding import FILLING, FILLING_PAIRS
from tests.helpers import EVERY_GAME, in_python


def some(n: int) -> Any:
    """Some numbers."""
    if n < 0:
        return
    for number in range(n):
        if number % 2:
            yield number * 10
    yield from (n, n + 1)


def test_items_come_in_order_and_what_does_not_fit_is_counted() -> None:
    fill = FILLING.of(some)
    assert fill is not None
    for n in (-1, 0, 3, 8):
        room = np.zeros(20, np.int32)
        count = fill(n, room)
        assert room[:count].tolist() == list(some(n))
    assert fill(8, np.zeros(2, np.int32)) == len(list(some(8)))


def test_the_lines_stay_those_of_the_source() -> None:
    fill = FILLING.of(some)
    assert fill is not None
    lines = [{line for *_, line in function.__code__.co_lines() if line} for function in (fill, some)]
    assert lines[1] <= lines[0] <= {*range(min(lines[1]), max(lines[1]) + 1)}
    assert fill.__code__.co_filename == some.__code__.co_filename


def test_what_is_closed_over_is_seen() -> None:
    step = 3

    def multiples(n: int) -> Any:
        for number in range(n):
            yield number * step

    fill, room = FILLING.of(multiples), np.zeros(4, np.int32)
    assert fill is not None and fill(4, room) == 4 and room.tolist() == [0, 3, 6, 9]


def uses_what_it_is_sent(n: int) -> Any:
    got = yield n
    yield got


def has_one_inside(n: int) -> Any:
    yield sum(number for number in range(n))


@pytest.mark.parametrize("rule", [uses_what_it_is_sent, has_one_inside])
def test_what_does_more_than_yield_stays_a_generator(rule: Any) -> None:
    assert FILLING.of(rule) is None


def test_a_source_that_is_not_the_rule_s_is_not_taken() -> None:
    name = "a file that was another one.py"
    space: dict[str, Any] = {"__name__": "elsewhere"}
    exec(compile("def rule(s):\n    yield 1\n", name, "exec"), space)
    linecache.cache[name] = (0, None, ["def rule(s):\n", "    yield 2\n"], name)
    assert inspect.getsource(space["rule"]).strip().endswith("yield 2")
    assert FILLING.of(space["rule"]) is None


def test_rules_of_all_games_list_the_same_actions() -> None:
    seen = 0
    for spec in EVERY_GAME.values():
        game = in_python(spec)
        rule = game.own_rules()["legal_actions"]
        if not inspect.isgeneratorfunction(rule) or len(inspect.signature(rule).parameters) > 1:
            continue
        fill, chance, state = FILLING.of(rule), random.Random(1), game.new_initial_state()
        assert fill is not None
        for _ in range(40):
            if state.is_terminal():
                break
            if not state.is_chance_node():
                room = np.zeros(game.max_actions, np.int32)
                assert room[: fill(state.record, room)].tolist() == list(rule(state.record))
                seen += 1
            state.apply_action(chance.choice(state.legal_actions()))
    assert seen > 20


def test_pairs_fill_two_arrays() -> None:
    def outcomes(s: Any) -> Any:
        yield 4, 0.25
        yield 7, 0.75

    fill, firsts, seconds = FILLING_PAIRS.of(outcomes), np.zeros(3, np.int32), np.zeros(3)
    assert fill is not None and fill(None, firsts, seconds) == 2
    assert firsts.tolist() == [4, 7, 0] and seconds.tolist() == [0.25, 0.75, 0.0]
