"""The strongest agent: proofs by threats, and alpha-beta over shapes where they fit. Start at Strong.for_game."""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ponderosa.agents.agent import Agent
from ponderosa.agents.connect.connect4 import StrongConnectFour
from ponderosa.agents.connect.named import needs_connect
from ponderosa.agents.connect.rounds import Kind, is_clear, is_open, rounds_of
from ponderosa.agents.connect.strong_tree import StrongTree
from ponderosa.compile.enabled import jit_enabled
from ponderosa.connect.shapes.player import BELIEVED, ShapePlayer, Thought, fits
from ponderosa.connect.shapes.shape_network import ShapeNetwork, read_network, shipped_for
from ponderosa.connect.threats.prover import Prover, compile_ahead
from ponderosa.core.budget import Budget
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.state import State
from ponderosa.errors import GameError, SettingError
from ponderosa.games.connect import Connect
from ponderosa.games.connect4 import Connect4
from ponderosa.mcts.parallel.kinds import MOST_THREADS
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.mcts.tree_search import PROGRESS_SECONDS, Progress

FIRST_SHARE, ANSWER_SHARE = 0.08, 0.25
"""Of the time: at most for a win at the root, and as much for one of the opponent's; until answers to that are refuted.
"""
FIRST_EFFORT = 30_000
"""The effort of such proofs when no time is given."""
MOST_AT_ONCE = 500_000
"""No proof takes more effort, about a third of a second: who wants to stop the agent does not wait longer."""
LEAST_EFFORT, MOST_EFFORT = 1_000, 64_000
"""Answers at the root are refuted with more and more effort, from the one to the other."""
TELLING = 20_000
"""A proof with so much effort tells how fast the machine is."""


