"""What decided a game that is over, in words."""

from __future__ import annotations

import pytest

from tests.helpers import EVERY_GAME, in_python, position, random_game


@pytest.mark.parametrize("name", [name for name in EVERY_GAME if name not in ("gomoku", "connect6")])
def test_every_game_says_what_decided_it(name):
    for seed in range(1 if name in ("go", "backgammon", "checkers") else 4):
        last = random_game(in_python(EVERY_GAME[name]), seed)[-1]
        words = last.game.ending(last.record)
        assert words and len(words) < 50 and not words.endswith(".")


@pytest.mark.parametrize(
    ("spec", "moves", "words"),
    [
        ("connect4", "4 1 4 1 4 1 4", "four in a row"),
        ("tictactoe", "a1 a2 b1 b2 c1", "three in a row"),
        ("tictactoe", "b2 a1 c1 a3 a2 c2 b1 b3 c3", "the board is full"),
        ("gomoku", "h8 a1 i8 a2 j8 a3 k8 a4 l8", "five in a row"),
        ("chess", "f3 e5 g4 Qh4#", "checkmate"),
        ("go:size=5", "pass pass", "7.5 points ahead"),
        ("hex:size=2", "a1 b1 a2", "a chain from edge to edge"),
        ("rps:rounds=1", "rock paper", "1 point ahead"),
    ],
)
def test_a_game_is_decided_by(spec, moves, words):
    last = position(in_python(spec), moves)
    assert last.is_terminal() and last.game.ending(last.record) == words
