"""Turned and mirrored boards: more to learn from every game. Start at symmetric_images.

A game's `symmetries` say how actions are renamed. How the planes of a position turn with them is found by playing: of
the ways to turn a board, it is the one that makes what is seen of every game what is seen of its image.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ponderosa.core.dice import roll
from ponderosa.core.game import Action, Game
from ponderosa.core.observation import Seen, observed, shape_of
from ponderosa.errors import GameError, PonderosaError, SettingError

GAMES = 3
PLIES = 24
"""How many games are played to find how a board turns, and how many actions of each."""


class Turn(NamedTuple):
    """A way to turn a board onto itself: rows and columns change places, or not, then either may be reversed."""

    swapped: bool = False
    rows_reversed: bool = False
    columns_reversed: bool = False

    def __call__(self, planes: Seen) -> Seen:
        """The board turned; rows, columns and planes are the last dimensions."""
        if self.swapped:
            planes = planes.swapaxes(-3, -2)
        if self.rows_reversed:
            planes = planes[..., ::-1, :, :]
        return planes[..., ::-1, :] if self.columns_reversed else planes


@dataclass(frozen=True)
class Image:
    """A symmetry of a game, as it changes what is seen of a position, and what is said of its actions."""

    turn: Turn
    actions: npt.NDArray[np.int64]
    """The image of each action."""

    def __call__(self, planes: Seen, policy: npt.NDArray[Any]) -> tuple[Seen, npt.NDArray[Any]]:
        """The image of planes, and of numbers by action; both may have more dimensions before these."""
        count = policy.shape[-1]
        places = np.arange(count)
        places[: len(self.actions)] = self.actions[:count]
        if places.max(initial=0) >= count:
            raise SettingError(f"a policy has a column for each action: {count} are too few, {places.max()} is one")
        image = np.empty_like(policy)
        image[..., places] = policy
        return np.ascontiguousarray(self.turn(planes)), image


def symmetric_images(game: Game, seed: int = 0) -> list[Image]:
    """Every symmetry that a game declares, behind the one that changes nothing.

    What is seen must be a board: a list of numbers has no image, nor has what is seen of a game without `observe`.
    """
    images = [Image(Turn(), np.arange(0))]
    if len(shape_of(game)) == 3:
        rng = random.Random(seed)
        moves = [_random_moves(game, rng) for _ in range(GAMES if game.symmetries() else 0)]
        seen = [_seen_after(game, each) for each in moves]
        for place, renaming in enumerate(game.symmetries()):
            images.append(Image(_turn(game, place, moves, seen), _numbers(renaming)))
    return images


def _turn(game: Game, place: int, moves: Sequence[Sequence[Any]], seen: Sequence[Seen]) -> Turn:
    """How a symmetry turns the board: by games, and what is seen in each."""
    turns, renaming = _turns_of(game), game.symmetries()[place]
    try:
        for each, before in zip(moves, seen, strict=True):
            after = _seen_after(game, [renaming[action] for action in each])
            turns = [turn for turn in turns if np.array_equal(turn(before), after)]
    except (PonderosaError, LookupError) as error:
        raise GameError(f"{game.title()}: symmetries()[{place}] is none: check_game says why ({error})") from None
    if not turns:
        raise GameError(
            f"{game.title()}: observe does not fit symmetries()[{place}]: what it shows of a game and of its image "
            "must be the same board, turned or mirrored, with planes[row, column] about the same cell in every plane"
        )
    return turns[0]


def _turns_of(game: Game) -> list[Turn]:
    """The ways to turn a board of the game's sides."""
    rows, columns, _ = shape_of(game)
    ways = (False, True)
    return [Turn(swapped, up, over) for swapped in ways[: 1 + (rows == columns)] for up in ways for over in ways]


def _random_moves(game: Game, rng: random.Random) -> list[Any]:
    """The first actions of a random game."""
    state: Any = game.new_initial_state()
    while not state.is_terminal() and len(state.history()) < PLIES:
        state.apply_action(roll(state, rng) if state.is_chance_node() else rng.choice(state.legal_actions()))
    return list(state.history())


def _seen_after(game: Game, moves: Sequence[Any]) -> Seen:
    """What is seen at the beginning and after each action."""
    state: Any = game.new_initial_state()
    states = [state.data.copy()]
    for move in moves:
        state.apply_action(move)
        states.append(state.data.copy())
    return observed(game, np.array(states).view(np.dtype(game.dtype)).reshape(-1))


def _numbers(renaming: Sequence[int] | Mapping[Action, Any]) -> npt.NDArray[np.int64]:
    """A renaming as an array; an action without an image keeps its name."""
    known = dict(_pairs(renaming))
    return np.array([known.get(action, action) for action in range(max(known, default=-1) + 1)], np.int64)


def _pairs(renaming: Sequence[int] | Mapping[Action, Any]) -> Iterator[tuple[int, int]]:
    pairs: Any = renaming.items() if isinstance(renaming, Mapping) else enumerate(renaming)
    return ((int(action), int(image)) for action, image in pairs)
