"""How often each rule of a game is called, and how long a call takes. Start at watched and compiled_times."""

from __future__ import annotations

import copy
import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ponderosa.core.rng import new_rng
from ponderosa.core.turns import CHANCE

if TYPE_CHECKING:
    from ponderosa.core.game import Game

COPY = "copy"
"""What is called like a rule, and is none: a state is copied."""
MANY = 100_000
"""Positions of random games on which compiled rules are timed: a processor knows a few thousand by heart."""
MOST_BYTES = 2**26
"""Their states take no more memory than this."""
SAMPLING_SECONDS = 2.0
"""After so long, fewer positions have to do."""
LONG_ENOUGH = 0.005
"""A measurement of less than this says little."""
MEASUREMENTS = 9
"""The best of so many counts: others are disturbed."""


@dataclass
class Calls:
    """What a rule was asked for."""

    count: int = 0
    seconds: float = 0.0


def watched(game: Game) -> tuple[Game, dict[str, Calls]]:
    """A twin of the game whose rules, as plain Python, count their calls and the time that they take."""
    calls = {name: Calls() for name in game.own_rules()}
    timed = {name: _timed(function, calls[name]) for name, function in game.own_rules().items()}
    kind = type(game)
    members = {"__module__": kind.__module__, "own_rules": classmethod(lambda cls: timed)}
    twin = copy.copy(game)
    twin.__class__ = type(kind.__name__, (kind,), members)
    if game.dtype is not None:
        calls[COPY] = Calls()
        twin.rules.copy = _timed(twin.rules.copy, calls[COPY])
    return twin, calls


def _timed(function: Callable[..., Any], calls: Calls) -> Callable[..., Any]:
    @functools.wraps(function)
    def timed(*arguments: Any) -> Any:
        begun = time.perf_counter()
        answer = function(*arguments)
        if hasattr(answer, "__next__"):  # the rule yields: it has done nothing yet
            answer = list(answer)
        calls.seconds += time.perf_counter() - begun
        calls.count += 1
        return answer

    return timed


class _Games(NamedTuple):
    """Random games, to be played again."""

    starts: Any
    lengths: Any
    """How many actions each has."""
    actions: Any
    """Those of all games, one after the other."""
    moves: Any
    """The states in which players choose."""
    rolls: Any
    """The states in which dice fall."""
    ends: Any
    """The last states."""


def compiled_times(game: Game) -> dict[str, float]:
    """Seconds that a call of each compiled rule takes in random games, and a copy of a state."""
    own, rules, games = game.own_rules(), game.rules, _sampled(game)

    def each(call: Callable[..., Any], states: Any) -> float:
        return _seconds_at(call, states, game) if len(states) else 0.0

    times = {COPY: each(_copier(rules.copy), games.moves)}
    for kind, names in _KINDS.items():
        times |= {name: each(kind(getattr(rules, name)), games.moves) for name in names if name in own}
    applied = _seconds_to_replay(games, game) / max(len(games.actions), 1)
    times |= {"apply_action": applied, "apply_actions": applied * game.players}  # called when everybody has chosen
    times["returns"] = each(_scorer(rules.scores), games.ends)
    if game.chance:
        times["chance_outcomes"] = each(_chances(rules.chance_outcomes), games.rolls)
        times["chance_outcome"] = each(_roller(rules.chance_outcome), games.rolls)
    if game.hidden:
        times["determinize"] = each(_filler(rules.copy, rules.determinize), games.moves)
    return {name: seconds for name, seconds in times.items() if name in own or name == COPY}