class Strong(Agent):
    """The strongest agent of every game: threats and alpha-beta over shapes; elsewhere who plays at level:strongest.

    It wins by threats; else alpha-beta looks at the shapes on the board, for one stone a turn or two. If the opponent
    threatens to win by threats, only moves that disturb that win are considered, and for a move that is chosen a
    refutation by threats is looked for, early enough to choose another. Boards with lines too long for tables of
    shapes, and all settings of a tree search (c, parallel, ...), are for the tree of agents/connect/strong_tree.py:
    `Strong.for_game` finds out which agent it takes. For games outside the family, registry.written_out does.
    """

    default_seconds = 1.0

    @classmethod
    def for_game(cls, game: Game, **settings: Any) -> Agent:
        """For Connect Four, the agent made for it; where there are no tables of shapes, or for a tree, that one."""
        if isinstance(game, Connect4):
            return StrongConnectFour(game, **settings)
        if not _has_shapes(game) or not settings.keys() <= inspect.signature(cls).parameters.keys():
            return StrongTree(game, **settings)
        return cls(game, **settings)

    def __init__(
        self,
        game: Game,
        seconds: float | None = None,
        iterations: int | None = None,
        max_nodes: int | None = None,
        threads: int = 1,
        network: str = "own",
        seed: int = 0,
        clock: Callable[[], float] = time.perf_counter,
        **settings: Any,
    ) -> None:
        """`iterations` are positions that alpha-beta looks at, `max_nodes` those that it may remember.

        `threads` search together; with more than one, the same position may get another answer another time.
        `network`, in Gomoku and Connect6, corrects what the fitted weights say of positions: the game's own, none, or
        a file that benchmarks/shape_network.py has made. Other settings are those of a tree: Strong.for_game takes
        them.
        """
        self.game, self._clock = needs_connect("strong", game), clock
        if settings or not _has_shapes(game):
            what = f"the setting {next(iter(settings))!r}" if settings else game.spec
            raise SettingError(f"there are no tables of shapes for {what}: Strong.for_game(game, ...) makes the agent")
        self.paced = seconds is None and iterations is None and max_nodes is None
        if self.paced:
            seconds = self.default_seconds
        self.budget: Budget = Budget(iterations, seconds, max_nodes)
        check_number("threads", threads, 1, MOST_THREADS, whole=True)
        one_stone = self.game.p == 1
        if one_stone:
            compile_ahead(self.game)
        self.threads = threads
        learned = _network(network, self.game)
        self.shape_player = ShapePlayer(self.game, clock=clock, threads=threads, network=learned)
        self.prover = Prover(self.game) if one_stone else TwoStoneProver(self.shape_player)
        self._pace = float(self.prover.pace)
        self._start = 0.0

    def think(self, state: State, progress: Progress | None = None) -> Any:
        return self.step(state, progress)

    def reset(self, seed: int) -> None:
        """As new; nothing here is random."""
        self.shape_player.forget()
        self.prover.forget()
        self.last_report = None

    def step(self, state: State, progress: Progress | None = None) -> Any:
        """The first move of a win by threats, else what alpha-beta prefers of the moves that are not refuted."""
        if state.is_terminal():
            raise GameError("the game is over: there is nothing to search")
        self._start = self._clock()
        if self.budget.max_nodes is not None:
            self.shape_player.remember(int(self.budget.max_nodes))
        moves = [int(move) for move in state.history()]
        first = self._affordable(FIRST_SHARE, FIRST_EFFORT)
        win = self._winning_move(moves, first)
        if win >= 0:
            thought = Thought(win, 1.0, stopped="solved", moves={win: (1.0, 1)}, positions=1)
        else:
            thought = self._think(state, moves, first, progress)
        self.last_report = self._report(state, thought, "win" if win >= 0 else None)
        return thought.best

    def _affordable(self, share: float, untimed: int) -> int:
        """An effort that ends when this share of the time is over; the other one, if there is no clock."""
        if self.budget.seconds is None:
            return untimed
        left = self._start + share * self.budget.seconds - self._clock()
        return max(0, min(int(left * self._pace), MOST_AT_ONCE))

    def _winning_move(self, moves: list[int], effort: int) -> int:
        """The first move of a win by threats, or -1: none is found; on a slow machine, less is afforded next time."""
        begun = self._clock()
        win = self.prover.winning_move(moves, effort)
        if self.prover.used >= TELLING:
            self._pace = min(self.prover.pace, self.prover.used / max(self._clock() - begun, 1e-6))
        return win

    def _think(self, state: State, moves: list[int], first: int, progress: Progress | None) -> Thought:
        """Search; while threats refute what is found, search again without it."""
        self.shape_player.place(moves)
        watch, positions = self._watch(state, progress), 0
        passes = self.game.turn(len(moves))[1] == 1  # after a stone it is the opponent's turn
        answers = self.prover.answers(moves, first) if passes else None
        chosen = None if answers is None else self._not_refuted(moves, answers, watch)
        thought, changes = Thought(), True
        sound: Thought | None = None
        behind: Counter[int] = Counter()
        for turn in rounds_of(self.game.p, self._most()):
            if turn.kind is Kind.HARD and not changes:
                break
            before, thought = thought, self.shape_player.think(moves, self._left(turn.chosen_until), chosen, watch)
            positions += thought.positions
            behind.update({move: count for move, (_, count) in thought.moves.items()})
            changes = is_open(thought, before)
            if thought.stopped not in ("seconds", "iterations", "depth") or thought.value in (0.0, 1.0):
                break
            if turn.kind is Kind.CLEAR and not is_clear(thought, self.game.p):
                continue
            unchecked = passes and (sound is None or thought.best != sound.best)
            if unchecked and self._is_refuted([*moves, thought.best], turn.checked_until):
                tried = thought.moves if len(thought.moves) > 1 else state.legal_actions()
                chosen = [action for action in chosen or tried if action != thought.best]
                if not chosen:
                    break
                thought, changes = sound or thought, True
                continue
            sound = thought
            thought.stopped = "clear" if turn.kind is Kind.CLEAR else thought.stopped
            if thought.stopped != "seconds":
                break
        known = {move: (value, behind[move]) for move, (value, _) in thought.moves.items()}
        return replace(thought, positions=positions, moves=known)

    def _is_refuted(self, moves: list[int], until: float) -> bool:
        """Whether threats are found, until this share of the time is over, that win against these moves."""
        effort = self._affordable(until, FIRST_EFFORT)
        return effort > 0 and self._winning_move(moves, effort) >= 0

    def _most(self) -> float:
        """How much of the planned time a hard move may take; 1, if no time can be saved for later."""
        if self.most_seconds is None or self.budget.seconds is None:
            return 1.0
        return self.most_seconds / self.budget.seconds

    def _left(self, share: float) -> Budget:
        """The budget, with the seconds until this share of the time is over."""
        if self.budget.seconds is None:
            return self.budget
        left = self._start + share * self.budget.seconds - self._clock()
        return replace(self.budget, seconds=max(left, 1e-3))

    def _not_refuted(self, moves: list[int], answers: list[int], watch: Callable[[Thought], Any]) -> list[int]:
        """Those of the answers that are not refuted with more and more effort; the hardest to refute, if all are."""
        answers = sorted(answers, key=lambda action: -self.shape_player.worth(action))
        hardest, hardness, effort = answers[:1], 0, LEAST_EFFORT
        while answers and effort <= MOST_EFFORT:
            refuted = set()
            for action in answers:
                most = min(effort, self._affordable(ANSWER_SHARE, effort))
                if watch(Thought(best=action)) is False:
                    return answers
                if most > 0 and self._winning_move([*moves, action], most) >= 0:
                    refuted.add(action)
                    if self.prover.used > hardness:
                        hardest, hardness = [action], self.prover.used
            answers, effort = [action for action in answers if action not in refuted], effort * 4
        return answers or hardest

    def _watch(self, state: State, progress: Progress | None) -> Callable[[Thought], Any]:
        """What tells progress now and then how far it is."""
        told = [self._start]

        def watch(thought: Thought) -> Any:
            if progress is None or self._clock() - told[0] < PROGRESS_SECONDS:
                return True
            told[0] = self._clock()
            return progress(self._report(state, replace(thought, stopped="progress"), None))

        return watch

    def _report(self, state: State, thought: Thought, proven: str | None) -> Report:
        known = sorted(thought.moves, key=lambda cell: (cell != thought.best, -thought.moves[cell][1]))
        rest = [action for action in state.legal_actions() if action not in thought.moves]
        order = sorted([*known, *rest], key=lambda cell: cell != thought.best)
        line = self.shape_player.line([int(move) for move in state.history()], thought.best)
        lines = {cell: [cell] for cell in order} | {thought.best: line}
        entries = tuple(_entry(state, lines[cell], thought.moves.get(cell), proven) for cell in order)
        return Report(
            game=state.game.spec,
            player=int(state.current_player()),
            best_action=thought.best,
            best_name=entries[0].name,
            value=1.0 if proven else _believed(thought.value),
            proven=proven,
            iterations=thought.positions,
            nodes=min(thought.positions, len(self.shape_player.table)),
            seconds=self._clock() - self._start,
            stopped=thought.stopped,
            seed=0,
            actions=entries,
            depth=thought.depth,
            threads=self.threads,
        )


