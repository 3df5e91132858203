"""What alpha-beta needs of a game and the game may not say: an order of moves, a key of positions. Start at priors_of.

Each is compiled for one game, with its rules called directly, and only when alpha-beta asks for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, StateBytes, Values
from ponderosa.compile.enabled import jit_enabled
from ponderosa.compile.record_view import View, record_view
from ponderosa.core.game import Game
from ponderosa.core.rng import HALF, LOW_HALF, MULTIPLIER
from ponderosa.core.rules import Operation, Rules


def priors_of(game: Game) -> Any:
    """priors(state, spare, actions, count, values, weights): by the rule `prior`, else by successors."""
    own = game.own_rules()
    return _compiled(
        _priors_by_rule(own["prior"], _record(game)) if "prior" in own else priors_by_value(game.rules), "priors", game
    )


def key_of(game: Game) -> Any:
    """key(state): by the rule `key`, else a hash of the fields that tell positions apart."""
    own = game.own_rules()
    return _compiled(_key_by_rule(own["key"], _record(game)) if "key" in own else _key_by_hash(game), "key", game)


def evaluate_of(game: Game) -> Any:
    """evaluate(state, values): the game's own, else a draw everywhere."""
    return game.rules.evaluate if hasattr(game.rules, "evaluate") else _compiled(an_even_game, "evaluate", game)


def ordering_signatures() -> dict[str, Any]:
    """The compiled signatures of what is here."""
    from ponderosa.compile.native import ACTIONS, INT, STATE, VALUES, VOID

    return {
        "priors": VOID(STATE, STATE, ACTIONS, INT, VALUES, VALUES),
        "key": INT(STATE),
        "evaluate": VOID(STATE, VALUES),
    }


def _compiled(function: Operation, name: str, game: Game) -> Any:
    if not jit_enabled():
        return function
    from ponderosa.compile import native

    return native.compiled(function, ordering_signatures()[name], scope=str(game.dtype))


def _record(game: Game) -> Any:
    """The function that sees the bytes of a state as a record."""
    assert game.dtype is not None
    return record_view(np.dtype(game.dtype), jit_enabled())


def an_even_game(state: StateBytes, values: Values) -> None:
    values[0] = values[1] = 0.5


def _priors_by_rule(rule: Operation, record: View) -> Any:
    def priors(
        state: StateBytes, spare: StateBytes, actions: Actions, count: Int, values: Values, weights: Values
    ) -> None:
        s = record(state)
        for index in range(count):
            weights[index] = rule(s, actions[index])

    return priors


def _key_by_rule(rule: Operation, record: View) -> Any:
    def key(state: StateBytes) -> Any:
        return rule(record(state))

    return key


def priors_by_value(rules: Rules) -> Any:
    """Rank moves by what their successors are worth to the mover; finished games count twice."""
    copy, apply_action, is_terminal = rules.copy, rules.apply_action, rules.is_terminal
    current_player, scores, evaluate = rules.current_player, rules.scores, getattr(rules, "evaluate", an_even_game)

    def priors(
        state: StateBytes, spare: StateBytes, actions: Actions, count: Int, values: Values, weights: Values
    ) -> None:
        player = current_player(state)
        for index in range(count):
            copy(spare, state)
            apply_action(spare, actions[index])
            if is_terminal(spare):
                scores(spare, values)
                weights[index] = 2.0 * (values[player] - 0.5)
            else:
                evaluate(spare, values)
                weights[index] = values[player] - 0.5

    return priors


def _key_by_hash(game: Game) -> Any:
    """Multiply-with-carry over the bytes that are not scratch, four at a time: no step overflows 64 bits."""
    assert game.dtype is not None and game.dtype.fields is not None
    fields = [
        (field[1], field[1] + field[0].itemsize)
        for name, field in game.dtype.fields.items()
        if name not in game.scratch
    ]
    spans = np.array(sorted(fields), dtype=np.int64)

    def key(state: StateBytes) -> Any:
        mixed = np.uint64(1)
        for span in range(len(spans)):
            place, end = spans[span, 0], spans[span, 1]
            while place < end:
                word = np.uint64(0)
                for index in range(min(4, end - place)):
                    word = (word << EIGHT) | np.uint64(state[place + index])
                mixed = MULTIPLIER * ((mixed ^ word) & LOW_HALF) + (mixed >> HALF)
                place += 4
        for _ in range(4):
            mixed = MULTIPLIER * (mixed & LOW_HALF) + (mixed >> HALF)
        return np.int64(mixed >> ONE)

    return key


ONE, EIGHT = np.uint64(1), np.uint64(8)
