"""Turns that are more than one player's open move: dice, hidden things, choices at once. Start at applier_at_once.

The search knows one kind of turn: somebody, or chance, does one thing. So a turn at which all choose at once is played
as one choice after the other, and only the last one lets it happen; the choices so far wait behind the state's record,
where `conceal` takes them away from everybody.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Ints, Record, StateBytes, Values
from ponderosa.compile.yielding import FILLING, FILLING_PAIRS, ITEM, Consumer
from ponderosa.core.rng import Rng, uniform

CHANCE = -1
"""current_player when dice decide; OpenSpiel's number."""
SIMULTANEOUS = -2
"""current_player when all choose at once; OpenSpiel's number."""
TERMINAL = -4
"""current_player when the game is over; OpenSpiel's number."""

Operation = Callable[..., Any]
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


def bytes_of_state(dtype: np.dtype[Any], players: int, viewed: bool) -> int:
    """How long a state is: the record and, in games that are looked at from a seat, the choices that wait."""
    return pending_offset(dtype) + _rounded(4 * (players + 1)) if viewed else dtype.itemsize


def pending_offset(dtype: np.dtype[Any]) -> int:
    """Where the choices that wait for the others begin."""
    return _rounded(dtype.itemsize)


def _rounded(size: int) -> int:
    return (size + 7) // 8 * 8


def plain_pending(dtype: np.dtype[Any], players: int) -> Operation:
    """The choices that wait, one number a player, and behind them how many there are."""
    begin = pending_offset(dtype)

    def pending(state: StateBytes) -> Any:
        return state[begin : begin + 4 * (players + 1)].view(np.int32)

    return pending


def compiled_pending(dtype: np.dtype[Any], players: int) -> Operation:
    """The same, for machine code."""
    from ponderosa.compile.native import array_at, pointer

    begin, kind = pending_offset(dtype), np.int32

    def pending(state: StateBytes) -> Any:
        return array_at(pointer(state.ctypes.data + begin), players + 1, kind)

    return pending


def player_at_once(rule: Operation, record: Operation, pending: Operation, players: int) -> Operation:
    """Who is asked next: of those who choose at once, the first who has not yet chosen."""

    def current_player(state: StateBytes) -> Any:
        player = np.int64(rule(record(state)))
        return np.int64(pending(state)[players]) if player == SIMULTANEOUS else player

    return current_player


def applier_at_once(rules: dict[str, Operation], record: Operation, pending: Operation, players: int) -> Operation:
    """Take one choice; the last one lets the turn happen."""
    current, together = rules["current_player"], rules["apply_actions"]
    alone: Operation = rules.get("apply_action", _nothing)

    def apply_action(state: StateBytes, action: Int) -> None:
        s = record(state)
        if current(s) == SIMULTANEOUS:
            chosen = pending(state)
            chosen[chosen[players]] = action
            chosen[players] += 1
            if chosen[players] == players:
                together(s, chosen[:players])
                chosen[:] = 0
        else:
            alone(s, action)

    return apply_action


def _nothing(s: Record, a: Int) -> None:
    pass


def lister_of_player(rule: Operation, record: Operation) -> Operation:
    """legal_actions_of(state, player, actions), from either form of the author's rule."""
    if len(inspect.signature(rule).parameters) == 3:

        def filled(state: StateBytes, player: Int, actions: Actions) -> Any:
            return rule(record(state), player, actions)

        return filled

    def yielded(state: StateBytes, player: Int, actions: Actions) -> Any:
        count = 0
        for action in rule(record(state), player):
            if count < len(actions):
                actions[count] = action
            count += 1
        return count

    return yielded


def lister_at_once(current_player: Operation, of_player: Operation) -> Operation:
    """legal_actions(state, actions): those of whoever is asked next."""

    def legal_actions(state: StateBytes, actions: Actions) -> Any:
        return of_player(state, current_player(state), actions)

    return legal_actions


def drawer_at_once(rule: Operation, record: Operation, current_player: Operation) -> Operation:
    """random_action(state, rng, actions), from a rule that is told the player."""

    def random_action(state: StateBytes, rng: Rng, actions: Actions) -> Any:
        return rule(record(state), current_player(state), rng)

    return random_action


def with_dice(choice: Operation, current_player: Operation, chance_outcome: Operation) -> Operation:
    """A playout's move where dice may be to roll: then what they show."""

    def random_action(state: StateBytes, rng: Rng, actions: Actions) -> Any:
        if current_player(state) == CHANCE:
            return np.int64(chance_outcome(state, rng))
        return np.int64(choice(state, rng, actions))

    return random_action


def without_dice(finder: Operation, current_player: Operation) -> Operation:
    """No action wins while dice are to roll."""

    def winning_action(state: StateBytes, spare: StateBytes, actions: Actions, values: Values) -> Any:
        if current_player(state) < 0:
            return np.int64(-1)
        return np.int64(finder(state, spare, actions, values))

    return winning_action


