"""The strong agent for Connect Four: tree search and exhaustive search take turns. Start at StrongConnectFour."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ponderosa.agents.mcts import MctsAgent
from ponderosa.connect.connect4_distances import Distances
from ponderosa.connect.connect4_solver import fits, new_table
from ponderosa.connect.connect4_values import DRAW, Values
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.state import State
from ponderosa.errors import GameError
from ponderosa.games.boards.connect4_weights import has_weights
from ponderosa.games.connect4 import Connect4
from ponderosa.mcts.policies.playout.playouts import epsilon
from ponderosa.mcts.report.report import Report
from ponderosa.mcts.search import Progress

TURNS = 20
"""Into this many parts the budget is cut; in each, first the solver works, then the tree."""
SLICE = 16384
"""How many positions the solver looks at between two looks at the clock."""
POSITIONS_AN_ITERATION = 32
"""How many positions the solver looks at for an iteration of the tree, when there is no clock; else about as many."""
ENDLESS = 2**62
ENDS = ("solved", "interrupted", "nodes")
"""What ends not only a turn."""
BEST: dict[str, Any] = {"playout": epsilon(0.3, "decisive", "static"), "c": 0.3}
BEST_WITHOUT_WEIGHTS: dict[str, Any] = {"playout": "decisive", "c": 0.7}
"""Settings of the tree, for boards with fitted static values and for others."""


class StrongConnectFour(MctsAgent):
    """The tree's favourite moves are solved exactly while it grows; what is certain enters the tree as proven."""

    def __init__(
        self, game: Game, seconds: float | None = None, exact: float = 0.75, seed: int = 0, **settings: Any
    ) -> None:
        """`exact` is the share of the time in which moves are solved.

        Where nothing is solved in time, static values fitted to solved positions are right most often, mixed with
        playouts that take wins and stop them.
        """
        if not isinstance(game, Connect4):
            raise GameError(f"this agent plays connect4, not {game!r}")
        check_number("exact", exact, 0, 0.95)
        best = BEST if has_weights(game.rows, game.cols, game.k) else BEST_WITHOUT_WEIGHTS
        super().__init__(game, seconds=seconds, seed=seed, **{**best, **settings})
        self.game, self.exact = game, exact if fits(game) else 0.0
        self._table = new_table()

    def step(self, state: State, progress: Progress | None = None) -> Any:
        """The action that both searches prefer together."""
        if self.exact == 0.0 or not self.search.solve:
            return super().step(state, progress)
        start = self._clock()
        self._follow(state)
        solver = Values(self.game, state, self._table)
        report = self.search.run(state, iterations=1).lightly()
        done, stopped, turn = report.iterations, "", 0
        while not stopped:
            turn += 1
            try:
                self._consult(solver, report, start, turn)
                self.search.learn(solver.bounds)
                report = self._grow(start, turn).lightly()
                stopped = report.stopped if turn == TURNS or report.stopped in ENDS else ""
                done += report.iterations
                if progress is not None and progress(replace(report, iterations=done)) is False:
                    stopped = "progress"
            except KeyboardInterrupt:
                stopped = "interrupted"
        report = replace(report, iterations=done, stopped=stopped)
        if stopped == "solved":
            report = self._in_time(state, report, start)
        self.last_report = replace(report, seconds=self._clock() - start)
        return report.best_action

    def _in_time(self, state: State, report: Report, start: float) -> Report:
        """When it is certain who wins: with the soonest win or the latest loss, as far as the budget goes."""
        budget, found = self.budget, Distances(self.game, state, self._table)
        until = math.inf if budget.seconds is None else start + self.exact * budget.seconds
        positions = ENDLESS if budget.seconds is not None else self._positions()
        try:
            while found.best is None and self._clock() < until and found.searched < positions:
                found.decide()
        except KeyboardInterrupt:
            return report
        best = next((entry for entry in report.actions if entry.action == found.best), None)
        if best is None or found.outcome(best.action).value == DRAW:
            return report
        others = [entry for entry in report.actions if entry is not best]
        stones = found.outcome(best.action).stones
        left = None if stones is None else stones - len(state.history())
        return replace(
            report, best_action=best.action, best_name=best.name, actions=(replace(best, moves_left=left), *others)
        )

    def _consult(self, solver: Values, report: Report, start: float, turn: int) -> None:
        """Let the solver work on the move that the tree likes best, of those that are not yet certain."""
        until, positions = self._solver_budget(start, turn)
        while positions > 0 and self._clock() < until:
            move = next((entry for entry in report.actions if entry.action in solver.open), None)
            if move is None:
                return
            solver.work(move.action, min(SLICE, positions))
            positions -= SLICE

    def _solver_budget(self, start: float, turn: int) -> tuple[float, int]:
        """Until when, or how many positions, the solver works in a turn."""
        if self.budget.seconds is not None:
            return start + (turn - 1 + self.exact) * self.budget.seconds / TURNS, ENDLESS
        return math.inf, self._positions() // TURNS

    def _positions(self) -> int:
        """How many positions the solver looks at, when there is no clock."""
        iterations = self.budget.iterations or self.budget.max_nodes or 1
        return POSITIONS_AN_ITERATION * int(iterations)

    def _grow(self, start: float, turn: int) -> Report:
        """Let the tree grow for the rest of a turn."""
        budget = self.budget
        seconds = None if budget.seconds is None else max(start + turn * budget.seconds / TURNS - self._clock(), 1e-3)
        iterations = None
        if budget.iterations is not None:
            iterations = turn * int(budget.iterations) // TURNS - (turn - 1) * int(budget.iterations) // TURNS
        if iterations == 0:
            return self.search.report()
        return self.search.run(iterations=iterations, seconds=seconds, max_nodes=budget.max_nodes)
