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
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import check_seed, seed_of
from ponderosa.core.state import State
from ponderosa.errors import GameError, SettingError
from ponderosa.forest.lockstep import Lockstep, Table, Tell

MOST_GAMES = 2**24
ATTEMPTS = 1000
"""How often a random opening is drawn again that ends the game."""


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
    tell: Tell = lambda over: None,
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
    lockstep = Lockstep(game, agents, device, cores)
    tables = [_table(game, number, len(agents), openings, seed) for number in range(games)]
    played = lockstep.play(tables, tell)
    histories = [one.state.history() for one in played]
    moves = np.full((games, max(map(len, histories), default=0)), -1, np.int32)
    for row, history in zip(moves, histories, strict=True):
        row[: len(history)] = history
    iterations = np.zeros((games, game.players), np.int64)
    for number, one in enumerate(played):
        for thought in one.thoughts:
            if thought.seat >= 0:
                iterations[number, thought.seat] += thought.iterations
    return GamesPlayed(
        seats=np.array([table.seats for table in tables]),
        returns=np.array([_returns(game, one.state) for one in played]),
        moves=moves,
        lengths=np.array([len(history) for history in histories]),
        iterations=iterations,
        finished=np.array([one.over for one in played]),
        seconds=time.perf_counter() - start,
        seed=seed,
    )


def _table(game: Game, number: int, agents: int, openings: int, seed: int) -> Table:
    """Game number so and so: all rotations of the agents share an opening and the dice."""
    groups = list(itertools.combinations(range(agents), game.players))
    opening, turn = divmod(number, game.players * len(groups))
    group, shift = groups[turn // game.players], turn % game.players
    seats = group[shift:] + group[:shift]
    luck = seed_of(seed, 2 * opening)
    state = _opening(game, openings, random.Random(luck))
    seeds = tuple(seed_of(luck, 1 + number * game.players + seat) for seat in range(game.players))
    return Table(state, seats, seeds, random.Random(seed_of(seed, 2 * opening + 1)))


def _opening(game: Game, plies: int, chance: random.Random) -> State:
    """The state after some random moves; dice roll in between."""
    for _ in range(ATTEMPTS):
        state = game.new_initial_state()
        for _ in range(plies):
            roll_on(state, chance)
            if state.is_terminal():
                break
            state.apply_action(chance.choice(state.legal_actions()))
        if not state.is_terminal():
            return state
    raise GameError(f"{game.title()} is over after {plies} random moves: take fewer")


def _returns(game: Game, state: State) -> list[float]:
    """What each seat got; a game that did not end is a draw."""
    if state.is_terminal():
        return [float(value) for value in state.returns()]
    return [(game.min_utility + game.max_utility) / 2] * game.players
