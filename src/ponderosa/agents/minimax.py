"""Agents that look ahead move by move instead of playing out: alpha-beta, and perfect play. Start at MinimaxAgent."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, ClassVar

from ponderosa.agents.agent import Agent
from ponderosa.agents.connect.connect4_perfect import PerfectConnectFour
from ponderosa.alphabeta.deepening import FORCED_PLIES, NOISY_PLIES, Deepening
from ponderosa.connect.connect4_solver import fits
from ponderosa.connect.evaluations import EVALUATIONS, WeighedConnect
from ponderosa.core.budget import Budget
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.state import State
from ponderosa.errors import GameError, SettingError, unknown
from ponderosa.games.connect import Connect
from ponderosa.mcts.search import Progress

LONGEST_SOLVED = 42
"""Games of more moves are not even tried by the perfect player."""


class MinimaxAgent(Agent):
    """Alpha-beta with iterative deepening, for two players and a game with an `evaluate` rule."""

    default_seconds: ClassVar[float | None] = 1.0

    def __init__(
        self,
        game: Game,
        eval: str | None = None,
        depth: int = 9,
        branch: int | None = 13,
        seconds: float | None = None,
        positions: int | None = None,
        table: int = 2**20,
        forced: int = FORCED_PLIES,
        noisy: int = NOISY_PLIES,
        lines: int = 1,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`eval` is for the Connect family: threats (unless said otherwise) or sequences.

        `depth` counts actions; `branch` is how many of the best moves of a position are looked at, None: all;
        `positions` is how many positions are looked at, `table` how many are remembered; forced moves cost no depth,
        and lead up to `forced` actions beyond it; noisy ones, captures in chess, are followed `noisy` actions beyond.
        `lines` is how many of the best moves have exact values; the others are worth at most what is said.
        """
        self.paced = seconds is None and positions is None
        if self.paced:
            seconds = self.default_seconds
        self.budget: Budget = _budget(positions, seconds)
        self.game = _evaluated(_of_two_players("minimax", game), eval)
        self.deepening = Deepening(
            self.game,
            depth=depth,
            branch=branch,
            table=table,
            forced=forced,
            noisy=noisy,
            lines=lines,
            clock=clock,
        )

    def think(self, state: State, progress: Progress | None = None) -> Any:
        return self.step(state, progress)

    def reset(self, seed: int) -> None:
        """As new; nothing here is random."""
        self.deepening.forget()
        self.last_report = None

    def step(self, state: State, progress: Progress | None = None) -> Any:
        """The action that alpha-beta prefers."""
        known = _as_known(self.game, state)
        if known.is_terminal() and not state.is_terminal():
            self.last_report = None
            return state.legal_actions()[0]  # nobody can win any more: any move will do
        self.last_report = self.deepening.run(known, self.budget, progress)
        return self.last_report.best_action


class PerfectAgent(MinimaxAgent):
    """Perfect play of small games: keeps the result, wins as fast and loses as slowly as possible."""

    default_seconds = None

    @classmethod
    def for_game(cls, game: Any, **settings: Any) -> Agent:
        """For Connect Four, the agent with its solver; for other games, and with a table of a size asked for, this."""
        if fits(game) and "table" not in settings:
            return PerfectConnectFour(game, **settings)
        return cls(game, **settings)

    def __init__(
        self,
        game: Game,
        positions: int = 30_000_000,
        table: int = 2**22,
        every: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`positions` is how many positions it may look at for one move before it gives up.

        `every`, at Connect Four: it goes on until it knows the result of every column, not of the best one alone.
        """
        self.budget = _budget(positions, None)
        self.game = _of_two_players("perfect", game)
        if every:
            raise SettingError(f"perfect:every=true is for Connect Four on boards of up to 58 bits, not {game.spec}")
        length = self.game.max_game_length
        if length is None or length > LONGEST_SOLVED:
            how_long = "without a declared max_game_length" if length is None else f"of up to {length} moves"
            raise GameError(
                f"perfect solves games of up to {LONGEST_SOLVED} moves, like tictactoe or connect:m=3,n=4,k=3; "
                f"{self.game.spec} is a game {how_long}: take minimax or mcts"
            )
        if isinstance(self.game, Connect):
            self.game = WeighedConnect.of(self.game)
        self.deepening = Deepening(self.game, table=table, clock=clock)

    def step(self, state: State, progress: Progress | None = None) -> Any:
        """An action of a perfect player."""
        action = super().step(state, progress)
        report = self.last_report
        if report is not None and report.stopped in ("iterations", "seconds"):
            raise GameError(
                f"perfect could not solve this position of {state.game.spec} by looking at {report.iterations:,} "
                "positions: allow more, as in perfect:positions=1000000000, or take minimax or mcts"
            )
        return action


def _budget(positions: int | None, seconds: float | None) -> Budget:
    if positions is not None:
        check_number("positions", positions, 1, whole=True)
    return Budget(iterations=positions, seconds=seconds)


def _of_two_players(name: str, game: Any) -> Game:
    """The game, if alpha-beta can play it."""
    if not isinstance(game, Game):
        raise GameError(
            f"{name} plays games that are written for Ponderosa (ponderosa docs add-a-game), not {game!r}: take mcts"
        )
    facts = [fact for fact in ("chance", "hidden", "simultaneous") if getattr(game, fact)]
    if game.players != 2 or facts:
        what = f"{facts[0]} moves" if facts else f"{game.players} players"
        raise GameError(f"{name} plays games of two players who see everything, and {game.spec} has {what}: take mcts")
    return game


def _evaluated(game: Game, eval: str | None) -> Game:
    """The game with a rule `evaluate`: its own, or one for the Connect family."""
    if isinstance(game, Connect):
        name = "threats" if eval is None else eval
        if name not in EVALUATIONS:
            raise unknown("eval of minimax", str(name), EVALUATIONS)
        return EVALUATIONS[name].of(game)
    if eval is not None:
        raise SettingError(f"eval={eval} is for the Connect family; {game.spec} is evaluated by its own rule")
    if "evaluate" not in game.own_rules():
        raise GameError(
            f"minimax needs a game with the rule `evaluate`, a static value a player, and {game.spec} has none: "
            "write one (ponderosa docs add-a-game), or take mcts"
        )
    return game


def _as_known(game: Game, state: State) -> Any:
    """The same position as the search knows it."""
    return game.state_after(state.history()) if isinstance(game, WeighedConnect) else state
