"""Many games at once: moves played, dice rolled, results taken and new games begun, in compiled code. Start at Tables.

Whoever chooses the moves does so between two calls of `play`; a game that ends gives its place to a new one at once, so
that all places are always taken.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ponderosa.core.game import Game
from ponderosa.core.rng import MULTIPLIER, Rng, uniform
from ponderosa.core.rules import jit_enabled, signatures
from ponderosa.core.turns import CHANCE
from ponderosa.errors import GameError
from ponderosa.learning.pieces import in_pieces

PIECE = 1024
"""So many games are gone on with by a core before it takes others."""
ATTEMPTS = 100
"""How often a random opening is drawn again that ends the game; after that, the game begins without one."""


class Operations(NamedTuple):
    """What a turn calls of a game; core/rules.py says what they do."""

    copy: Any
    current_player: Any
    apply_action: Any
    is_terminal: Any
    scores: Any
    random_action: Any
    """Draws an action, and where chance decides an outcome."""


class Rows(NamedTuple):
    """The games, a row each."""

    states: Any
    rng: Any
    lengths: Any
    """How many moves each has had, dice and the opening included."""
    chosen: Any
    """The action to play."""
    movers: Any
    """Who is to move."""
    over: Any
    """1: the last turn ended a game, and a new one has begun."""
    results: Any
    """What each player of the game that ended got, from 0 to 1."""
    first: Any
    """The state at the start of every game."""
    actions: Any
    """Room for the legal actions of a state."""


class Tables:
    """So many games of one kind, at each of which somebody is to move."""

    def __init__(self, game: Game, count: int, openings: float = 0.0) -> None:
        """`openings`: games begin with up to this many random moves, most of them with few."""
        self.game = game
        self._openings = float(openings)
        self._longest = game.longest
        self.rows = _new_rows(game, count)
        self._pieces = [_piece(self.rows, begin, game.max_actions) for begin in range(0, count, PIECE)]
        self._turn = _compiled_turn() if jit_enabled() else turn
        self._operations = _operations(game)

    def begin(self, seed: list[int]) -> None:
        """Begin all games anew."""
        self.seed(seed)
        self.rows.chosen[:] = -1
        self._run()

    def seed(self, seed: list[int]) -> None:
        """Let all that is random from here on follow from these numbers."""
        self.rows.rng[:, 0] = words(seed, len(self))

    def play(self, actions: npt.NDArray[np.int32]) -> None:
        """Play an action in each game, and whatever dice decide until somebody is to move."""
        self.rows.chosen[:] = actions
        self._run()

    def _run(self) -> None:
        in_pieces(
            lambda begin, end: self._turn(
                self._pieces[begin // PIECE], self._operations, self._openings, self._longest
            ),
            len(self),
            PIECE,
        )
        if np.isnan(self.rows.results).any():
            raise GameError(f"{self.game.title()} has ended with results that are not in its range")

    @property
    def records(self) -> npt.NDArray[Any]:
        """The states of all games, as an array of records: a view, which the next move changes."""
        view: npt.NDArray[Any] = self.rows.states.view(self.game.dtype).reshape(len(self))
        return view

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Where the last move ended a game."""
        return np.array(self.rows.over == 1)

    @property
    def results(self) -> npt.NDArray[np.float64]:
        """What each player got there, from 0 to 1."""
        return np.array(self.rows.results)

    def __len__(self) -> int:
        return len(self.rows.states)


def words(seed: list[int], count: int) -> npt.NDArray[np.uint64]:
    """States of the project's generator, as many as are wanted, that follow from some numbers."""
    draws = np.random.default_rng(seed)
    low = draws.integers(1, 2**32, count, dtype=np.uint64)
    carry = draws.integers(0, int(MULTIPLIER) - 1, count, dtype=np.uint64)
    return (carry << np.uint64(32)) | low


def turn(rows: Rows, game: Operations, openings: float, longest: int) -> None:
    """Play what was chosen in every game; -1 begins it anew."""
    for row in range(len(rows.states)):
        state, rng = rows.states[row], rows.rng[row]
        if rows.chosen[row] >= 0:
            game.apply_action(state, rows.chosen[row])
            rows.lengths[row] = roll_on(state, rng, rows.lengths[row] + 1, rows, game, longest)
            rows.over[row] = take_results(row, rows, game, longest)
        if rows.chosen[row] < 0 or rows.over[row] == 1:
            begin(row, rows, game, openings, longest)
        rows.movers[row] = game.current_player(state)


