"""A game as alpha-beta plays it: compiled, or as plain Python. Start at ground_of."""

from __future__ import annotations

import functools
import random
from typing import Any, Protocol

import numpy as np

from ponderosa.alphabeta import alphabeta as ab
from ponderosa.core.checks.rehearsal import FURTHER, hunted, rehearse_once
from ponderosa.core.game import Game
from ponderosa.core.ordering import an_even_game, evaluate_of, key_of, ordering_signatures, priors_by_value, priors_of
from ponderosa.core.plain import ActionTable, Box, PlainGame, plain_rules
from ponderosa.core.rules import jit_enabled, signatures
from ponderosa.errors import GameError

MOST_PLAIN_ACTIONS = 4096


class Ground(Protocol):
    """What alpha-beta needs of a game."""

    rules: ab.Game
    ranks_cheaply: bool
    """Whether the game has an order of its own for its moves."""
    max_actions: int

    def new_states(self, count: int) -> Any:
        """Places for `count` states."""

    def put(self, states: Any, state: Any) -> None:
        """Make the first place a copy of a state."""

    def key(self, state: Any) -> int:
        """The number by which the table knows a state."""

    def action(self, number: int) -> Any:
        """The action that a number stands for."""

    def search_on(self, nodes: int, room: ab.Room, counters: Any) -> int:
        """Run alphabeta.search_on."""

    def blamed(self, root: Any, words: str) -> GameError:
        """The error that says what is wrong with the game; the search began at the root."""


def ground_of(game: Game) -> Ground:
    """The game, at the speed that it allows."""
    return PlainGround(game) if game.dtype is None else RecordGround(game)


class RecordGround:
    """Games with a dtype."""

    def __init__(self, game: Game) -> None:
        rehearse_once(game)
        own = {"evaluate": evaluate_of(game), "priors": priors_of(game), "key": key_of(game)}
        self.game = game
        self.rules = ab.Game(*(own.get(name) or getattr(game.rules, name) for name in ab.Game._fields))
        self.ranks_cheaply = "prior" in game.own_rules()
        self.max_actions = game.max_actions
        self._compiled = _compiled_search() if jit_enabled() else None
        self._addresses = _addresses(self.rules) if jit_enabled() else None

    def new_states(self, count: int) -> Any:
        assert self.game.dtype is not None
        return np.zeros((count, self.game.dtype.itemsize), np.uint8)

    def put(self, states: Any, state: Any) -> None:
        searched = state.clone()
        self.game.prepare_for_search(searched.record)
        states[0] = searched.data

    def key(self, state: Any) -> int:
        return int(self.rules.key(state.data))

    def action(self, number: int) -> int:
        return number

    def search_on(self, nodes: int, room: ab.Room, counters: Any) -> int:
        if self._compiled is None:
            return int(ab.search_on(nodes, self.rules, room, counters))
        return int(self._compiled(nodes, self._addresses, *room, counters))

    def blamed(self, root: Any, words: str) -> GameError:
        return hunted(self.game, root.data, words)


class PlainGround:
    """Games without a dtype: everything runs as Python."""

    def __init__(self, game: Game) -> None:
        self._table = ActionTable()
        plain = PlainGame(game.new_initial_state())
        rules: Any = plain_rules(plain, self._table, random.Random(0))
        rules.evaluate = _plain_evaluate(game, plain)
        own = {"priors": priors_by_value(rules), "key": lambda box: self.key(box.state)}
        self.rules = ab.Game(*(own.get(name) or getattr(rules, name) for name in ab.Game._fields))
        self.ranks_cheaply = False
        self.max_actions = min(game.max_actions, MOST_PLAIN_ACTIONS)

    def new_states(self, count: int) -> Any:
        return [Box() for _ in range(count)]

    def put(self, states: Any, state: Any) -> None:
        states[0].state = state.clone()

    def key(self, state: Any) -> int:
        return hash(state) >> 1

    def action(self, number: int) -> Any:
        return self._table.actions[number]

    def search_on(self, nodes: int, room: ab.Room, counters: Any) -> int:
        return int(ab.search_on(nodes, self.rules, room, counters))

    def blamed(self, root: Any, words: str) -> GameError:
        return GameError(f"{words}; {FURTHER}")


def _plain_evaluate(game: Game, plain: PlainGame) -> Any:
    """The static value of a boxed state; a draw everywhere if the game has none."""
    rule = game.own_rules().get("evaluate")
    if rule is None:
        return an_even_game

    def evaluate(box: Box, values: Any) -> None:
        for player, value in enumerate(rule(box.state.record)):
            values[player] = (value - plain.low) / (plain.high - plain.low)

    return evaluate


def _addresses(rules: ab.Game) -> Any:
    from ponderosa.compile import native

    known = signatures() | ordering_signatures()
    found = [native.address(getattr(rules, name), known[name]) for name in ab.Game._fields]
    return np.array(found, dtype=np.int64)


@functools.cache
def _compiled_search() -> Any:
    """The search as machine code: once for all games, whose rules it gets as addresses."""
    from ponderosa.compile import native
    from ponderosa.compile.native import ACTION_ROWS, ACTIONS, INT, INTS, STATES, VALUES, records

    known = signatures() | ordering_signatures()
    copy_at, player_at, candidates_at = (native.function_at(known[n]) for n in ("copy", "current_player", "candidates"))
    apply_at, terminal_at, scores_at = (native.function_at(known[n]) for n in ("apply_action", "is_terminal", "scores"))
    evaluate_at, priors_at, key_at = (native.function_at(known[n]) for n in ("evaluate", "priors", "key"))
    Game, Room, search_on = ab.Game, ab.Room, ab.search_on

    def search_at(
        nodes: Any, at: Any,
        frames: Any, states: Any, moves: Any, killers: Any, actions: Any, weights: Any, values: Any, table: Any,
        root_values: Any, root_nodes: Any, counters: Any,
    ) -> Any:  # fmt: skip
        game = Game(
            copy_at(at[0]), player_at(at[1]), candidates_at(at[2]), apply_at(at[3]), terminal_at(at[4]),
            scores_at(at[5]), evaluate_at(at[6]), priors_at(at[7]), key_at(at[8]),
        )  # fmt: skip
        room = Room(frames, states, moves, killers, actions, weights, values, table, root_values, root_nodes)
        return search_on(nodes, game, room, counters)

    signature = INT(
        INT, INTS, records(ab.FRAME), STATES, ACTION_ROWS, ACTION_ROWS, ACTIONS, VALUES, VALUES,
        records(ab.ENTRY), INTS, INTS, INTS,
    )  # fmt: skip
    return native.compiled(search_at, signature, inline=True, error_model="numpy", _nrt=False)
