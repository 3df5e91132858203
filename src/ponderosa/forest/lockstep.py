"""Whole games between searches, many at a time and move by move together. Start at Lockstep.play.

Each contender has a forest with a tree for every game, kept from move to move, and seeded for the game: a game goes as
the agent `mcts` with the same settings and seed would play it alone.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
"""Called after every move, and about ten times a second while one is thought about, with the number of games that are
over; False ends the games as they are."""


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


class Thought(NamedTuple):
    """What went into a move."""

    seat: int
    """Who moved, or CHANCE."""
    seconds: float = 0.0
    """A fair share of the time that all games took for it."""
    iterations: int = 0
    nodes: int = 0
    value: float = 0.5
    """What it is worth to the one who moved, from 0 to 1."""
    proven: float = math.nan
    """What is certain of the position before it, as in ForestReport.proven."""


@dataclass(frozen=True)
class Played:
    """A game that was played."""

    state: State
    """How it ended; its history has the moves."""
    over: bool
    """Whether it came to an end: else it was too long, or interrupted."""
    thoughts: list[Thought]
    """What went into each move since the beginning."""


class Lockstep:
    """Contenders at a game, and as many tables as are wanted."""

    def __init__(
        self,
        game: Game,
        contenders: Sequence[Any],
        device: str = "auto",
        cores: int | None = None,
        longest: int = 10_000,
    ) -> None:
        self.game, self.contenders = game, [Contender.of(given) for given in contenders]
        self._device, self._cores, self._longest = device, cores, min(game.longest, longest)

    def play(self, tables: Sequence[Table], tell: Tell = lambda over: None) -> list[Played]:
        """Play all tables to the end."""
        states: list[Any] = [table.state.clone() for table in tables]
        seats = np.array([table.seats for table in tables])
        forests = [self._forest(tables, seats, contender) for contender in range(len(self.contenders))]
        thoughts: list[list[Thought]] = [[] for _ in tables]
        at_play = np.array([not self._ended(state) for state in states])

        def goes_on() -> bool:
            return tell(len(tables) - int(at_play.sum())) is not False

        while at_play.any() and goes_on():
            actions = self._moves(tables, states, at_play, forests, seats, thoughts, goes_on)
            if actions is None:
                break
            for place in np.flatnonzero(at_play):
                states[place].apply_legal(int(actions[place]))
                at_play[place] = not self._ended(states[place])
            for forest in forests:
                if forest is not None:
                    forest.follow(actions)
        return [Played(state, state.is_terminal(), told) for state, told in zip(states, thoughts, strict=True)]

    def _ended(self, state: State) -> bool:
        return bool(state.is_terminal()) or len(state.history()) >= self._longest

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
        states: Sequence[State],
        at_play: npt.NDArray[np.bool_],
        forests: Sequence[Forest | None],
        seats: npt.NDArray[np.int64],
        thoughts: Sequence[list[Thought]],
        goes_on: Callable[[], bool],
    ) -> npt.NDArray[np.int32] | None:
        """What is played at each table: by the one to move, or by dice; NOTHING where the game is over. None: stop."""
        actions = np.full(len(tables), NOTHING, np.int32)
        movers = np.full(len(tables), NOTHING)
        for place in map(int, np.flatnonzero(at_play)):
            seat = states[place].to_move()
            if seat == CHANCE:
                actions[place] = roll(states[place], _dice_of(tables[place]))
                thoughts[place].append(Thought(CHANCE))
            else:
                movers[place] = seats[place, seat]
        for contender, forest in enumerate(forests):
            mine = np.flatnonzero(movers == contender)
            if forest is None or len(mine) == 0:
                continue
            known = self.contenders[contender]
            report = forest.run_only(movers == contender, known.iterations, known.max_nodes, goes_on)
            if report.stopped == "interrupted":
                raise KeyboardInterrupt
            if report.stopped == "progress":
                return None
            actions[mine] = report.best_actions[mine]
            share, certain = report.seconds / len(mine), report.certain_values
            for place in mine.tolist():
                efforts = (int(report.iterations[place]), int(report.nodes[place]))
                value, seat = float(np.nan_to_num(report.best_values[place], nan=0.5)), states[place].to_move()
                thoughts[place].append(Thought(seat, share, *efforts, value, float(certain[place])))
        return actions


def _dice_of(table: Table) -> random.Random:
    if table.dice is None:
        raise SettingError("dice decide in this game: every table needs some")
    return table.dice
