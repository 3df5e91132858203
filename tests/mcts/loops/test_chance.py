"""Chance: nodes for what dice show, values that are expectations, moves that are optimal."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ponderosa import CHANCE, Search
from tests.helpers import children, grown, loaded


def pig_values(target: int, sides: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Value iteration: how likely the player to move wins by holding and by rolling, by own points, other's, turn's."""
    win = np.full((target, target, target + sides), 0.5)
    points = np.arange(target)[:, None]
    while True:
        passed = 1.0 - win[:, :, 0].T
        hold, roll = np.zeros_like(win), np.zeros_like(win)
        for turn in range(target):
            kept = np.minimum(points[:, 0] + turn, target - 1)
            hold[:, :, turn] = np.where(points + turn >= target, 1.0, passed[kept])
            after = [np.where(points + turn + die >= target, 1.0, win[:, :, turn + die]) for die in range(2, sides + 1)]
            roll[:, :, turn] = (passed + sum(after)) / sides
        better = np.maximum(hold, roll)
        better[:, :, 0] = roll[:, :, 0]
        if np.abs(better - win)[:, :, :target].max() < 1e-6:
            return hold, roll
        win = better


def pig_positions(game, rng: random.Random):
    """Decisions of random games, with own points, the other's, and those of the turn."""
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.to_move() != CHANCE:
                record, player = state.record, state.to_move()
                yield state, (record.points[player], record.points[1 - player], record.turn)
            state.apply_action(rng.choice(state.legal_actions()))


def test_the_move_is_the_optimal_one_in_almost_every_state_of_pig():
    target = 30
    hold, roll = pig_values(target)
    game, right, asked = loaded(f"pig:target={target}"), 0, 0
    seen = set()
    for state, place in pig_positions(game, random.Random(5)):
        gain = roll[place] - hold[place]
        if place in seen or place[2] == 0 or place[0] + place[2] >= target or abs(gain) < 0.005:
            continue
        seen.add(place)
        report = Search(game, seed=asked).run(state, iterations=20_000)
        right += report.best_name == ("roll" if gain > 0 else "hold")
        asked += 1
        if asked == 40:
            break
    assert right >= 38


def test_a_chance_node_has_a_child_for_every_outcome_visited_as_often_as_it_happens():
    game = loaded("pig:target=30")
    search = Search(game, seed=3)
    search.run(iterations=30_000)
    nodes = grown(search)
    actions = nodes[children(nodes, 0)]
    roll = int(nodes[0]["first"]) + int(np.flatnonzero(actions["action"] == 0)[0])
    visits = nodes[children(nodes, roll)]["visits"]
    assert len(visits) == 6
    assert np.abs(visits / visits.sum() - 1 / 6).max() < 0.02
    assert nodes[roll]["visits"] == visits.sum() + 1  # the first visit was a playout


def test_expected_values_are_those_of_the_game():
    """One throw from the end: rolling wins by 2 to 6, and else the other has the turn."""
    game = loaded("pig:target=30")
    state = game.new_initial_state()
    state.record.points[0] = 28
    report = Search(game).run(state, iterations=20_000)
    roll = next(entry for entry in report.actions if entry.name == "roll")
    assert roll.expected == pytest.approx(2 * roll.value - 1)
    assert roll.expected > 5 / 6 - 1 / 6 - 0.02


def test_dice_to_roll_are_nothing_to_search():
    state = loaded("pig:target=30").new_initial_state()
    state.apply_action(0)
    with pytest.raises(Exception, match="dice decide here"):
        Search(loaded("pig:target=30")).run(state, iterations=10)


def test_the_tree_is_kept_over_a_move_and_a_throw():
    search = Search(loaded("pig:target=30"))
    search.run(iterations=2_000)
    search.advance(0)
    search.advance(3)
    assert 100 < grown(search)[0]["visits"] < 2_000
    report = search.run(iterations=500)
    assert sum(entry.visits for entry in report.actions) > 500
