"""The rules of one game as the search calls them, compiled or plain. Start at Rules.

A game's author writes rules about a state record: `legal_actions(s)`. The search holds a state as a block of bytes and
knows no game, so each rule is wrapped into an operation of fixed signature. The same wrappers serve both speeds.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record, StateBytes, Values
from ponderosa.compile.enabled import Speed
from ponderosa.compile.enabled import jit_enabled as jit_enabled
from ponderosa.compile.fingerprint import OFFERED, fingerprint
from ponderosa.compile.record_view import record_view
from ponderosa.core import bounds as core_bounds
from ponderosa.core import fields_seen, turns
from ponderosa.core.bounds import UNPROVEN, bounds_of_results
from ponderosa.core.rng import Rng, below
from ponderosa.core.turns import (
    applier_at_once,
    bytes_of_state,
    chance_operations,
    compiled_pending,
    concealer,
    determinizer,
    drawer_at_once,
    lister_at_once,
    lister_of_player,
    no_outcome,
    no_outcomes,
    plain_pending,
    player_at_once,
    spans_of,
    viewer,
    with_dice,
    without_dice,
    without_generators,
)

TOLERANCE = 1e-9
"""How far a result may be outside the declared range: no farther than rounding takes it."""
EVERY_PLY = ("apply_action", "is_terminal", "random_action")
"""What a playout does at every ply: inlined into it."""

RETURNING = ("returns", "evaluate")
"""Rules that return a number for each player: a tuple, or an array."""

Operation = Callable[..., Any]


class Rules(types.ModuleType):
    """The operations of a game on states, by name; phases see it as `game`.

    A module, because compiled code may look names up in a module and gets direct calls.

    copy(target, source)                      target becomes equal to source
    current_player(state)                     whose turn it is
    legal_actions(state, actions)             fills the array, returns how many
    candidates(state, actions)                the same, for the tree; a negative number says that some were left out
    apply_action(state, action)               changes the state
    is_terminal(state)
    scores(state, values)                     fills in the returns of a finished game, rescaled to [0, 1]
    evaluate(state, values)                   fills in a static value a player, rescaled to [0, 1]
    bounds(state)                             what is certain for the player to move, as core/bounds.py writes it
    random_action(state, rng, actions)        a random legal action; actions is scratch space
    playout_action(state, rng, actions)       the game's informed playout move, else a random one
    winning_action(state, spare, actions, values)   an action that wins at once, or -1; the rest is scratch space
    noisy(state, actions)                     fills in the actions after which alone a static value counts, returns how
                                              many; a negative number: these are all, as something must be done at once
    prior(state, action, spare, values)       how promising an action is: by the game's rule, or by what it leads to
    observe(state, planes)                    fills in what the player to move sees; core/observation.py says how

    With chance, current_player may be CHANCE, actions are then outcomes, and a random action is a roll of the dice:
    chance_outcomes(state, outcomes, probabilities)   fills both arrays, returns how many
    chance_outcome(state, rng)                one of them, by its probability

    In games that are looked at from a seat, with hidden things or choices at once:
    legal_actions_of(state, player, actions)  what a player may choose when all choose at once
    conceal(state, player)                    erases what the player does not see
    determinize(state, player, rng)           draws what the player does not see
    look(state, player, spare)                a number for all that the player sees

    What few searches call (evaluate, noisy, prior, winning_action, observe) is compiled when somebody asks for it.
    """

    copy: Operation
    current_player: Operation
    legal_actions: Operation
    candidates: Operation
    apply_action: Operation
    is_terminal: Operation
    scores: Operation
    evaluate: Operation
    bounds: Operation
    random_action: Operation
    playout_action: Operation
    winning_action: Operation
    noisy: Operation
    prior: Operation
    observe: Operation
    chance_outcomes: Operation
    chance_outcome: Operation
    legal_actions_of: Operation
    conceal: Operation
    determinize: Operation
    look: Operation

    def offer(self, operation: str, make: Callable[[], Operation]) -> None:
        """Have an operation that is made when it is needed."""
        vars(self).setdefault(OFFERED, {})[operation] = make

    def __getattr__(self, name: str) -> Any:
        make = vars(self).get(OFFERED, {}).get(name)
        if make is None:
            raise AttributeError(f"the game has no rule {name!r}")
        setattr(self, name, make())
        return vars(self)[name]

    def with_another(self, name: str, **operations: Operation) -> Rules:
        """These rules under another name, with other operations in the place of some."""
        copy = Rules(name)
        for operation, function in vars(self).items():
            if not operation.startswith("__"):
                setattr(copy, operation, function)
        for operation in vars(self).get(OFFERED, {}):
            copy.offer(operation, functools.partial(getattr, self, operation))
        for operation, function in operations.items():
            setattr(copy, operation, function)
        return copy


def build_rules(rules: dict[str, Operation], facts: Facts, speed: Speed) -> Rules:
    """Wrap a game's rules; each is compiled on its own, and an error names it."""
    if speed != "plain":
        rules = without_generators(rules)
    # the mark becomes a part of the names of machine code symbols: games of the same rules share them
    kinds = (facts.chance, facts.hidden, facts.simultaneous, facts.scratch, facts.bounded, facts.observed_flat)
    wrapped_by = (
        sys.modules[__name__],
        turns,
        core_bounds,
        fields_seen,
    )  # what is offered is not part of a fingerprint: its name says it all
    numbers = (facts.players, facts.low, 0.0 if facts.by_start else facts.scale)
    facts_mark = fingerprint((*rules, *rules.values(), facts.dtype, numbers, kinds, wrapped_by))
    if speed == "cuda":
        rules |= {name: returning_arrays(rules[name]) for name in RETURNING if name in rules}
    operations = Rules(f"rules_{facts_mark}")
    record = record_view(facts.dtype, speed)
    pending = (compiled_pending if speed == "native" else plain_pending)(facts.dtype, facts.players)
    made = functools.partial(_made, speed, str(facts.dtype))
    operations.copy = made("copy", functools.partial(_itself, copy_words if speed == "cuda" else copy))
    for operation, wrapper in _wrappers(rules, facts, record, pending, operations):
        setattr(operations, operation, made(operation, functools.partial(_itself, wrapper)))
    for operation, make in _offers(rules, facts, record, operations, speed):
        operations.offer(operation, functools.partial(made, operation, make))
    return operations


