"""Do declared symmetries and keys keep their promises? Start at symmetry_problems; check_game.py calls it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ponderosa.core.checks.promises import Problem
from ponderosa.core.game import Game
from ponderosa.core.state import State


def symmetry_problems(game: Game, moves: Sequence[Any]) -> Iterator[Problem]:
    """What is wrong with the symmetries of a game, seen in one game: its image must be a game that ends the same."""
    for place, renaming in enumerate(game.symmetries()):
        try:
            words = _difference(game, moves, renaming)
        except LookupError as error:
            words = f"it has no image for an action ({type(error).__name__}: {error})"
        if words:
            yield f"symmetries()[{place}] is none: {words}", f"symmetry {place}"


def _difference(game: Game, moves: Sequence[Any], renaming: Any) -> str:
    """How a game and its image differ; empty when they do not."""
    state, image = game.new_initial_state(), game.new_initial_state()
    for ply, move in enumerate([*moves, None]):
        if state.is_terminal() != image.is_terminal():
            return f"after {ply} actions, a game and its image are not both over"
        if state.current_player() != image.current_player():
            return f"after {ply} actions, it is not the same player's turn in a game and its image"
        images = {renaming[action] for action in state.legal_actions()}
        legal = set(image.legal_actions())
        if images != legal:
            example = next(iter(images ^ legal))
            return f"after {ply} actions, {example!r} is not legal in both a game and its image, or has several images"
        if move is not None:
            state.apply_action(move)
            image.apply_action(renaming[move])
    if state.is_terminal() and list(state.returns()) != list(image.returns()):
        return f"a game returns {state.returns()}, and its image {image.returns()}"
    return ""


class Keys:
    """Remembers the keys of positions: equal ones have the same, and others another."""

    def __init__(self) -> None:
        self._position_of: dict[int, Any] = {}
        self._key_of: dict[Any, int] = {}

    def problems(self, state: State, key: int, legal: Sequence[Any]) -> Iterator[Problem]:
        """What is wrong with the key of a position, after those that were seen before."""
        identity, shown = state._identity(), (state.current_player(), tuple(legal))
        if self._key_of.setdefault(identity, key) != key:
            yield f"key gives two numbers, {self._key_of[identity]} and {key}, to one position", "keys"
        if self._position_of.setdefault(key, shown) != shown:
            yield f"key gives {key} to two positions with other legal actions or another player's turn", "one key"
