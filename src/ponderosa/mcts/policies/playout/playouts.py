"""Playing a game from a leaf to its end. Start at random.

A playout function: `(game, state, spare, actions, params, rng, values) -> plies`. It plays on `state`, leaves each
player's result in `values`, in [0, 1], and returns how many actions it took. `game` offers the operations listed in
core/rules.py; `spare[0]` and `spare[1]` are states and `actions` an array to work with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ponderosa.compile.marks import few_numbers, inlined
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import Rng, shuffle, uniform
from ponderosa.errors import SettingError
from ponderosa.mcts.policies.base import Makers, Params, PlayoutPolicy, Policy, Values, as_policy

ENDLESS = 2**31
"""No limit; a game's own (`Policy.lengths`) is put in its place."""
MOST_ROLLOUTS = 10_000
"""Nothing looks at the clock within an iteration: one of more rollouts would take too long."""
AFTER_TRIES = 16
"""How many other actions `decisive` tries when taking the opponent's winning action does not stop the win."""


def random(rollouts: int = 1, max_length: int | None = None, at_cutoff: str = "draw") -> PlayoutPolicy:
    """Random moves to the end, or for max_length moves and then a draw, or the game's `evaluate`."""
    functions = {"draw": _random_then_draw, "evaluate": _random_then_evaluate}
    return replace(_moves("random", functions, rollouts, max_length, at_cutoff), replaceable=True)


def informed(rollouts: int = 1, max_length: int | None = None, at_cutoff: str = "draw") -> PlayoutPolicy:
    """The game's own playout moves (`playout_action`), else random ones; cut off like `random`."""
    functions = {"draw": _informed_then_draw, "evaluate": _informed_then_evaluate}
    return _moves("informed", functions, rollouts, max_length, at_cutoff)


def decisive(rollouts: int = 1) -> PlayoutPolicy:
    """Take a win now, else stop the opponent's win next move, else random. (Teytaud & Teytaud 2010.)

    Works for every game; a game with the rule `winning_action` makes it fast.
    """
    check_number("rollouts", rollouts, 1, MOST_ROLLOUTS, whole=True)
    params, lengths = (float(ENDLESS),), (0,)
    return PlayoutPolicy(_decisive, params, "decisive", {"rollouts": rollouts}, rollouts, lengths=lengths)


def static() -> PlayoutPolicy:
    """No playout: the game's `evaluate` of the leaf."""
    return PlayoutPolicy(_random_then_evaluate, (0.0,), "static", {}, needs=("evaluate",), lengths=(0,))


def epsilon(epsilon: float = 0.1, one: Policy | str = "random", other: Policy | str = "informed") -> PlayoutPolicy:
    """Every playout by one policy with probability epsilon, else by the other: a mix of any two."""
    check_number("epsilon", epsilon, 0, 1)
    first, second = (as_policy("playout", given, POLICIES) for given in (one, other))
    if first.learn or second.learn or first.rollouts != 1 or second.rollouts != 1:
        raise SettingError("epsilon mixes policies of one rollout that do not learn; mast and nst take an epsilon")
    own, theirs = first.function, second.function
    split = 1 + len(first.params)

    def mixed(game: Any, state: Any, spare: Any, actions: Any, params: Params, rng: Rng, values: Values) -> Any:
        if uniform(rng) < params[0]:
            return own(game, state, spare, actions, params[1:split], rng, values)
        return theirs(game, state, spare, actions, params[split:], rng, values)

    params = (float(epsilon), *first.params, *second.params)
    settings = {"epsilon": epsilon, "one": first, "other": second}
    averages, needs = first.averages or second.averages, tuple({*first.needs, *second.needs})
    known = first.lengths and second.lengths
    lengths = (*_shifted(first.lengths, 1), *_shifted(second.lengths, split)) if known else ()
    return PlayoutPolicy(mixed, params, "epsilon", settings, averages=averages, needs=needs, lengths=lengths)


