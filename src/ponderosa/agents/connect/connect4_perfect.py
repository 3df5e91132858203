"""Perfect play of Connect Four by the exact solver. Start at PerfectConnectFour."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

from ponderosa.agents.agent import Agent
from ponderosa.compile.annotations import Ints
from ponderosa.connect.connect4_distances import Distances, Outcome
from ponderosa.connect.connect4_solver import fits, new_table
from ponderosa.core.budget import Budget
from ponderosa.core.numbers import check_number
from ponderosa.core.state import State
from ponderosa.errors import GameError
from ponderosa.games.connect4 import Connect4
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.mcts.search import Progress
from ponderosa.mcts.tree_search import PROGRESS_SECONDS

TABLE_LENGTH = 2**23
"""Positions remembered; an entry is one word with its own key, so that any number of agents may share the table."""
POSITIONS = 2_000_000_000
COURTESY = 1_000_000
"""When it is certain which column is best, as many positions may be looked at for the results of the others."""
SOLVED = "solved"
WORDS = {1.0: "win", 0.5: "draw", 0.0: "loss"}


class PerfectConnectFour(Agent):
    """Knows who wins, and with how many stones; plays to win soon, or to lose late."""

    def __init__(
        self,
        game: Connect4,
        positions: int = POSITIONS,
        every: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`positions` is how many positions it may look at for one move before it gives up.

        `every`: it goes on until it knows the result of every column, not of the best one alone.
        """
        check_number("positions", positions, 1, whole=True)
        if not fits(game):
            raise GameError(f"this agent plays connect4 with four in a line on boards of up to 58 bits, not {game!r}")
        self.game, self._every, self._clock = game, every, clock
        self.budget: Budget = Budget(iterations=positions)

    def reset(self, seed: int) -> None:
        """As new; nothing here is random."""
        self.last_report = None

    def step(self, state: State, progress: Progress | None = None) -> Any:
        """The column of a perfect player."""
        report = self._solve(state, progress)
        self.last_report = report
        if report.stopped in ("iterations", "seconds"):
            raise GameError(
                f"perfect could not solve this position of {self.game.spec} by looking at {report.iterations:,} "
                "positions: allow more, as in perfect:positions=10000000000, or take strong or mcts"
            )
        return report.best_action

    def think(self, state: State, progress: Progress | None = None) -> Any:
        return self.step(state, progress)

    def _solve(self, state: State, progress: Progress | None) -> Report:
        """Find the best column, and what the others bring as far as that is wanted."""
        found, start = Distances(self.game, state, shared_table(self.game.rows, self.game.cols)), self._clock()
        told, stopped, enough = start, "", COURTESY
        try:
            while not stopped:
                if found.best is None:
                    found.decide()
                    enough = found.searched + COURTESY
                elif found.open and (self._every or found.searched < enough):
                    found.work()
                else:
                    break
                now = self._clock()
                stopped = self._ended(found, now - start)
                if progress is not None and not stopped and now - told >= PROGRESS_SECONDS:
                    told = now
                    if progress(_report(found, state, now - start, "progress")) is False:
                        stopped = "progress"
        except KeyboardInterrupt:
            stopped = "interrupted"
        return _report(found, state, self._clock() - start, stopped or SOLVED)

    def _ended(self, found: Distances, seconds: float) -> str:
        done = found.best is not None and not (self._every and found.open)
        if self.budget.seconds is not None and seconds >= self.budget.seconds:
            return SOLVED if done else "seconds"
        if found.searched >= (self.budget.iterations or POSITIONS):
            return SOLVED if done else "iterations"
        return ""


@functools.cache
def shared_table(rows: int, columns: int) -> Ints:
    """What all agents remember of boards of one shape."""
    return new_table(TABLE_LENGTH)


def _report(found: Distances, state: State, seconds: float, stopped: str) -> Report:
    """What is known of every column, the best one first."""
    outcomes: dict[int, Outcome] = {column: found.outcome(column) for column in state.legal_actions()}
    columns = sorted(outcomes, key=lambda column: (column != found.best, -outcomes[column].worth))
    entries = tuple(_entry(column, outcomes[column], found, state) for column in columns)
    best, searched = entries[0], found.searched
    return Report(
        game=state.game.spec,
        player=int(state.current_player()),
        best_action=best.action,
        best_name=best.name,
        value=0.5 if best.value is None else best.value,
        proven=None if found.best is None else best.proven,
        iterations=searched,
        nodes=min(searched, TABLE_LENGTH),
        seconds=seconds,
        stopped=stopped,
        seed=0,
        actions=entries,
        depth=max((entry.moves_left or 0 for entry in entries), default=0),
    )


def _entry(column: int, outcome: Outcome, found: Distances, state: State) -> ActionReport:
    name = str(state.action_to_string(column))
    proven = None if outcome.value is None else WORDS[outcome.value]
    left = None if outcome.stones is None else outcome.stones - len(state.history())
    return ActionReport(column, name, found.positions(column), outcome.value, proven, (name,), moves_left=left)
