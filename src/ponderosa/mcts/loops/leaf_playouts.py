"""Several playouts from one leaf, on as many threads. Start at side_by_side; mcts/parallel/leaf.py runs the search.

Playouts take microseconds, so nobody is woken for one: helpers look at a board of numbers until a leaf is laid down
there, and take one of its playouts after the other by atomic instructions; so does the thread of the loop, when it has
played its own. Whoever looks in vain for a while lets others run. All that they work with lies on the desk, the array
of states that playouts get: states to try things on, the board, the leaf, and some rows for every playout. Each playout
has random numbers of its own, so it does not matter who plays it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ponderosa.compile.atomics import add_to_item, exchange_item, pause
from ponderosa.core.rng import Rng, new_rng
from ponderosa.mcts.loops.workspace import Actions, Params, Play, State, Values
from ponderosa.system.starting import starting

SPARE_STATES = 3
BOARD, LEAF, OWN, FIRST = SPARE_STATES, SPARE_STATES + 1, SPARE_STATES + 2, SPARE_STATES + 3
"""Rows of the desk: the board, the leaf, the loop's own results, the first of those for helpers."""
ROWS = 2 + SPARE_STATES
"""Rows of a helper's playout: its results, with its random numbers at the end; its state; states to try things on."""
NEXT, DONE, OVER, ALL = range(4)
"""Places on the board: the next playout to take, how many are done, whether to go home, how many there are."""
LOOKS = 500
"""How often to look before others may run."""
LINE = 64
Desk = npt.NDArray[np.uint8]


def new_desk(state_bytes: int, players: int, helpers: int) -> Desk:
    """An empty desk; its rows are long enough for states, and for the results of all players."""
    longest = max(state_bytes, 8 * (players + 2), 8 * 4)
    desk = np.zeros((FIRST + ROWS * helpers, (longest + LINE - 1) // LINE * LINE), np.uint8)
    board = desk[BOARD].view(np.int64)
    board[NEXT] = board[ALL] = helpers
    return desk


def helping(play: Play, copy: Callable[..., Any]) -> Callable[[Desk, Actions, Params, Values], bool]:
    """A function `(desk, actions, params, values)` that takes a playout of the leaf; False: none is left."""

    def help_once(desk: Desk, actions: Actions, params: Params, values: Values) -> bool:
        board = desk[BOARD].view(np.int64)
        task = add_to_item(board, NEXT, 0)
        while task < board[ALL] and not exchange_item(board, NEXT, task, task + 1):
            task = add_to_item(board, NEXT, 0)
        if task >= board[ALL]:
            return False
        begin = FIRST + ROWS * task
        copy(desk[begin + 1], desk[LEAF])
        rng = desk[begin].view(np.uint64)[-1:]
        plies = play(desk[begin + 1], desk[begin + 2 : begin + ROWS], actions, params, rng, values)
        note(desk[begin].view(np.float64), values, plies)
        add_to_item(board, DONE, 1)
        return True

    return help_once


def note(results: Values, values: Values, plies: int) -> None:
    """Write down how a playout ended."""
    for player in range(len(values)):
        results[player] = values[player]
    results[len(values)] = plies


def serving(play: Play, copy: Callable[..., Any]) -> Callable[[Desk, Actions, Params, Values], None]:
    """What a helper's thread runs until it is sent home."""
    help_once = helping(play, copy)

    def serve(desk: Desk, actions: Actions, params: Params, values: Values) -> None:
        board, looks = desk[BOARD].view(np.int64), 0
        while add_to_item(board, OVER, 0) == 0:
            looks = 0 if help_once(desk, actions, params, values) else looks + 1
            if looks > LOOKS:
                pause()

    return serve


def side_by_side(play: Play, copy: Callable[..., Any]) -> Play:
    """A playout as the loop calls it: the mean of its own result and the helpers'."""
    help_once = helping(play, copy)

    def play_wide(state: State, desk: Desk, actions: Actions, params: Params, rng: Rng, values: Values) -> int:
        board, looks = desk[BOARD].view(np.int64), 0
        copy(desk[LEAF], state)
        board[DONE] = 0
        add_to_item(board, NEXT, -board[ALL])
        plies = play(state, desk, actions, params, rng, values)
        note(desk[OWN].view(np.float64), values, plies)
        while help_once(desk, actions, params, values):
            continue
        while add_to_item(board, DONE, 0) < board[ALL]:
            looks += 1
            if looks > LOOKS:
                pause()
        return gathered(desk, values)

    return play_wide


def gathered(desk: Desk, values: Values) -> int:
    """Fill in the mean of all results; returns the mean length."""
    own = desk[OWN].view(np.float64)
    helpers: int = desk[BOARD].view(np.int64)[ALL]
    plies = own[len(values)]
    for player in range(len(values)):
        values[player] = own[player]
    for helper in range(helpers):
        results = desk[FIRST + ROWS * helper].view(np.float64)
        plies += results[len(values)]
        for player in range(len(values)):
            values[player] += results[player]
    for player in range(len(values)):
        values[player] /= helpers + 1
    return int(plies) // (helpers + 1)


class Crew:
    """The helpers of a search, at work `with crew:`. Without `serve` there are none, and the loop plays all."""

    def __init__(
        self, desk: Desk, serve: Callable[..., Any] | None, params: Params, max_actions: int, players: int
    ) -> None:
        self._desk, self._serve, self._params = desk, serve, params
        self._board = desk[BOARD].view(np.int64)
        self.helpers = int(self._board[ALL])
        self._rooms = [(np.zeros(max_actions, np.int32), np.zeros(players)) for _ in range(self.helpers)]
        self._threads: list[threading.Thread] = []

    def seed(self, seeds: list[int]) -> None:
        """Give every playout beside the loop's own random numbers."""
        for helper, seed in enumerate(seeds):
            self.rng(helper)[:] = new_rng(seed)

    def rng(self, helper: int) -> Any:
        """The random numbers of one of the playouts."""
        return self._desk[FIRST + ROWS * helper].view(np.uint64)[-1:]

    def random_numbers(self) -> list[Any]:
        """Where the random numbers of all playouts stand."""
        return [self.rng(helper).copy() for helper in range(self.helpers)]

    def __enter__(self) -> Self:
        try:
            with starting(self.helpers):
                self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self) -> None:
        self._board[OVER] = 0
        for number, (actions, values) in enumerate(self._rooms if self._serve is not None else []):
            thread = threading.Thread(
                target=self._serve,
                args=(self._desk, actions, self._params, values),
                name=f"ponderosa-leaf-{number}",
                daemon=True,
            )
            thread.start()
            self._threads.append(thread)

    def __exit__(self, *error: object) -> None:
        self._board[OVER] = 1
        while self._threads:
            self._threads.pop().join()
