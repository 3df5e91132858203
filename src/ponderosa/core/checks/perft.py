"""How many sequences of moves a game has: what shows whether rules are right, and how fast they are. Start at perft."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ponderosa.core.numbers import check_number
from ponderosa.core.rules import jit_enabled
from ponderosa.errors import GameError, SettingError

if TYPE_CHECKING:
    from ponderosa.core.game import Game
    from ponderosa.core.state import State

FURTHER = 64
"""A move may be several actions, as jumps are in checkers: in one line of play, at most so many are more."""
DEEPEST = 1000


@dataclass(frozen=True)
class Perft:
    """The sequences of moves from the start of a game, as chess programmers count them."""

    game: str
    sequences: tuple[int, ...]
    """Of no move, of one, and so on."""
    wins: int
    """Games of at most so many moves that the first player has won."""
    draws: int
    losses: int
    seconds: float
    """Of processor time."""

    @property
    def a_second(self) -> float:
        """Moves made in a second."""
        return sum(self.sequences[1:]) / max(self.seconds, 1e-9)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"a_second": self.a_second}


def perft(game: Game, depth: int) -> Perft:
    """Count the sequences of up to `depth` moves, in machine code where the game has it.

    Actions of a player who then goes on are one move together; a game for one has a move an action.
    """
    check_number("depth", depth, 1, DEEPEST, whole=True)
    if game.chance or game.simultaneous:
        raise SettingError("sequences of moves are counted where players move one after the other, without dice")
    counting = _compiled if game.dtype is not None and jit_enabled() else _plain
    run = counting(game, depth)
    run(np.zeros(2, np.int64), np.zeros(3, np.int64))  # a first call takes longer
    sequences, ends = np.zeros(depth + 1, np.int64), np.zeros(3, np.int64)
    begun = time.thread_time()
    if not run(sequences, ends):
        raise GameError(f"{game.spec} has moves of more than {FURTHER} actions in all: nobody counts these")
    seconds = time.thread_time() - begun
    return Perft(game.spec, tuple(sequences.tolist()), int(ends[2]), int(ends[1]), int(ends[0]), seconds)


class _Further(Exception):  # noqa: N818  no error
    """A line of play has too many actions."""


Run = Callable[[Any, Any], Any]
"""Fills in the sequences and the ends, losses first; False: a line of play has too many actions."""


def _compiled(game: Game, depth: int) -> Run:
    from ponderosa.compile import native

    first: Any = game.new_initial_state()
    states = np.zeros((depth + 1 + FURTHER, len(first.data)), np.uint8)
    states[0] = first.data
    actions, values = np.zeros((len(states), game.max_actions), np.int32), np.zeros(game.players)
    signature = native.BOOL(
        native.STATES, native.ACTION_ROWS, native.VALUES, native.INTS, native.INTS, native.INT_ROWS, native.BOOL
    )
    counted = native.compiled(_counting(game.rules), signature)
    notes = np.zeros((3, len(states)), np.int64)
    return lambda sequences, ends: counted(states, actions, values, sequences, ends, notes, game.players == 1)


def _counting(rules: Any) -> Callable[..., Any]:
    legal, copy, apply = rules.legal_actions, rules.copy, rules.apply_action
    player, over, scores = rules.current_player, rules.is_terminal, rules.scores

    def count(states: Any, actions: Any, values: Any, sequences: Any, ends: Any, notes: Any, alone: bool) -> bool:
        total, tried, moves = notes[0], notes[1], notes[2]
        tried[:] = 0
        deepest = len(sequences) - 1
        total[0], sequences[0], ply = legal(states[0], actions[0]), 1, 0
        while ply >= 0:
            if tried[ply] == total[ply]:
                ply -= 1
                continue
            tried[ply] += 1
            after = states[ply + 1]
            copy(after, states[ply])
            apply(after, actions[ply, tried[ply] - 1])
            ended = over(after)
            moved = alone or ended or player(after) != player(states[ply])
            moves[ply + 1] = moves[ply] + moved
            sequences[moves[ply + 1]] += moved
            if ended:
                scores(after, values)
                ends[1 + int(np.sign(values[0] - 0.5))] += 1
            elif moves[ply + 1] < deepest:
                ply += 1
                if ply == len(states) - 1:
                    return False
                total[ply], tried[ply] = legal(after, actions[ply]), 0
        return True

    return count


def _plain(game: Game, _: int) -> Run:
    middle = 0.5 * (game.min_utility + game.max_utility)

    def count(state: State, left: int, more: int, sequences: Any, ends: Any) -> None:
        if more >= FURTHER:
            raise _Further
        for action in state.legal_actions():
            after = state.child(action)
            ended = after.is_terminal()
            moved = game.players == 1 or ended or after.current_player() != state.current_player()
            sequences[len(sequences) - 1 - left + moved] += moved
            if ended:
                ends[1 + int(np.sign(after.returns()[0] - middle))] += 1
            elif left - moved:
                count(after, left - moved, more + 1 - moved, sequences, ends)

    def run(sequences: Any, ends: Any) -> bool:
        sequences[0] = 1
        try:
            count(game.new_initial_state(), len(sequences) - 1, 0, sequences, ends)
        except _Further:
            return False
        return True

    return run
