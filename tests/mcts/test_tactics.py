"""Takes a win in one and blocks a loss in one, in generated positions of Connect Four and Gomoku."""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np
import pytest

from ponderosa import Search
from tests.helpers import loaded, others_slow

ITERATIONS = 5_000
POSITIONS = 125
"""Of each kind, for each of the two games."""
QUICK = {"connect4": 25, "gomoku": 1}
"""How many of them are tried at first; all of Gomoku takes minutes."""


def winning_actions(state: Any, player: int) -> list[int]:
    """The actions that would win at once if it were this player's turn."""
    flipped = state.clone()
    flipped.record.player = player
    scratch = flipped.data.copy(), np.zeros(state.game.max_actions, np.int32), np.zeros(2)
    if state.game.rules.winning_action(flipped.data.copy(), *scratch) < 0:  # quick; most positions have none
        return []
    after = {action: flipped.child(action) for action in flipped.legal_actions()}
    return [action for action, state in after.items() if state.is_terminal() and state.returns()[player] == 1.0]


def is_win_in_one(state: Any) -> list[int]:
    return winning_actions(state, state.current_player())


def is_loss_in_one(state: Any) -> list[int]:
    """The one action after which the opponent cannot win at once, when there is exactly one and nothing wins."""
    player = state.current_player()
    if winning_actions(state, player) or not winning_actions(state, 1 - player):
        return []
    safe = [action for action in state.legal_actions() if not winning_actions(state.child(action), 1 - player)]
    return safe if len(safe) == 1 else []


@functools.cache
def generated(name: str, kind: str, count: int) -> list[tuple[Any, list[int]]]:
    """Positions of random play, one a game, with the actions that are right in them."""
    draw, found = random.Random(f"{name} {kind}"), []
    right = {"win": is_win_in_one, "block": is_loss_in_one}[kind]
    while len(found) < count:
        state = loaded(name).new_initial_state()
        while not state.is_terminal():
            answers = right(state)
            if answers:
                found.append((state, answers))
                break
            state = state.child(draw.choice(state.legal_actions()))
    return found


def wrong_answers(name: str, kind: str, begin: int, end: int) -> list[str]:
    """The positions in which the search does something else, drawn, with what it did."""
    wrong = []
    for state, answers in generated(name, kind, end)[begin:]:
        report = Search(loaded(name), playout="decisive").run(state, iterations=ITERATIONS)
        if report.best_action not in answers:
            names = [state.action_to_string(action) for action in answers]
            wrong.append(f"\n{state}\nplayed {report.best_name}, right is {names} (proven: {report.proven})")
    return wrong


@pytest.mark.parametrize("kind", ["win", "block"])
@pytest.mark.parametrize("name", others_slow(QUICK, ["connect4"]))
def test_does_what_must_be_done_at_once(name, kind):
    wrong = wrong_answers(name, kind, 0, QUICK[name])
    assert not wrong, f"{len(wrong)} of {QUICK[name]}:" + "\n".join(wrong[:3])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["win", "block"])
@pytest.mark.parametrize("name", QUICK)
def test_does_what_must_be_done_at_once_everywhere(name, kind):
    wrong = wrong_answers(name, kind, QUICK[name], POSITIONS)
    assert not wrong, f"{len(wrong)} of {POSITIONS - QUICK[name]}:" + "\n".join(wrong[:3])