def returning_arrays(rule: Operation) -> Operation:
    """A rule for cards, which may return an array of the record."""
    from ponderosa.compile.cuda_code import device_function

    made: Operation = device_function(rule, inline="always")
    return made


def _made(speed: Speed, scope: str, operation: str, make: Callable[[], Operation]) -> Operation:
    """An operation at one of the speeds."""
    return _compile(operation, make(), scope) if speed == "native" else at_speed(make(), operation, speed)


def _itself(wrapper: Operation) -> Operation:
    return wrapper


def at_speed(function: Operation, operation: str, speed: Speed) -> Operation:
    """A function in the place of an operation, at one of the speeds."""
    if speed == "plain":
        return function
    made: Operation
    if speed == "native":
        from ponderosa.compile import native

        made = native.compiled(function, signatures()[operation], forceinline=True)
    else:
        from ponderosa.compile.cuda_code import device_function

        made = device_function(function)
    return made


class Facts:
    """What the wrappers must know of a game."""

    def __init__(
        self,
        dtype: np.dtype[Any],
        players: int,
        low: float,
        high: float,
        chance: bool = False,
        hidden: bool = False,
        simultaneous: bool = False,
        scratch: tuple[str, ...] = (),
        observation_shape: tuple[int, ...] | None = None,
    ) -> None:
        self.dtype = dtype
        self.players = players
        self.bounded = bool(np.isfinite(low) and np.isfinite(high))
        self.low = low if self.bounded else 0.0  # a score without bounds stays as it is
        self.scale = 1.0 / (high - low) if self.bounded else 1.0
        self.by_start = "max_utility" in (dtype.names or ())  # each state knows the most that its start allows
        self.chance, self.hidden, self.simultaneous, self.scratch = chance, hidden, simultaneous, scratch
        self.viewed = hidden or simultaneous
        self.observed_flat = observation_shape is not None and len(observation_shape) == 1
        self.size = bytes_of_state(dtype, players, self.viewed)