def several(leaves: int = 4, one: Policy | str = "random") -> PlayoutPolicy:
    """A playout from each of this many positions after the leaf, or all of them: different random moves, then `one`.

    The mean is backed up. Of moves drawn without repetition it is less noisy than that of `rollouts`.
    """
    check_number("leaves", leaves, 1, whole=True)
    inner = as_policy("playout", one, POLICIES)
    _check_single("several", inner)
    function = _after_moves(inner.function)
    params, settings = (float(leaves), *inner.params), {"leaves": leaves, "one": inner}
    lengths = _shifted(inner.lengths, 1)
    return PlayoutPolicy(function, params, "several", settings, averages=True, needs=inner.needs, lengths=lengths)


def majority(rollouts: int = 5, one: Policy | str = "random", win_first: bool = False) -> PlayoutPolicy:
    """One winner of several playouts by `one`: whoever has most in all of them together; a tie is shared.

    `win_first`: where the player to move can win at once, that is the result, and nothing is played out. (Kim 2023.)
    """
    check_number("rollouts", rollouts, 1, MOST_ROLLOUTS, whole=True)
    if not isinstance(win_first, bool):
        raise SettingError(f"win_first must be True or False, not {win_first!r}")
    inner = as_policy("playout", one, POLICIES)
    _check_single("majority", inner)
    function = _most_of(inner.function)
    params, settings = (float(rollouts), *inner.params), {"rollouts": rollouts, "one": inner, "win_first": win_first}
    return PlayoutPolicy(
        _win_or(function) if win_first else function,
        params,
        "majority",
        settings,
        averages=True,
        needs=inner.needs,
        lengths=_shifted(inner.lengths, 1),
    )


def _check_single(name: str, inner: PlayoutPolicy) -> None:
    """Playouts in playouts would begin where others have ended."""
    if inner.learn or inner.rollouts != 1 or inner.averages:
        raise SettingError(f"{name} is for a policy of one rollout that does not learn, and not for {inner}")


POLICIES: Makers = {
    "random": random,
    "informed": informed,
    "decisive": decisive,
    "static": static,
    "epsilon": epsilon,
    "several": several,
    "majority": majority,
}


def _moves(
    name: str, functions: dict[str, Any], rollouts: int, max_length: int | None, at_cutoff: str
) -> PlayoutPolicy:
    check_number("rollouts", rollouts, 1, MOST_ROLLOUTS, whole=True)
    if max_length is not None:
        check_number("max_length", max_length, 0, whole=True)
    if at_cutoff not in list(functions):
        raise SettingError(f'at_cutoff is "draw" or "evaluate", not {at_cutoff!r}')
    settings = {"rollouts": rollouts, "max_length": max_length, "at_cutoff": at_cutoff}
    params = (float(ENDLESS if max_length is None else max_length),)
    needs = ("evaluate",) if at_cutoff == "evaluate" else ()
    return PlayoutPolicy(functions[at_cutoff], params, name, settings, rollouts, needs=needs, lengths=(0,))


def _shifted(places: tuple[int, ...], by: int) -> tuple[int, ...]:
    """Places in params that others were put in front of."""
    return tuple(place + by for place in places)


def _draw(game: Any, state: Any, values: Values) -> None:
    values[:] = 0.5


def _evaluate(game: Any, state: Any, values: Values) -> None:
    game.evaluate(state, values)


@inlined
def _random_action(game: Any, state: Any, rng: Rng, actions: Any) -> Any:
    return game.random_action(state, rng, actions)


@inlined
def _informed_action(game: Any, state: Any, rng: Rng, actions: Any) -> Any:
    return game.playout_action(state, rng, actions)


def _play(choice: Callable[..., Any], at_cutoff: Callable[..., Any]) -> Callable[..., Any]:
    def play_moves(game: Any, state: Any, spare: Any, actions: Any, params: Params, rng: Rng, values: Values) -> Any:
        max_length = int(params[0])
        plies = 0
        while not game.is_terminal(state):
            if plies == max_length:
                at_cutoff(game, state, values)
                return plies
            game.apply_action(state, choice(game, state, rng, actions))
            plies += 1
        game.scores(state, values)
        return plies

    return play_moves


