"""A game as alpha-beta plays it: compiled, or as plain Python. Start at operations_of."""

from __future__ import annotations

import functools
import random
from typing import Any, Protocol

import numpy as np

from ponderosa.alphabeta import alphabeta as ab
from ponderosa.compile.annotations import Int, Ints, Values
from ponderosa.core.checks.rehearsal import FURTHER, hunted, rehearse_once
from ponderosa.core.game import Game
from ponderosa.core.ordering import an_even_game, evaluate_of, key_of, ordering_signatures, priors_by_value, priors_of
from ponderosa.core.plain import ActionTable, Box, PlainGame, plain_rules
from ponderosa.core.rules import jit_enabled, nothing_noisy, signatures
from ponderosa.errors import GameError

MOST_PLAIN_ACTIONS = 4096


class Operations(Protocol):
    """What alpha-beta needs of a game."""

    rules: ab.Game
    ranks_cheaply: bool
    """Whether the game has an order of its own for its moves."""
    knows_noise: bool
    """Whether the game says after which moves a static value counts."""
    max_actions: int

    def new_states(self, count: int) -> Any:
        """Places for `count` states."""

    def put(self, states: Any, state: Any) -> None:
        """Make the first place a copy of a state."""

    def key(self, state: Any) -> int:
        """The number by which the table knows a state."""

    def action(self, number: int) -> Any:
        """The action that a number stands for."""

    def search_on(self, nodes: int, room: ab.Room, counters: Ints) -> int:
        """Run alphabeta.search_on."""

    def blamed(self, root: Any, words: str) -> GameError:
        """The error that says what is wrong with the game; the search began at the root."""


def operations_of(game: Game) -> Operations:
    """The game, at the speed that it allows."""
    return PlainOperations(game) if game.dtype is None else RecordOperations(game)


class RecordOperations:
    """Games with a dtype."""

    def __init__(self, game: Game) -> None:
        rehearse_once(game)
        own = {"evaluate": evaluate_of(game), "priors": priors_of(game), "key": key_of(game)}
        self.game = game
        self.rules = ab.Game(*(own.get(name) or getattr(game.rules, name) for name in ab.Game._fields))
        self.ranks_cheaply = "prior" in game.own_rules()
        self.knows_noise = "noisy" in game.own_rules()
        self.max_actions = game.max_actions
        self._compiled = _compiled_search() if jit_enabled() else None
        self._game = _addressed(self.rules) if jit_enabled() else self.rules

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

    def search_on(self, nodes: int, room: ab.Room, counters: Ints) -> int:
        if self._compiled is None:
            return int(ab.search_on(nodes, self.rules, room, counters))
        return int(self._compiled(nodes, self._game, room, counters))

    def blamed(self, root: Any, words: str) -> GameError:
        return hunted(self.game, root.data, words)


class PlainOperations:
    """Games without a dtype: everything runs as Python."""

    def __init__(self, game: Game) -> None:
        self._table = ActionTable()
        plain = PlainGame(game.new_initial_state())
        rules: Any = plain_rules(plain, self._table, random.Random(0))
        rules.evaluate, rules.noisy = _plain_evaluate(game, plain), nothing_noisy
        own = {"priors": priors_by_value(rules), "key": lambda box: self.key(box.state)}
        self.rules = ab.Game(*(own.get(name) or getattr(rules, name) for name in ab.Game._fields))
        self.ranks_cheaply = self.knows_noise = False
        self.max_actions = min(game.max_actions, MOST_PLAIN_ACTIONS)

    def new_states(self, count: int) -> Any:
        return [Box() for _ in range(count)]

    def put(self, states: Any, state: Any) -> None:
        states[0].state = state.clone()

    def key(self, state: Any) -> int:
        return hash(state) >> 1

    def action(self, number: int) -> Any:
        return self._table.actions[number]

    def search_on(self, nodes: int, room: ab.Room, counters: Ints) -> int:
        return int(ab.search_on(nodes, self.rules, room, counters))

    def blamed(self, root: Any, words: str) -> GameError:
        return GameError(f"{words}; {FURTHER}")


def _plain_evaluate(game: Game, plain: PlainGame) -> Any:
    """The static value of a boxed state; a draw everywhere if the game has none."""
    rule = game.own_rules().get("evaluate")
    if rule is None:
        return an_even_game

    def evaluate(box: Box, values: Values) -> None:
        for player, value in enumerate(rule(box.state.record)):
            values[player] = (value - plain.low) / (plain.high - plain.low)

    return evaluate


@functools.cache
def _compiled_search() -> Any:
    """The search as machine code: once for all games, whose rules it gets as addresses."""
    from ponderosa.compile import native
    from ponderosa.compile.native import ACTION_ROWS, ACTIONS, INT, INTS, STATES, VALUES, records

    search_on, game_at = ab.search_on, native.functions_at(_signatures())

    def search_at(nodes: Int, game: ab.Game, room: ab.Room, counters: Ints) -> Any:
        return search_on(nodes, game_at(game), room, counters)

    room = {
        "frames": records(ab.FRAME),
        "states": STATES,
        "moves": ACTION_ROWS,
        "killers": ACTION_ROWS,
        "actions": ACTIONS,
        "weights": VALUES,
        "values": VALUES,
        "table": records(ab.ENTRY),
        "root_values": INTS,
        "root_nodes": INTS,
    }
    addresses = native.named_type(ab.Game, dict.fromkeys(ab.Game._fields, INT))
    signature = INT(INT, addresses, native.named_type(ab.Room, room), INTS)
    return native.compiled(search_at, signature, inline=True, error_model="numpy", _nrt=False)


def _signatures() -> dict[str, Any]:
    """The compiled signatures of the operations that the search calls."""
    found = signatures() | ordering_signatures()
    return {name: found[name] for name in ab.Game._fields}


def _addressed(rules: ab.Game) -> ab.Game:
    from ponderosa.compile import native

    return native.addressed(rules, _signatures())
