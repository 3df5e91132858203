"""Thousands of games between searches, and their results as arrays. Start at play_many."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.core.dice import roll_on
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import check_seed
from ponderosa.core.seeds import rngs_of, seeds_of
from ponderosa.core.state import State
from ponderosa.errors import GameError, SettingError
from ponderosa.forest.lockstep import Lockstep, Tell
from ponderosa.forest.played import Games
from ponderosa.forest.tables import Tables

MOST_GAMES = 2**24
ATTEMPTS = 1000
"""How often a random opening is drawn again that ends the game."""


@with_field_texts
@dataclass(frozen=True)
class GamesPlayed:
    """Games that were played, a row each."""

    seats: npt.NDArray[np.int64]
    """Which agent had which seat."""
    returns: npt.NDArray[np.float64]
    """What each seat got, in the game's measure."""
    moves: npt.NDArray[np.int32]
    """The moves, dice included; -1 behind the last one."""
    lengths: npt.NDArray[np.int64]
    """How many moves there were."""
    iterations: npt.NDArray[np.int64]
    """How many iterations each seat had in all."""
    finished: npt.NDArray[np.bool_]
    """Whether the game came to an end."""
    seconds: float
    seed: int

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """What each agent scored in each game, from 0 to 1: the share of the others that it left behind, and half for a
        tie; nan where it did not play."""
        mine, theirs = self.returns[:, :, np.newaxis], self.returns[:, np.newaxis, :]
        others = max(self.returns.shape[1] - 1, 1)
        by_seat = ((mine > theirs).sum(axis=2) + 0.5 * ((mine == theirs).sum(axis=2) - 1)) / others
        table = np.full((len(self.seats), int(self.seats.max()) + 1), np.nan)
        np.put_along_axis(table, self.seats, by_seat, axis=1)
        return table

    def __len__(self) -> int:
        return len(self.seats)


def play_many(
    game: Game,
    agents: Sequence[Any],
    games: int = 10_000,
    *,
    openings: int = 0,
    seed: int = 0,
    device: str = "auto",
    cores: int | None = None,
    tell: Tell | None = None,
) -> GamesPlayed:
    """Let searches play many games at once, and give the results as arrays.

    An agent is a dict of settings with `iterations`: `{"iterations": 100, "c": 1.4}`. Each opening, of this many random
    moves, is played by every rotation of the agents: a pair of games between two. `tell` is called again and
    again with the number of games that are over; False ends the games. Game number i follows from the seed and i alone.
    """
    if not isinstance(game, Game):
        raise GameError(f"play_many takes a Game, as load_game gives it, not {game!r}")
    check_number("games", games, 1, MOST_GAMES, whole=True)
    check_number("openings", openings, 0, 1000, whole=True)
    check_seed(seed)
    if len(agents) < game.players:
        raise SettingError(f"{game.title()} is for {game.players}: give as many agents, or more")
    start = time.perf_counter()
    played = Lockstep(game, agents, device, cores).play(
        _tables(game, games, len(agents), openings, seed), tell or (lambda over: None)
    )
    return GamesPlayed(
        seats=played.tables.seats,
        returns=played.returns,
        moves=_moves(played),
        lengths=played.tables.begun() + played.lengths,
        iterations=_iterations(played),
        finished=played.over,
        seconds=time.perf_counter() - start,
        seed=seed,
    )


def _tables(game: Game, games: int, agents: int, openings: int, seed: int) -> Tables:
    """All games: all rotations of the agents share an opening and the dice."""
    groups = np.array(list(itertools.combinations(range(agents), game.players)))
    numbers, seats = np.arange(games), np.arange(game.players)
    opening, turn = np.divmod(numbers, groups.size)
    group, shift = np.divmod(turn, game.players)
    luck = seeds_of(seed, 2 * opening)
    rng = [rngs_of(seeds_of(luck, 1 + numbers * game.players + seat)) for seat in seats]
    begins = [random.Random(int(luck[first])) for first in range(0, games if openings > 0 else 1, groups.size)]
    dice = map(random.Random, seeds_of(seed, 2 * opening + 1).tolist()) if game.chance else ()
    return Tables(
        _openings(game, openings, begins),
        opening if openings > 0 else 0 * opening,
        groups[group[:, np.newaxis], (shift[:, np.newaxis] + seats) % game.players],
        np.hstack(rng),
        list(dice),
    )


def _openings(game: Game, plies: int, chances: Sequence[random.Random]) -> list[State]:
    """A state after some random moves, for each; dice roll in between."""
    start = game.new_initial_state()
    return [_opening(start, plies, chance) for chance in chances]


def _opening(start: State, plies: int, chance: random.Random) -> State:
    for _ in range(ATTEMPTS):
        state = start.clone()
        for _ in range(plies):
            if start.game.chance:
                roll_on(state, chance)
            legal = state.legal_actions()
            if not legal:
                break
            state.apply_legal(chance.choice(legal))
        if not state.is_terminal():
            return state
    raise GameError(f"{start.game.title()} is over after {plies} random moves: take fewer")


def _moves(played: Games) -> npt.NDArray[np.int32]:
    """The moves of each game in a row, with those of its opening."""
    histories = [state.history() for state in played.tables.starts]
    begun, start = played.tables.begun(), played.tables.start
    openings = np.full((len(histories), max(map(len, histories))), -1, np.int32)
    for row, history in zip(openings, histories, strict=True):
        row[: len(history)] = history
    table = np.full((len(played), max(openings.shape[1], int((begun + played.lengths).max()))), -1, np.int32)
    table[:, : openings.shape[1]] = openings[start]
    game = played.moves["game"]
    table[game, begun[game] + np.arange(len(game)) - played.begins[game]] = played.moves["action"]
    return table


def _iterations(played: Games) -> npt.NDArray[np.int64]:
    """How many iterations each seat had in all."""
    moves = played.moves[played.moves["seat"] >= 0]
    found = np.zeros((len(played), played.game.players), np.int64)
    np.add.at(found, (moves["game"], moves["seat"]), moves["iterations"])
    return found