def _wrappers(rules: dict[str, Operation], facts: Facts, record: Operation, pending: Operation, game: Rules) -> Any:
    """Each operation's name and wrapper, in an order in which later ones may call earlier ones."""
    yield "is_terminal", _reader(rules["is_terminal"], record, "is_terminal")
    if facts.simultaneous:
        yield "current_player", player_at_once(rules["current_player"], record, pending, facts.players)
        yield "apply_action", applier_at_once(rules, record, pending, facts.players)
        yield "legal_actions_of", lister_of_player(rules["legal_actions"], record)
        yield "legal_actions", lister_at_once(game.current_player, game.legal_actions_of)
    else:
        yield "current_player", _reader(rules["current_player"], record, "current_player")
        yield "apply_action", _applier(rules["apply_action"], record)
        yield "legal_actions", _lister(rules["legal_actions"], record)
    yield "candidates", _lister(rules["candidates"], record) if "candidates" in rules else game.legal_actions
    yield "scores", _scorer(rules["returns"], record, facts, _within if facts.bounded else _as_it_is)
    yield "bounds", _bounder(rules["bounds"], record, facts) if "bounds" in rules else nothing_certain
    if facts.chance:
        yield from chance_operations(rules, record)
    else:
        yield "chance_outcomes", no_outcomes
        yield "chance_outcome", no_outcome
    yield from _choices(rules, facts, record, game)
    if facts.viewed:
        yield "conceal", concealer(rules.get("conceal"), record, pending)
        yield "determinize", determinizer(rules.get("determinize"), record)
        yield "look", viewer(game.copy, game.conceal, facts.size, spans_of(facts.dtype, facts.scratch))


def _choices(rules: dict[str, Operation], facts: Facts, record: Operation, game: Rules) -> Any:
    """The operations that choose an action, with dice where there are any."""

    def drawer(name: str, default: Operation) -> Operation:
        if name not in rules:
            return default
        if facts.simultaneous:
            choice = drawer_at_once(rules[name], record, game.current_player)
        else:
            choice = _drawer(rules[name], record)
        return with_dice(choice, game.current_player, game.chance_outcome) if facts.chance else choice

    anything = _any_action(game)
    if facts.chance:
        anything = with_dice(anything, game.current_player, game.chance_outcome)
    yield "random_action", drawer("random_action", anything)
    yield "playout_action", drawer("playout_action", game.random_action)


def _offers(rules: dict[str, Operation], facts: Facts, record: Operation, game: Rules, speed: Speed) -> Any:
    """The names of operations that few searches call, and what makes their wrappers."""
    if "evaluate" in rules:
        yield "evaluate", functools.partial(_scorer, rules["evaluate"], record, facts)
    yield "noisy", functools.partial(_itself, _lister(rules["noisy"], record) if "noisy" in rules else nothing_noisy)
    if "prior" in rules:
        yield "prior", functools.partial(_prior_by_rule, rules["prior"], record)
    elif "evaluate" in rules:
        yield "prior", functools.partial(_prior_by_value, game)

    def finder() -> Operation:
        found = _finder(rules["winning_action"], record) if "winning_action" in rules else _any_win(game)
        return without_dice(found, game.current_player) if facts.chance else found

    yield "winning_action", finder
    if "observe" in rules:
        yield "observe", functools.partial(_observer, rules["observe"], record, facts.observed_flat)
    elif not facts.viewed:
        seen = (facts.dtype, facts.scratch, facts.players, game.current_player)
        yield "observe", functools.partial(fields_seen.observer, *seen, functools.partial(record_view, compiled=speed))