def take_results(row: int, rows: Rows, game: Operations, longest: int) -> int:
    """1 if the game has ended, with its results: one that is too long is a draw, and for one player worth nothing."""
    if game.is_terminal(rows.states[row]):
        game.scores(rows.states[row], rows.results[row])
        return 1
    if rows.lengths[row] < longest:
        return 0
    rows.results[row, :] = 0.5 if rows.results.shape[1] > 1 else 0.0
    return 1


def begin(row: int, rows: Rows, game: Operations, openings: float, longest: int) -> None:
    """Begin a game with some random moves, few of them more often than many."""
    state, rng = rows.states[row], rows.rng[row]
    for attempt in range(ATTEMPTS):
        plies = int(openings * uniform(rng) ** 2 + uniform(rng)) if attempt + 1 < ATTEMPTS else 0
        game.copy(state, rows.first)
        length = roll_on(state, rng, 0, rows, game, longest)
        for _ in range(plies):
            if game.is_terminal(state) or length >= longest:
                break
            game.apply_action(state, game.random_action(state, rng, rows.actions))
            length = roll_on(state, rng, length + 1, rows, game, longest)
        rows.lengths[row] = length
        if not game.is_terminal(state) and length < longest:
            return


def roll_on(state: Any, rng: Rng, length: int, rows: Rows, game: Operations, longest: int) -> int:
    """Let chance decide for as long as nobody else is to move; returns the length of the game then."""
    while length < longest and not game.is_terminal(state) and game.current_player(state) == CHANCE:
        game.apply_action(state, game.random_action(state, rng, rows.actions))
        length += 1
    return length


def _new_rows(game: Game, count: int) -> Rows:
    start: Any = game.new_initial_state().clone()
    game.prepare_for_search(start.record)
    size = len(start.data)
    return Rows(
        states=np.zeros((count, size), np.uint8),
        rng=np.zeros((count, 1), np.uint64),
        lengths=np.zeros(count, np.int64),
        chosen=np.zeros(count, np.int32),
        movers=np.zeros(count, np.int32),
        over=np.zeros(count, np.int32),
        results=np.zeros((count, game.players)),
        first=np.array(start.data, np.uint8),
        actions=np.zeros(game.max_actions, np.int32),
    )


def _piece(rows: Rows, begin: int, most: int) -> Rows:
    """Some of the games, with room of their own."""
    named = {name: getattr(rows, name)[begin : begin + PIECE] for name in Rows._fields[:-2]}
    return Rows(**named, first=rows.first, actions=np.zeros(most, np.int32))


def _operations(game: Game) -> Operations:
    """The rules that a turn calls: as addresses of machine code, or as they are."""
    rules = game.rules
    plain = Operations(*(getattr(rules, name) for name in Operations._fields))
    if not jit_enabled():
        return plain
    from ponderosa.compile import native

    return native.addressed(plain, signatures())


@functools.cache
def _compiled_turn() -> Any:
    """A turn as machine code: one for all games."""
    from ponderosa.compile import native
    from ponderosa.compile.native import (
        ACTIONS,
        FLOAT,
        FLOAT_ROWS,
        INT,
        INTS,
        PLACES,
        STATE,
        STATES,
        VOID,
        WORDS,
        named_type,
    )

    kinds = {name: signatures()[name] for name in Operations._fields}
    play, game_at = turn, native.functions_at(kinds)

    def turn_at(rows: Rows, game: Operations, openings: float, longest: int) -> None:
        play(rows, game_at(game), openings, longest)

    rows = {
        "states": STATES,
        "rng": WORDS,
        "lengths": INTS,
        "chosen": PLACES,
        "movers": PLACES,
        "over": PLACES,
        "results": FLOAT_ROWS,
        "first": STATE,
        "actions": ACTIONS,
    }
    addresses = named_type(Operations, dict.fromkeys(Operations._fields, INT))
    return native.compiled(turn_at, VOID(named_type(Rows, rows), addresses, FLOAT, INT), error_model="numpy")