ROLLING = Consumer(
    ("rng__",),
    "left__, last__ = uniform__(rng__), int64__(-1)",
    f"last__ = int64__({ITEM}[0])\nleft__ -= {ITEM}[1]\nif left__ < 0.0:\n    return last__",
    "return last__",
    {"uniform__": uniform, "int64__": np.int64},
)
"""Draws one of the outcomes that are yielded with their probabilities."""


def without_generators(rules: dict[str, Operation]) -> dict[str, Operation]:
    """The rules, with those that yield as functions that fill arrays, where their source is to be had.

    Machine code of a generator is larger, and graphics cards know none.
    """
    consumers = {"legal_actions": FILLING, "candidates": FILLING, "chance_outcomes": FILLING_PAIRS}
    written = {}
    for name, consumer in consumers.items():
        made = consumer.of(rules[name]) if name in rules and inspect.isgeneratorfunction(rules[name]) else None
        if made is not None:
            written[name] = made
            rolling = ROLLING.of(rules[name])
            if name == "chance_outcomes" and rolling is not None and "chance_outcome" not in rules:
                written["chance_outcome"] = rolling
    return rules | written


def chance_operations(rules: dict[str, Operation], record: Operation) -> Iterator[tuple[str, Operation]]:
    """What dice may show, with probabilities, and one roll of them."""
    listing = rules["chance_outcomes"]
    if len(inspect.signature(listing).parameters) == 3:

        def filled(state: StateBytes, outcomes: Actions, probabilities: Values) -> Any:
            return listing(record(state), outcomes, probabilities)

        yield "chance_outcomes", filled
    else:

        def yielded(state: StateBytes, outcomes: Actions, probabilities: Values) -> Any:
            count = 0
            for outcome, probability in listing(record(state)):
                if count < len(outcomes):
                    outcomes[count] = outcome
                    probabilities[count] = probability
                count += 1
            return count

        yield "chance_outcomes", yielded

    if "chance_outcome" in rules:
        sampler = rules["chance_outcome"]

        def drawn(state: StateBytes, rng: Rng) -> Any:
            return sampler(record(state), rng)

        yield "chance_outcome", drawn
    elif len(inspect.signature(listing).parameters) == 1:

        def rolled(state: StateBytes, rng: Rng) -> Any:
            left = uniform(rng)
            last = np.int64(-1)
            for outcome, probability in listing(record(state)):
                last = np.int64(outcome)
                left -= probability
                if left < 0.0:
                    break
            return last

        yield "chance_outcome", rolled


def no_outcomes(state: StateBytes, outcomes: Actions, probabilities: Values) -> Any:
    """The dice of a game without any."""
    return 0


def no_outcome(state: StateBytes, rng: Rng) -> Any:
    """A roll of the dice of a game without any."""
    return -1


def concealer(rule: Operation | None, record: Operation, pending: Operation) -> Operation:
    """conceal(state, player): only what the player sees is left, and nobody has chosen."""
    if rule is None:

        def at_once(state: StateBytes, player: Int) -> None:
            pending(state)[:] = 0

        return at_once

    def conceal(state: StateBytes, player: Int) -> None:
        rule(record(state), player)
        pending(state)[:] = 0

    return conceal


def determinizer(rule: Operation | None, record: Operation) -> Operation:
    """determinize(state, player, rng): fill in what the player does not see."""
    if rule is None:

        def as_it_is(state: StateBytes, player: Int, rng: Rng) -> None:
            pass

        return as_it_is

    def determinize(state: StateBytes, player: Int, rng: Rng) -> None:
        rule(record(state), player, rng)

    return determinize


def viewer(copy: Operation, conceal: Operation, size: int, scratch: Ints) -> Operation:
    """look(state, player, spare): a number that the states share which the player cannot tell apart.

    `size` is how long a state is; `scratch` says where it has bytes that only make the rules fast: beginnings and ends.
    Two sums of 32 bits, each multiplied so that nothing overflows.
    """
    count = size // 4  # what lies behind the state is no part of it

    def look(state: StateBytes, player: Int, spare: StateBytes) -> Any:
        copy(spare, state)
        conceal(spare, player)
        for span in range(len(scratch)):
            spare[scratch[span, 0] : scratch[span, 1]] = 0
        words = spare.view(np.uint32)
        one, other = np.uint64(0x9E3779B9), np.uint64(0x85EBCA6B) + np.uint64(player)
        for index in range(count):
            word = np.uint64(words[index])
            one = ((one ^ word) + np.uint64(1)) * np.uint64(0xCC9E2D51)
            one = (one ^ (one >> HALF)) & LOW
            other = ((other ^ word) + np.uint64(7)) * np.uint64(0x1B873593)
            other = (other ^ (other >> HALF)) & LOW
        return np.int64((one << np.uint64(31)) ^ other)

    return look


def spans_of(dtype: np.dtype[Any], names: tuple[str, ...]) -> Any:
    """Where the fields of these names begin and end, a row each."""
    fields: Any = dtype.fields
    spans = [(fields[name][1], fields[name][1] + fields[name][0].itemsize) for name in names]
    return np.array(spans, np.int64).reshape(-1, 2)