def _sampled(game: Game) -> _Games:
    rules, rng, room = game.rules, new_rng(1), np.zeros(game.max_actions, np.int32)
    starts: list[Any] = []
    ends: list[Any] = []
    lengths: list[int] = []
    actions: list[int] = []
    states: tuple[list[Any], list[Any]] = ([], [])
    late = time.monotonic() + SAMPLING_SECONDS
    first = _first(game)
    many = min(MANY, MOST_BYTES // len(first))
    while len(actions) < many and time.monotonic() < late:
        state, before = first.copy(), len(actions)
        starts.append(first)
        for _ in range(game.longest):
            if rules.is_terminal(state) or time.monotonic() > late:
                break
            actions.append(int(rules.random_action(state, rng, room)))
            states[int(rules.current_player(state)) == CHANCE].append(state.copy())
            rules.apply_action(state, actions[-1])
        lengths.append(len(actions) - before)
        ends.append(state)
        if lengths[-1] == 0:
            break
    moves, rolls = (np.array(some, np.uint8) for some in states)
    played = np.array(lengths, np.int64), np.array(actions, np.int64)
    return _Games(np.array(starts, np.uint8), *played, moves, rolls, np.array(ends, np.uint8))


def _first(game: Game) -> Any:
    state: Any = game.new_initial_state()
    return state.data


def _seconds_to_replay(games: _Games, game: Game) -> float:
    """How long all actions of all games take."""
    from ponderosa.compile import native

    replayed = native.compiled(
        _replayed(game.rules), native.INT(native.STATES, native.INTS, native.INTS, native.STATE, native.INT)
    )
    return _shortest(replayed, (*games[:3], games.starts[0].copy()))


def _seconds_at(call: Callable[..., Any], states: Any, game: Game) -> float:
    """How long a call takes, on average over states."""
    from ponderosa.compile import native

    repeated = native.compiled(_repeated(call), native.INT(native.STATES, *_room_kinds(), native.INT))
    return _shortest(repeated, (states, *_room(game))) / len(states)


def _room_kinds() -> tuple[Any, ...]:
    from ponderosa.compile.native import ACTIONS, RNG, STATE, VALUES

    return (STATE, ACTIONS, VALUES, VALUES, RNG)


def _room(game: Game) -> tuple[Any, ...]:
    """What calls may write to."""
    spare, numbers = _first(game).copy(), np.zeros(game.max_actions)
    return spare, np.zeros(game.max_actions, np.int32), numbers, np.zeros(game.players), new_rng(2)


def _shortest(run: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    """Seconds of one run: the shortest of several measurements, which other programs have disturbed least."""

    def took(times: int) -> float:
        begun = time.thread_time()
        run(*arguments, times)
        return time.thread_time() - begun

    times = 1
    while took(times) < LONG_ENOUGH:
        times *= 4
    return min(took(times) for _ in range(MEASUREMENTS)) / times


def _replayed(rules: Any) -> Callable[..., Any]:
    """All games, again and again."""
    copying, applying = rules.copy, rules.apply_action

    def run(starts: Any, lengths: Any, actions: Any, state: Any, times: int) -> int:
        total = 0
        for _ in range(times):
            at = 0
            for game in range(len(starts)):
                copying(state, starts[game])
                for _ in range(lengths[game]):
                    applying(state, actions[at])
                    at += 1
                total += state[0]
        return total

    return run


def _repeated(call: Callable[..., Any]) -> Callable[..., Any]:
    """A call in every state, again and again; what the calls say is added up, so that none is left out."""

    def run(states: Any, spare: Any, room: Any, chances: Any, values: Any, rng: Any, times: int) -> int:
        total = 0
        for _ in range(times):
            for index in range(len(states)):
                total += call(states[index], spare, room, chances, values, rng)
        return total

    return run


def _reader(rule: Any) -> Callable[..., Any]:
    def call(state: Any, spare: Any, room: Any, chances: Any, values: Any, rng: Any) -> Any:
        return int(rule(state))

    return call


def _lister(rule: Any) -> Callable[..., Any]:
    def call(state: Any, spare: Any, room: Any, chances: Any, values: Any, rng: Any) -> Any:
        return rule(state, room)

    return call


def _drawer(rule: Any) -> Callable[..., Any]:
    def call(state: Any, spare: Any, room: Any, chances: Any, values: Any, rng: Any) -> Any:
        return rule(state, rng, room)

    return call


def _scorer(rule: Any) -> Callable[..., Any]:
    def call(state: Any, spare: Any, room: Any, chances: Any, values: Any, rng: Any) -> Any:
        rule(state, values)
        return int(values[0])

    return call


def _copier(copying: Any) -> Callable[..., Any]:
    def call(state: Any, spare: Any, room: Any, chances: Any, values: Any, rng: Any) -> Any:
        copying(spare, state)
        return int(spare[0])

    return call


def _filler(copying: Any, rule: Any) -> Callable[..., Any]:
    def call(state: Any, spare: Any, room: Any, chances: Any, values: Any, rng: Any) -> Any:
        copying(spare, state)
        rule(spare, 0, rng)
        return int(spare[0])

    return call


def _chances(rule: Any) -> Callable[..., Any]:
    def call(state: Any, spare: Any, room: Any, chances: Any, values: Any, rng: Any) -> Any:
        return rule(state, room, chances)

    return call


def _roller(rule: Any) -> Callable[..., Any]:
    def call(state: Any, spare: Any, room: Any, chances: Any, values: Any, rng: Any) -> Any:
        return rule(state, rng)

    return call


_KINDS: dict[Callable[..., Any], tuple[str, ...]] = {
    _reader: ("current_player", "is_terminal", "bounds"),
    _lister: ("legal_actions", "candidates"),
    _drawer: ("random_action", "playout_action"),
}
"""How rules are called."""
