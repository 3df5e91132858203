"""Playouts that learn from the playouts before them. Start at mast.

Each keeps, behind its own numbers, a table of TABLE places (or two), found by a move's number modulo TABLE: a move is
action * players + player. What is learned at one place of the tree is used everywhere, and is not forgotten until the
search begins anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ponderosa.core.numbers import check_number
from ponderosa.core.rng import Rng, uniform
from ponderosa.mcts.policies.base import Makers, Moves, Params, PlayoutPolicy, Values
from ponderosa.mcts.policies.playout.playouts import ENDLESS

TABLE = 2**14
OWN = 3
"""How many params lie in front of the table; where they learn, the number of rollouts too."""
MIX = 31337


def mast(tau: float = 0.1, epsilon: float = 0.0) -> PlayoutPolicy:
    """Moves by what they have brought wherever they were played: exp(mean / tau), over the sum of all.

    Less tau is greedier; with probability epsilon any move. (Finnsson & Bjornsson 2008, "Simulation-based approach to
    general game playing".)
    """
    check_number("tau", tau, 0.001)
    check_number("epsilon", epsilon, 0, 1)
    settings = {"tau": tau, "epsilon": epsilon}
    params = (float(tau), float(epsilon), float(ENDLESS))
    return PlayoutPolicy(_mast, params, "mast", settings, **_learning(_learn_mast, 2))


def nst(tau: float = 0.1, epsilon: float = 0.0) -> PlayoutPolicy:
    """As `mast`, but a move is told apart by the move before it once that pair was seen: pairs of moves.

    (Tak, Winands & Bjornsson 2012, "N-grams and the last-good-reply policy applied in general game playing".)
    """
    check_number("tau", tau, 0.001)
    check_number("epsilon", epsilon, 0, 1)
    settings = {"tau": tau, "epsilon": epsilon}
    params = (float(tau), float(epsilon), float(ENDLESS))
    return PlayoutPolicy(_nst, params, "nst", settings, **_learning(_learn_nst, 4))


def last_good_reply(n: int = 1, epsilon: float = 0.0) -> PlayoutPolicy:
    """The reply to the last move (n = 1), or the last two, that was played in a won game last; else a random move.

    A reply that was played in a lost game is forgotten. (Drake 2009; forgetting: Baier & Drake 2010.)
    """
    check_number("n", n, 1, 2, whole=True)
    check_number("epsilon", epsilon, 0, 1)
    settings = {"n": n, "epsilon": epsilon}
    params = (float(n), float(epsilon), float(ENDLESS))
    return PlayoutPolicy(_reply, params, "last_good_reply", settings, **_learning(_learn_reply, 1))


def _learning(learn: Callable[..., Any], tables: int) -> dict[str, Any]:
    """What policies have in common that learn from moves; the last of their own params is the most moves."""
    return {"learn": learn, "moves": True, "memory": tables * TABLE, "lengths": (OWN - 1,)}


POLICIES: Makers = {"mast": mast, "nst": nst, "last_good_reply": last_good_reply}


def _pair(before: Any, code: Any) -> Any:
    return (before * MIX + code) % TABLE


def _single_mean(table: Any, before: Any, code: Any) -> Any:
    place = code % TABLE
    return table[place] / table[TABLE + place] if table[TABLE + place] > 0.0 else 1.0


def _pair_mean(table: Any, before: Any, code: Any) -> Any:
    place = 2 * TABLE + _pair(before, code)
    if before >= 0 and table[TABLE + place] > 0.0:
        return table[place] / table[TABLE + place]
    return _single_mean(table, before, code)


def _gibbs(mean: Callable[..., Any]) -> Callable[..., Any]:
    """A playout in which moves are drawn by the exponential of their mean."""

    def choice(game: Any, state: Any, actions: Any, count: int, before: Any, player: Any, players: Any, params: Params,
               rng: Rng) -> Any:  # fmt: skip
        table, total = params[OWN:], 0.0
        for index in range(count):
            total += math.exp((mean(table, before, actions[index] * players + player) - 1.0) / params[0])
        left = uniform(rng) * total
        for index in range(count):
            left -= math.exp((mean(table, before, actions[index] * players + player) - 1.0) / params[0])
            if left < 0.0:
                return actions[index]
        return actions[count - 1]

    def play(game: Any, state: Any, spare: Any, actions: Any, params: Params, rng: Rng, values: Values) -> Any:
        plies, before, players = 0, -1, len(values)
        while not game.is_terminal(state):
            if plies >= params[2]:
                values[:] = 0.5
                return plies
            player = game.current_player(state)
            if player < 0 or (params[1] > 0.0 and uniform(rng) < params[1]):
                action = game.random_action(state, rng, actions)
            else:
                count = game.legal_actions(state, actions)
                action = choice(game, state, actions, count, before, player, players, params, rng)
            before = action * players + player
            game.apply_action(state, action)
            plies += 1
        game.scores(state, values)
        return plies

    return play


_mast = _gibbs(_single_mean)
_nst = _gibbs(_pair_mean)


def _learn_mast(params: Params, values: Values, moves: Moves) -> None:
    table, players = params[1 + OWN :], len(values)
    for place in range(1, moves[0] + 1):
        player = moves[place] % players
        table[moves[place] % TABLE] += values[player]
        table[TABLE + moves[place] % TABLE] += 1.0


def _learn_nst(params: Params, values: Values, moves: Moves) -> None:
    _learn_mast(params, values, moves)
    table, players = params[1 + OWN :], len(values)
    for place in range(2, moves[0] + 1):
        pair = 2 * TABLE + _pair(moves[place - 1], moves[place])
        table[pair] += values[moves[place] % players]
        table[TABLE + pair] += 1.0


def _context(n: Any, before: Any, earlier: Any) -> Any:
    return before % TABLE if n == 1.0 else _pair(earlier, before)


def _reply(game: Any, state: Any, spare: Any, actions: Any, params: Params, rng: Rng, values: Values) -> Any:
    plies, before, earlier, players = 0, -1, -1, len(values)
    replies = params[OWN:]
    while not game.is_terminal(state):
        if plies >= params[2]:
            values[:] = 0.5
            return plies
        action = -1
        player = game.current_player(state)
        if before >= 0 and player >= 0 and not (params[1] > 0.0 and uniform(rng) < params[1]):
            wanted = int(replies[_context(params[0], before, earlier)]) - 1
            if wanted >= 0 and wanted % players == player:
                for index in range(game.legal_actions(state, actions)):
                    if actions[index] == wanted // players:
                        action = wanted // players
        if action < 0:
            action = game.random_action(state, rng, actions)
        earlier, before = before, action * players + player
        game.apply_action(state, action)
        plies += 1
    game.scores(state, values)
    return plies


def _learn_reply(params: Params, values: Values, moves: Moves) -> None:
    replies, players = params[1 + OWN :], len(values)
    for place in range(2, moves[0] + 1):
        earlier = moves[place - 2] if place > 2 else -1
        context = _context(params[1], moves[place - 1], earlier)
        value = values[moves[place] % players]
        if value > 0.5:
            replies[context] = moves[place] + 1.0
        elif value < 0.5 and replies[context] == moves[place] + 1.0:
            replies[context] = 0.0