class TwoStoneProver:
    """What connect/threats/prover.py does for one stone a turn, for two: wins by threats that take whole turns.

    It remembers the turn that it has found, and does not say which answers matter.
    """

    used = 0
    pace = 600_000

    def __init__(self, shape_player: ShapePlayer) -> None:
        self._shape_player, self._planned = shape_player, [-1]

    def forget(self) -> None:
        """As new."""
        self._planned = [-1]

    def winning_move(self, moves: list[int], effort: int) -> int:
        """The first move of a win after these moves, or the second stone of the turn that begins it; -1: none found."""
        if moves == self._planned[:-1]:
            return self._planned[-1]
        turn = self._shape_player.forced_win(moves, effort)
        if len(turn) == 2:
            self._planned = [*moves, *turn]
        return turn[0] if turn else -1

    def answers(self, moves: list[int], effort: int) -> list[int] | None:
        """The moves that can matter if the opponent would win by threats; None: that is not known."""
        return None


def _network(name: str, game: Connect) -> ShapeNetwork | None:
    """The network that is meant; one of its own only where it is compiled, or else it would take too long."""
    if name == "own":
        file = shipped_for(game) if jit_enabled() else None
    else:
        file = None if name == "none" else Path(name).expanduser()
    return None if file is None else read_network(file)


def _has_shapes(game: Any) -> bool:
    """Whether there are tables of shapes for a game."""
    return isinstance(game, Connect) and game.players == 2 and fits(game)


def _entry(state: State, line: list[int], found: tuple[float, int] | None, proven: str | None) -> ActionReport:
    """What is known of the first move of a line."""
    names = tuple(str(state.action_to_string(cell)) for cell in line)
    if found is None:
        return ActionReport(line[0], names[0], 0, None, None, names)
    return ActionReport(line[0], names[0], found[1], 1.0 if proven else _believed(found[0]), proven, names)


def _believed(value: float) -> float:
    """A value for people: what alpha-beta takes for won or lost is not proven."""
    return min(BELIEVED, max(1.0 - BELIEVED, value))