_random_then_draw = _play(_random_action, _draw)
_random_then_evaluate = _play(_random_action, _evaluate)
_informed_then_draw = _play(_informed_action, _draw)
_informed_then_evaluate = _play(_informed_action, _evaluate)


def _after_moves(play: Callable[..., Any]) -> Callable[..., Any]:
    def play_several(game: Any, state: Any, spare: Any, actions: Any, params: Params, rng: Rng, values: Values) -> Any:
        if game.current_player(state) < 0:  # dice have no moves to choose from
            return play(game, state, spare, actions, params[1:], rng, values)
        count = game.legal_actions(state, actions)
        shuffle(rng, actions, count)
        first = actions[: min(count, int(params[0]))].copy()
        totals, plies = few_numbers(len(values)), 0
        game.copy(spare[2], state)
        for action in first:
            game.copy(state, spare[2])
            game.apply_action(state, action)
            plies += 1 + play(game, state, spare, actions, params[1:], rng, values)
            for player in range(len(values)):
                totals[player] += values[player]
        for player in range(len(values)):
            values[player] = totals[player] / len(first)
        return plies // len(first)

    return play_several


def _most_of(play: Callable[..., Any]) -> Callable[..., Any]:
    def play_majority(game: Any, state: Any, spare: Any, actions: Any, params: Params, rng: Rng, values: Values) -> Any:
        rollouts = int(params[0])
        totals, plies = few_numbers(len(values)), 0
        game.copy(spare[2], state)
        for _ in range(rollouts):
            game.copy(state, spare[2])
            plies += play(game, state, spare, actions, params[1:], rng, values)
            for player in range(len(values)):
                totals[player] += values[player]
        most, winners = totals[0], 0
        for player in range(1, len(values)):
            most = max(most, totals[player])
        for player in range(len(values)):
            winners += totals[player] == most
        for player in range(len(values)):
            values[player] = 1.0 / winners if totals[player] == most else 0.0
        return max(2, plies // rollouts)  # 1 would be taken for a proof, and a majority proves nothing

    return play_majority


def _win_or(play: Callable[..., Any]) -> Callable[..., Any]:
    def play_win_or(game: Any, state: Any, spare: Any, actions: Any, params: Params, rng: Rng, values: Values) -> Any:
        action = -1 if game.current_player(state) < 0 else game.winning_action(state, spare[0], actions, values)
        if action < 0:
            return play(game, state, spare, actions, params, rng, values)
        game.apply_action(state, action)
        game.scores(state, values)
        return 1

    return play_win_or


def _decisive(game: Any, state: Any, spare: Any, actions: Any, params: Params, rng: Rng, values: Values) -> Any:
    plies, max_length = 0, int(params[0])
    while not game.is_terminal(state):
        if plies == max_length:
            values[:] = 0.5
            return plies
        action = game.winning_action(state, spare[0], actions, values)
        if action < 0:
            action = _safe_action(game, state, spare, actions, rng, values)
        game.apply_action(state, action)
        plies += 1
    game.scores(state, values)
    return plies


def _safe_action(game: Any, state: Any, spare: Any, actions: Any, rng: Rng, values: Values) -> Any:
    """A random action after which the opponent has no win at once, if there is one and it is soon found."""
    action = game.random_action(state, rng, actions)
    reply = _winning_reply(game, state, action, spare, actions, values)
    if reply < 0:
        return action
    count = game.legal_actions(state, actions)
    for index in range(count):  # most often, the cell that the opponent needs
        if actions[index] == reply:
            if _winning_reply(game, state, reply, spare, actions, values) < 0:
                return reply
            break
    for _ in range(min(count, AFTER_TRIES)):
        other = game.random_action(state, rng, actions)
        if _winning_reply(game, state, other, spare, actions, values) < 0:
            return other
    return action


def _winning_reply(game: Any, state: Any, action: Any, spare: Any, actions: Any, values: Values) -> Any:
    """The opponent's winning action after an action, or -1."""
    game.copy(spare[1], state)
    game.apply_action(spare[1], action)
    if game.is_terminal(spare[1]) or game.current_player(spare[1]) == game.current_player(state):
        return -1
    return game.winning_action(spare[1], spare[0], actions, values)
