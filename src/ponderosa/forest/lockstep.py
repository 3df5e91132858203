"""Whole games between searches, many at a time and move by move together. Start at Lockstep.play.

Each contender has a forest with a tree for every game, kept from move to move, and seeded for the game: a game goes as
the agent `mcts` with the same settings and seed would play it alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.core.dice import roll
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import new_rng
from ponderosa.core.state import State
from ponderosa.core.turns import CHANCE
from ponderosa.errors import SettingError
from ponderosa.forest.forest import Forest
from ponderosa.forest.kernel import NOTHING
from ponderosa.mcts.settings import SearchSettings

Tell = Callable[[int], Any]
"""Called after every move with the number of games that are over; False ends the games."""


@dataclass(frozen=True)
class Contender:
    """A search that plays."""

    settings: SearchSettings
    iterations: int
    """How many iterations a move takes."""
    max_nodes: int | None = None

    @classmethod
    def of(cls, given: Any) -> Contender:
        """A contender as people write it: `{"iterations": 100, "c": 1.4}`."""
        if isinstance(given, Contender):
            return given
        if not isinstance(given, dict) or "iterations" not in given:
            raise SettingError(f'a contender is a dict such as {{"iterations": 100, "c": 1.4}}, not {given!r}')
        rest = {name: value for name, value in given.items() if name not in ("iterations", "max_nodes")}
        check_number("iterations", given["iterations"], 1, whole=True)
        return cls(SearchSettings.of(None, rest), int(given["iterations"]), given.get("max_nodes"))


@dataclass(frozen=True)
class Table:
    """A game to play."""

    state: State
    """Where it begins."""
    seats: tuple[int, ...]
    """The contender in each seat."""
    seeds: tuple[int, ...]
    """The seed of each of them."""
    dice: random.Random | None = None
    """What is rolled, where dice decide."""


@dataclass(frozen=True)
class Played:
    """A game that was played."""

    state: State
    """How it ended; its history has the moves."""
    over: bool
    """Whether it came to an end: else it was too long, or interrupted."""
    efforts: tuple[int, ...]
    """The iterations of each seat."""


class Lockstep:
    """Contenders at a game, and as many tables as are wanted."""

    def __init__(
        self, game: Game, contenders: Sequence[Any], device: str = "auto", cores: int | None = None, longest: int = 10_000
    ) -> None:
        self.game, self.contenders = game, [Contender.of(given) for given in contenders]
        self._device, self._cores, self._longest = device, cores, min(game.longest, longest)

    def play(self, tables: Sequence[Table], tell: Tell = lambda over: None) -> list[Played]:
        """Play all tables to the end."""
        states: list[Any] = [table.state.clone() for table in tables]
        seats = np.array([table.seats for table in tables])
        forests = [self._forest(tables, seats, contender) for contender in range(len(self.contenders))]
        efforts = np.zeros(seats.shape, np.int64)
        begun = np.array([len(state.history()) for state in states])
        open_tables = np.array([not state.is_terminal() for state in states])
        while open_tables.any():
            actions = self._moves(tables, states, open_tables, forests, seats, efforts)
            for place in np.flatnonzero(actions != NOTHING):
                states[place].apply_legal(int(actions[place]))
                too_long = len(states[place].history()) - begun[place] >= self._longest
                open_tables[place] = not (too_long or states[place].is_terminal())
            for forest in forests:
                if forest is not None:
                    forest.follow(actions)
            if tell(int(len(tables) - open_tables.sum())) is False:
                break
        return [
            Played(state, state.is_terminal(), tuple(int(effort) for effort in effort_of))
            for state, effort_of in zip(states, efforts, strict=True)
        ]

    def _forest(self, tables: Sequence[Table], seats: Any, contender: int) -> Forest | None:
        """The trees of a contender, seeded for the seat that it has at each table."""
        if not (seats == contender).any():
            return None
        known = self.contenders[contender]
        forest = Forest(self.game, len(tables), device=self._device, cores=self._cores, settings=known.settings)
        seeds = [
            next((seed for seat, seed in zip(table.seats, table.seeds, strict=True) if seat == contender), 0)
            for table in tables
        ]
        forest.begin([table.state for table in tables], np.array([new_rng(seed) for seed in seeds]))
        return forest

    def _moves(
        self,
        tables: Sequence[Table],
        states: Sequence[Any],
        open_tables: npt.NDArray[np.bool_],
        forests: Sequence[Forest | None],
        seats: Any,
        efforts: Any,
    ) -> npt.NDArray[np.int32]:
        """What is played at each table: by the one to move, or by dice."""
        players = np.array([state.to_move() if is_open else NOTHING for state, is_open in zip(states, open_tables, strict=True)])
        actions = np.full(len(tables), NOTHING, np.int32)
        for place in np.flatnonzero(open_tables & (players == CHANCE)):
            dice = tables[place].dice
            assert dice is not None
            actions[place] = roll(states[place], dice)
        choosing = open_tables & (players != CHANCE)
        movers = np.where(choosing, seats[np.arange(len(tables)), np.maximum(players, 0)], NOTHING)
        for contender, forest in enumerate(forests):
            mine = movers == contender
            if forest is None or not mine.any():
                continue
            known = self.contenders[contender]
            report = forest.run_only(mine, known.iterations, known.max_nodes)
            actions[mine] = report.best_actions[mine]
            places = np.flatnonzero(mine)
            efforts[places, players[places]] += report.iterations[places]
        return actions
