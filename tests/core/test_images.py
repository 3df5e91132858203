"""Turned and mirrored boards: what is seen turns with them, and so does what is said of actions."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

from ponderosa import Game, PonderosaError, check_game, rule
from ponderosa.core.dice import roll
from ponderosa.core.images import symmetric_images
from ponderosa.core.observation import observed, shape_of
from tests.helpers import in_python, loaded

NUMBERS = {"tictactoe": 8, "connect4": 2, "connect:m=5,n=4,k=4,p=2,q=1": 4, "einstein": 2, "pig:target=30": 1}
"""How many images games have, the one that changes nothing among them."""


@pytest.mark.parametrize(("spec", "number"), NUMBERS.items())
def test_the_image_of_what_is_seen_is_what_is_seen_of_the_image(spec: str, number: int) -> None:
    game, luck = loaded(spec), random.Random(7)
    images, renamings = symmetric_images(game), [None, *game.symmetries()]
    assert len(images) == len(renamings) == number
    columns = 1 + max([game.max_actions, *(len(way) for way in game.symmetries())])
    for image, way in zip(images, renamings, strict=True):
        state: Any = game.new_initial_state()
        other: Any = game.new_initial_state()
        while not state.is_terminal():
            legal, legal_image = np.zeros((2, 1, columns))
            legal[0, state.legal_actions()], legal_image[0, other.legal_actions()] = 1, 1
            seen = [observed(game, each.data.view(game.dtype)) for each in (state, other)]
            planes, policy = image(seen[0], legal)
            assert np.array_equal(planes, seen[1]) and np.array_equal(policy, legal_image)
            action = roll(state, luck) if state.is_chance_node() else luck.choice(state.legal_actions())
            state.apply_action(action)
            other.apply_action(action if way is None else way[action])


def test_an_image_takes_many_positions_at_once_and_leaves_them_as_they_are() -> None:
    game = in_python("connect4:rows=2,cols=3,k=2")
    mirror = symmetric_images(game)[1]
    planes, policy = np.arange(36, dtype=np.float32).reshape(3, *shape_of(game)), np.eye(3)
    before = planes.copy(), policy.copy()
    turned, renamed = mirror(planes, policy)
    assert np.array_equal(turned, planes[:, :, ::-1]) and np.array_equal(renamed, policy[:, ::-1])
    assert np.array_equal(planes, before[0]) and np.array_equal(policy, before[1])
    with pytest.raises(PonderosaError, match="a column for each action: 2 are too few"):
        mirror(planes, policy[:, :2])


class Row(Game):
    """Take a cell of four; whoever takes the last one wins."""

    dtype = np.dtype([("board", "i1", 4), ("player", "i1"), ("last", "i1")])
    scratch: tuple[str, ...] = ("last",)
    max_actions = 4
    observation_shape = (1, 4, 1)

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        for cell in range(4):
            if s.board[cell] == 0:
                yield cell

    @rule
    def apply_action(s, a):
        s.board[a] = 1
        s.last = a
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return s.board.sum() == 4

    @rule
    def returns(s):
        return -1.0, 1.0

    @rule
    def observe(s, planes):
        for cell in range(4):
            planes[0, cell, 0] = s.board[cell]

    def symmetries(self):
        return [{0: 3, 1: 2, 2: 1, 3: 0}]


class Crooked(Row):
    @rule
    def observe(s, planes):
        for cell in range(4):
            planes[0, cell, 0] = s.board[cell] * (cell + 1)


class Endless(Row):
    @rule
    def observe(s, planes):
        planes[0, 0, 0] = np.nan if s.board[1] else 0.0


class Blind(Row):
    @rule
    def observe(s, planes):
        pass


class Outside(Row):
    @rule
    def observe(s, planes):
        planes[0, 4, 0] = 1.0


class Remembers(Row):
    @rule
    def observe(s, planes):
        planes[0, s.last, 0] = 1.0


class Careless(Row):
    @rule
    def observe(s, planes):
        s.player = 1
        planes[0, 0, 0] = 1.0


WRONG = {
    Crooked: r"observe does not fit symmetries\(\)\[0\]",
    Endless: r"observe gives nan at \(0, 0, 0\)",
    Blind: "nothing but zeros",
    Outside: "IndexError",
    Remembers: "what is scratch must not be seen",
    Careless: "observe changes the state",
}


def test_a_sound_row_keeps_its_promises() -> None:
    game = Row()
    game.rules = game.build_rules(compiled=False)
    assert check_game(game, games=10) == []
    assert len(symmetric_images(game)) == 2


@pytest.mark.parametrize("kind", WRONG, ids=lambda kind: kind.__name__)
def test_a_broken_promise_is_told(kind: type[Game]) -> None:

    game = kind()
    game.rules = game.build_rules(compiled=False)
    problems = check_game(game, games=20)
    assert len(problems) == 1 and re.search(WRONG[kind], problems[0]), problems
