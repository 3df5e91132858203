"""Alpha-beta one ply deeper at a time, until something ends it. Start at Deepening.run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa.alphabeta import alphabeta as ab
from ponderosa.alphabeta.operations import Operations, operations_of
from ponderosa.core.budget import Budget
from ponderosa.core.checks.promises import NO_RESULT
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.errors import GameError, PonderosaError, SettingError
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.mcts.report.reporter import PV_LENGTH
from ponderosa.mcts.tree_search import PROGRESS_SECONDS, Progress, next_size

DEEPEST = 1000
FORCED_PLIES = 64
"""How far forced moves, which cost no depth, lead beyond it at most, in plies, unless said otherwise."""
NOISY_PLIES = 12
"""How far beyond the depth moves are followed after which alone a static value counts, unless said otherwise."""
BELIEVED = 0.999
"""What a win is worth to people that is not certain, because some replies were left out."""


class Deepening:
    """Alpha-beta of one game of two players, and what it remembers of positions."""

    def __init__(
        self,
        game: Game,
        *,
        depth: int | None = None,
        branch: int | None = None,
        table: int = 2**20,
        forced: int = FORCED_PLIES,
        noisy: int = NOISY_PLIES,
        lines: int = 1,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`depth`: actions to look ahead, None: to the end. `branch`: moves kept a node, None: all.

        `table`: how many positions are remembered, rounded up to a power of two; 0: none. `forced`: moves without a
        choice cost no depth, and lead at most this many plies beyond it. `noisy`: how many plies beyond the depth the
        moves are followed that the game's rule `noisy` lists, captures in chess; 0: none. `lines`: how many of the best
        moves have exact values; the others are worth at most what is said.
        """
        for name, value in (("depth", depth), ("branch", branch)):
            if value is not None:
                check_number(name, value, 1, DEEPEST, whole=True)
        check_number("table", table, 0, 2**28, whole=True)
        check_number("forced", forced, 0, DEEPEST, whole=True)
        check_number("noisy", noisy, 0, DEEPEST, whole=True)
        check_number("lines", lines, 1, DEEPEST, whole=True)
        if not callable(clock):
            raise SettingError(f"clock must be a function that says the seconds, like time.perf_counter, not {clock!r}")
        longest = min(game.max_game_length or DEEPEST, DEEPEST)
        self.game, self.clock, self.lines = game, clock, lines
        self.depth = longest if depth is None else min(depth, longest)
        self.branch = game.max_actions if branch is None else branch
        self._counters = np.zeros(ab.COUNTERS, np.int64)
        self._operations = operations_of(game)
        self._beyond = noisy if self._operations.knows_noise else 0
        plies = min(self.depth + forced + self._beyond, longest) + 1
        self._room = _room(self._operations, plies, self.branch, table)

    def run(self, state: Any, budget: Budget, progress: Progress | None = None) -> Report:
        """Search a state until the depth, the budget (`iterations` are positions searched) or a proof ends it."""
        if state.is_terminal():
            raise GameError("the game is over: there is nothing to search")
        self._begin(state)
        start = self.clock()
        stopped = self._deepen(budget, start, progress)
        return self._report(self.clock() - start, stopped)

    def forget(self) -> None:
        """Forget all positions."""
        self._room.table[:] = 0

    @property
    def positions(self) -> int:
        """How many positions this run has looked at."""
        return int(self._counters[ab.NODES])

    def _begin(self, state: Any) -> None:
        self._operations.put(self._room.states, state)
        self._room.killers[:] = -1
        self._counters[:] = 0
        self._counters[ab.BRANCH] = self.branch
        self._counters[ab.BEYOND] = self._beyond
        self._counters[ab.LINES] = self.lines
        self._counters[ab.ORDERED] = self._operations.ranks_cheaply
        self._shown = state
        self._found: dict[int, tuple[int, int]] = {}  # by number of the action: its value, the nodes below
        self._best = -1
        self._complete = 0

    def _deepen(self, budget: Budget, start: float, progress: Progress | None) -> str:
        """Search to one ply more than before, again and again; what ended it."""
        size, now, reported = 1, start, start
        try:
            for depth in range(1, self.depth + 1):
                self._start(depth)
                while self._counters[ab.STATUS] != ab.DONE:
                    stopped = self._ended(budget, now - start)
                    if stopped:
                        return stopped
                    before = now
                    ran = self._search_on(self._most(size, budget))
                    now = self.clock()
                    size = next_size(size, ran, now - before, budget, now - start)
                    if progress is not None and now - reported >= PROGRESS_SECONDS and self._note():
                        reported = now
                        if progress(self._report(now - start, "progress")) is False:
                            return "progress"
                        now = self.clock()
                self._note()
                self._complete = depth
                if self._proven() is not None:
                    return "solved"
                if self._only_move():
                    return "forced"
        except KeyboardInterrupt:
            return "interrupted"
        except PonderosaError:
            raise
        except Exception as error:
            raise GameError(f"a rule raised {type(error).__name__}: {error}") from error
        return "depth"

    def _start(self, depth: int) -> None:
        """Make the root a fresh node with the whole window."""
        root = self._room.frames[0]
        root["alpha"], root["beta"], root["left"], root["next"] = -ab.INFINITE, ab.INFINITE, depth, ab.FRESH
        self._counters[ab.PLY] = 0
        self._counters[ab.STATUS] = ab.RUNNING
        self._counters[ab.PREFERRED] = self._best
        self._before = self.positions + 1

    def _ended(self, budget: Budget, seconds: float) -> str | None:
        if self._best < 0 and not self._note():
            return None  # at least one move is looked at
        if budget.seconds is not None and seconds >= budget.seconds:
            return "seconds"
        if budget.iterations is not None and self.positions >= budget.iterations:
            return "iterations"
        return None

    def _most(self, size: int, budget: Budget) -> int:
        """How many nodes the next slice may search."""
        if budget.iterations is None:
            return size
        return max(1, min(size, int(budget.iterations) - self.positions))

    def _search_on(self, nodes: int) -> int:
        counters = self._counters
        ran = self._operations.search_on(nodes, self._room, counters)
        if counters[ab.STATUS] == ab.NOT_ZERO_SUM:
            raise GameError(f"{self.game.title()} is not zero-sum: one player's gain must be the other's loss")
        if counters[ab.STATUS] == ab.BAD_ACTION_COUNT:
            found, most = int(counters[ab.DETAIL]), self.game.max_actions
            raise self._operations.blamed(
                self._shown, f"a state has {found} legal actions, and max_actions says {most}"
            )
        if counters[ab.STATUS] == ab.NO_RESULT:
            raise self._operations.blamed(self._shown, NO_RESULT)
        return ran

    def _note(self) -> bool:
        """Keep what this depth has found so far; False: no move is searched yet."""
        root, room = self._room.frames[0], self._room
        begun = self._before
        for index in range(max(0, int(root["next"]))):
            ended = int(room.root_nodes[index])
            self._found[int(room.moves[0, index])] = int(room.root_values[index]), ended - begun
            begun = ended
        if root["next"] > 0:
            self._best = int(root["move"])
        return self._best >= 0

    def _proven(self) -> str | None:
        """What is certain of the root."""
        root, value = self._room.frames[0], self._found[self._best][0]
        if value > ab.CERTAIN:
            return "win"
        if self._counters[ab.STATUS] != ab.DONE or root["whole"] == 0:
            return None
        return "win" if value > 0 else "loss" if value < 0 else "draw"

    def _only_move(self) -> bool:
        root = self._room.frames[0]
        return bool(root["count"] == 1 and root["dropped"] == 0)

    def _report(self, seconds: float, stopped: str) -> Report:
        state, found = self._shown, self._found
        order = sorted(found, key=lambda number: (number != self._best, -found[number][0]))
        known = {self._operations.action(number): found[number] for number in order}
        rest = [action for action in state.legal_actions() if action not in known]
        entries = [self._entry(action, known.get(action)) for action in (*known, *rest)]
        proven = self._proven()
        return Report(
            game=self.game.spec,
            player=int(state.current_player()),
            best_action=entries[0].action,
            best_name=entries[0].name,
            value=entries[0].value if entries[0].value is not None else 0.5,
            proven=proven,
            iterations=self.positions,
            nodes=min(self.positions, len(self._room.table)),
            seconds=seconds,
            stopped=stopped,
            seed=0,
            actions=tuple(entries),
            depth=self._complete,
        )

    def _entry(self, action: Any, found: tuple[int, int] | None) -> ActionReport:
        name = str(self._shown.action_to_string(action))
        if found is None:
            return ActionReport(action, name, 0, None, None, (name,))
        value, nodes = found
        proven = "win" if value > ab.PROVEN else "loss" if value < -ab.PROVEN else None
        return ActionReport(action, name, nodes, for_people(value), proven, self._line(action))

    def _line(self, first: Any) -> tuple[str, ...]:
        """The moves that the table expects behind an action."""
        state, action, names = self._shown.clone(), first, []
        while True:
            names.append(str(state.action_to_string(action)))
            state._apply(action)
            if state.is_terminal() or len(names) == PV_LENGTH or len(self._room.table) == 0:
                return tuple(names)
            known = int(ab.find(self._room.table, self._operations.key(state)))
            move = -1 if known < 0 else int(self._room.table[known]["move"])
            if move < 0 or self._operations.action(move) not in state.legal_actions():
                return tuple(names)
            action = self._operations.action(move)


def for_people(value: int) -> float:
    """A value from 0 (loss) to 1 (win)."""
    if abs(value) > ab.PROVEN:
        return 1.0 if value > 0 else 0.0
    if abs(value) > ab.EVALUATED:
        return BELIEVED if value > 0 else 1.0 - BELIEVED
    return 0.5 + 0.5 * value / ab.EVALUATED


def _room(operations: Operations, plies: int, branch: int, table: int) -> ab.Room:
    width = min(branch, operations.max_actions)
    return ab.Room(
        frames=np.zeros(plies, ab.FRAME),
        states=operations.new_states(plies + 1),
        moves=np.zeros((plies, width), np.int32),
        killers=np.zeros((plies, 2), np.int32),
        actions=np.zeros(operations.max_actions, np.int32),
        weights=np.zeros(operations.max_actions),
        values=np.zeros(2),
        table=np.zeros(0 if table == 0 else max(2, 1 << (table - 1).bit_length()), ab.ENTRY),
        root_values=np.zeros(width, np.int64),
        root_nodes=np.zeros(width, np.int64),
    )