def copy(target: StateBytes, source: StateBytes) -> None:
    for index in range(len(source)):
        target[index] = source[index]


def copy_words(target: StateBytes, source: StateBytes) -> None:
    """On cards, which do not make words of bytes by themselves; states are whole words there."""
    to, words = target.view(np.int64), source.view(np.int64)
    for index in range(len(words)):
        to[index] = words[index]


def _reader(rule: Operation, record: Operation, name: str) -> Operation:
    def current_player(state: StateBytes) -> Any:
        return rule(record(state))

    current_player.__name__ = name
    return current_player


def _applier(rule: Operation, record: Operation) -> Operation:
    def apply_action(state: StateBytes, action: Int) -> None:
        rule(record(state), action)

    return apply_action


def _lister(rule: Operation, record: Operation) -> Operation:
    if len(inspect.signature(rule).parameters) == 2:

        def filled(state: StateBytes, actions: Actions) -> Any:
            return rule(record(state), actions)

        return filled

    def yielded(state: StateBytes, actions: Actions) -> Any:
        count = 0
        for action in rule(record(state)):
            if count < len(actions):
                actions[count] = action
            count += 1
        return count

    return yielded


def _within(value: float) -> Any:
    """A result, if it is in the declared range; else no number at all, which no sum of results hides."""
    return value if -TOLERANCE <= value <= 1.0 + TOLERANCE else np.nan


def _as_it_is(value: float) -> Any:
    return value


def _rescaler(facts: Facts) -> Operation:
    low, scale = facts.low, facts.scale

    def rescaled_by_start(s: Record, value: float) -> Any:
        return (value - low) / (s.max_utility - low)

    def rescaled(s: Record, value: float) -> Any:
        return (value - low) * scale

    return rescaled_by_start if facts.by_start else rescaled


def _scorer(rule: Operation, record: Operation, facts: Facts, kept: Operation = _as_it_is) -> Operation:
    players, rescaled = facts.players, _rescaler(facts)
    if players == 2:  # constant indices: the two numbers may be of different types

        def scores_of_two(state: StateBytes, values: Values) -> None:
            s = record(state)
            outcome = rule(s)
            values[0] = kept(rescaled(s, outcome[0]))
            values[1] = kept(rescaled(s, outcome[1]))

        return scores_of_two

    def scores(state: StateBytes, values: Values) -> None:
        s = record(state)
        outcome = rule(s)
        for player in range(players):
            values[player] = kept(rescaled(s, outcome[player]))

    return scores


def nothing_certain(state: StateBytes) -> int:
    """The bounds of a game that does not tell any."""
    return UNPROVEN


def _bounder(rule: Operation, record: Operation, facts: Facts) -> Operation:
    rescaled = _rescaler(facts)

    def bounds(state: StateBytes) -> Any:
        s = record(state)
        least, most = rule(s)
        return bounds_of_results(rescaled(s, least), rescaled(s, most))

    return bounds


def _drawer(rule: Operation, record: Operation) -> Operation:
    def random_action(state: StateBytes, rng: Rng, actions: Actions) -> Any:
        return rule(record(state), rng)

    return random_action


def _any_action(game: Rules) -> Operation:
    legal_actions = game.legal_actions

    def random_action(state: StateBytes, rng: Rng, actions: Actions) -> Any:
        return actions[below(rng, max(legal_actions(state, actions), 1))]  # none at all is no reason to read elsewhere

    return random_action


def _finder(rule: Operation, record: Operation) -> Operation:
    def winning_action(state: StateBytes, spare: StateBytes, actions: Actions, values: Values) -> Any:
        return rule(record(state))

    return winning_action


