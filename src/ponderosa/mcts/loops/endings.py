"""Playouts that come to an end even if the game does not. Start at bound_to.

A game has at most this many moves (`Game.longest`). A playout of one more is cut off: it counts as a draw, and for one
player as nothing, or as twice the least score so far where scores are below 0. The loop knows it by its length.
Policies that know the limit (`Policy.lengths`) keep it themselves, at no cost; the moves of all others are counted.
Compiled playouts look at no clock: this many moves take milliseconds. Over Python states that is long, and Watch does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa.compile.enabled import Speed, speed_here
from ponderosa.compile.marks import few_numbers
from ponderosa.core.rng import Rng
from ponderosa.core.rules import Rules, at_speed
from ponderosa.errors import GameError, TooLongError
from ponderosa.mcts.loops.loop import LONGEST, OWN
from ponderosa.mcts.loops.workspace import Actions, Params, Play, State, States, Values

COUNT_BYTES = 16
"""Room behind a state in which moves are counted: how many there were, and how many there may be."""
LOOK = 64
"""At one in this many moves, the clock is looked at."""
MOST_TRIED = 1_000_000
"""Moves that a playout of Python states may make in all, with those that it only tries."""


def bound_to(game: Rules, playout: Callable[..., Any]) -> Play:
    """A playout function for one game, as the loop calls it; its params begin with LONGEST, ENDLESS and rollouts."""

    def play_on(state: State, spare: States, actions: Actions, params: Params, rng: Rng, values: Values) -> int:
        plies = playout(game, state, spare, actions, params[OWN + 1 :], rng, values)
        return plies if plies <= params[LONGEST] else broken_off(params, values)

    return _rolled_out(game, play_on)


def counted(game: Rules, playout: Callable[..., Any], speed: Speed | None = None) -> Play:
    """The same for a policy that knows no limit; states need COUNT_BYTES more. `speed` is that of the game."""
    speed = speed or speed_here()
    count_of = _compiled_count() if speed == "native" else _plain_count
    counting = game.with_another(f"{game.__name__}_counting", **_counting(game, count_of, speed))

    def play_on(state: State, spare: States, actions: Actions, params: Params, rng: Rng, values: Values) -> int:
        count = count_of(state)
        count[0], count[1] = 0, int(params[LONGEST])
        plies = playout(counting, state, spare, actions, params[OWN + 1 :], rng, values)
        return plies if count[0] <= count[1] else broken_off(params, values)

    return _rolled_out(game, play_on)


def broken_off(params: Params, values: Values) -> int:
    """Fill in the results of a playout that did not end; returns its length."""
    values[:] = 0.5 if len(values) > 1 else 0.0
    return int(params[LONGEST]) + 1


def _rolled_out(game: Rules, play_on: Play) -> Play:
    """As many playouts as there are rollouts; their mean."""

    def play(state: State, spare: States, actions: Actions, params: Params, rng: Rng, values: Values) -> int:
        rollouts = int(params[OWN])
        if rollouts == 1:
            return play_on(state, spare, actions, params, rng, values)
        totals = few_numbers(len(values))
        plies = 0
        game.copy(spare[2], state)
        for _ in range(rollouts):
            game.copy(state, spare[2])
            plies += play_on(state, spare, actions, params, rng, values)
            for player in range(len(values)):
                totals[player] += values[player]
        for player in range(len(values)):
            values[player] = totals[player] / rollouts
        return plies // rollouts

    return play


def _plain_count(state: State) -> Any:
    """The moves that are counted behind a state, and their limit."""
    return state[-COUNT_BYTES:].view(np.int64)


def _compiled_count() -> Callable[..., Any]:
    """The same for machine code, by address: a slice would be counted as a reference at every move."""
    from ponderosa.compile.native import array_at, pointer

    kind = np.int64

    def count(state: State) -> Any:
        return array_at(pointer(state.ctypes.data + len(state) - COUNT_BYTES), 2, kind)

    return count


def _counting(game: Rules, count_of: Callable[..., Any], speed: Speed) -> dict[str, Any]:
    """Operations of a game that count moves, and take a state for the last one when there were too many."""
    play, is_over = game.apply_action, game.is_terminal

    def apply_action(state: State, action: int) -> None:
        count_of(state)[0] += 1
        play(state, action)

    def is_terminal(state: State) -> Any:
        count = count_of(state)
        return count[0] > count[1] or is_over(state)

    return {made.__name__: at_speed(made, made.__name__, speed) for made in (apply_action, is_terminal)}


def no_end(game: Any, iterations: int) -> GameError:
    """What to say when no playout of a search has ended."""
    declared = ", as max_game_length says," if getattr(game, "max_game_length", None) else ""
    return GameError(
        f"playouts do not end: none of {iterations:,} was over after {game.longest:,} moves{declared} or when the time "
        "was up. Does apply_action change the state, does is_terminal see the end, is max_game_length right? "
        "check_game(game), or `ponderosa check`, looks; a playout's max_length ends it early"
    )


class Watch:
    """Breaks playouts off that are plain Python: when `late()` says so, or when they never end."""

    def __init__(self) -> None:
        self.late: Callable[[], bool] = in_time
        """Asked again and again while a playout runs."""
        self.hurried = 0
        """How many playouts were cut off because `late()` said so: it is no fault of the game."""
        self._moves = 0

    def over(self, rules: Rules) -> Rules:
        """The rules, with an apply_action that looks at the clock now and then."""
        play = rules.apply_action

        def apply_action(state: State, action: int) -> None:
            self._moves += 1
            if self._moves % LOOK == 0 and (self._moves >= MOST_TRIED or self._hurries()):
                raise TooLongError("a playout takes too long")
            play(state, action)

        return rules.with_another(f"{rules.__name__}_watched", apply_action=apply_action)

    def _hurries(self) -> bool:
        late = self.late()
        self.hurried += late
        return late

    def keeps(self, play: Play) -> Play:
        """A playout that is cut off in time."""

        def played(state: State, spare: States, actions: Actions, params: Params, rng: Rng, values: Values) -> int:
            self._moves = 0
            try:
                return play(state, spare, actions, params, rng, values)
            except TooLongError:
                return broken_off(params, values)

        return played


def in_time() -> bool:
    """Nobody is ever late."""
    return False