def _any_win(game: Rules) -> Operation:
    copy, current_player, apply_action = game.copy, game.current_player, game.apply_action
    legal_actions, is_terminal, scores = game.legal_actions, game.is_terminal, game.scores

    def winning_action(state: StateBytes, spare: StateBytes, actions: Actions, values: Values) -> Any:
        player = current_player(state)
        for index in range(legal_actions(state, actions)):
            copy(spare, state)
            apply_action(spare, actions[index])
            if is_terminal(spare):
                scores(spare, values)
                if values[player] == 1.0:
                    return np.int64(actions[index])
        return np.int64(-1)

    return winning_action


def _prior_by_rule(rule: Operation, record: Operation) -> Operation:
    def prior(state: StateBytes, action: Int, spare: StateBytes, values: Values) -> Any:
        return np.float64(rule(record(state), action))

    return prior


def _prior_by_value(game: Rules) -> Operation:
    copy, current_player, apply_action = game.copy, game.current_player, game.apply_action
    is_terminal, scores, evaluate = game.is_terminal, game.scores, game.evaluate

    def prior(state: StateBytes, action: Int, spare: StateBytes, values: Values) -> Any:
        player = current_player(state)
        copy(spare, state)
        apply_action(spare, action)
        if is_terminal(spare):
            scores(spare, values)
        else:
            evaluate(spare, values)
        return values[player]

    return prior


def _observer(rule: Operation, record: Operation, flat: bool) -> Operation:
    """observe(state, planes); a list of numbers is a board of one cell."""

    def observe_list(state: StateBytes, planes: Planes) -> None:
        planes[:] = 0.0
        rule(record(state), planes[0, 0])

    def observe(state: StateBytes, planes: Planes) -> None:
        planes[:] = 0.0
        rule(record(state), planes)

    return observe_list if flat else observe


def nothing_noisy(state: StateBytes, actions: Actions) -> Any:
    """The noisy actions of a game that knows none."""
    return 0


def no_prior(state: StateBytes, action: Int, spare: StateBytes, values: Values) -> Any:
    """The prior of a game that knows none."""
    return 0.0


def no_value(state: StateBytes, values: Values) -> None:
    """The static value of a game that knows none."""


def _compile(operation: str, wrapper: Operation, scope: str) -> Operation:
    from ponderosa.compile import native

    if hasattr(wrapper, "py_func"):
        return wrapper
    if not wrapper.__closure__:  # it knows nothing of this game, so that one machine code serves all
        scope = ""
    compiled: Operation = native.compiled(
        wrapper, signatures()[operation], scope=scope, forceinline=operation in EVERY_PLY
    )
    return compiled


def signatures() -> dict[str, Any]:
    """The compiled signature of every operation."""
    from ponderosa.compile.native import ACTIONS, BOOL, FLOAT, INT, PLANES, RNG, STATE, VALUES, VOID

    draw = INT(STATE, RNG, ACTIONS)
    return {
        "copy": VOID(STATE, STATE),
        "current_player": INT(STATE),
        "legal_actions": INT(STATE, ACTIONS),
        "candidates": INT(STATE, ACTIONS),
        "apply_action": VOID(STATE, INT),
        "is_terminal": BOOL(STATE),
        "scores": VOID(STATE, VALUES),
        "evaluate": VOID(STATE, VALUES),
        "bounds": INT(STATE),
        "random_action": draw,
        "playout_action": draw,
        "noisy": INT(STATE, ACTIONS),
        "winning_action": INT(STATE, STATE, ACTIONS, VALUES),
        "prior": FLOAT(STATE, INT, STATE, VALUES),
        "observe": VOID(STATE, PLANES),
        "chance_outcomes": INT(STATE, ACTIONS, VALUES),
        "chance_outcome": INT(STATE, RNG),
        "legal_actions_of": INT(STATE, INT, ACTIONS),
        "conceal": VOID(STATE, INT),
        "determinize": VOID(STATE, INT, RNG),
        "look": INT(STATE, INT, STATE),
        "key": INT(STATE),
    }
