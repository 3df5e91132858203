"""What a network shall say of positions that were searched. Start at said_of.

The policy's target is the improved policy of the search (Danihelka et al. 2022), the value's is a mixture of the game's
result and of what the search says. Where the search has proven a result, the value is that result, and the policy is on
the moves that keep it.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ponderosa.core.bounds import is_settled, lower_bound
from ponderosa.core.rules import jit_enabled
from ponderosa.learning.pieces import in_pieces

Rows = npt.NDArray[np.float32]
LEAST_SHARE = 1e-3
"""What a move gets that keeps a proven result, before all shares are made to sum to one."""
PIECE = 2048
"""So many positions are looked at by a core before it takes others."""


class Searched(NamedTuple):
    """What was found at the roots, a row each; forest/kernel.py says what."""

    actions: Any
    improved: Any
    values: Any
    proven: Any
    value: Any
    certain: Any


class Said(NamedTuple):
    """What follows from it, a row each."""

    policies: Any
    """How likely each action shall be."""
    searched: Any
    """What the search says for the player to move, from 0 to 1: the mean of its actions under the improved policy."""
    certain: Any
    """What it has proven, likewise; nan: nothing."""
    drawn: Any
    """An action drawn from the improved policy."""


def said_of(found: Any, actions: int, draws: npt.NDArray[np.float64]) -> Said:
    """What a network shall say of positions; `found` has the names of Searched, and `draws`, from 0 to 1, are luck."""
    count = len(draws)
    said = Said(
        policies=np.zeros((count, actions), np.float32),
        searched=np.zeros(count, np.float32),
        certain=np.zeros(count, np.float32),
        drawn=np.zeros(count, np.int32),
    )
    searched = Searched(*(np.ascontiguousarray(getattr(found, name)) for name in Searched._fields))
    work, halves = _compiled() if jit_enabled() else say, np.zeros((count, actions), np.float16)

    def piece(begin: int, end: int) -> None:
        work(searched, draws, said, begin, end)
        halves[begin:end] = said.policies[begin:end]  # which compiled code does not write

    in_pieces(piece, count, PIECE)
    return said._replace(policies=halves)


def say(searched: Searched, draws: Any, said: Said, begin: int, end: int) -> None:
    """The same for some rows."""
    for row in range(begin, end):
        actions = searched.actions[row]
        count = 0
        while count < len(actions) and actions[count] >= 0:
            count += 1
        certain = certain_of(searched.certain[row])
        said.certain[row] = certain
        say_policy(actions[:count], searched.improved[row], searched.proven[row], certain, said.policies[row])
        said.searched[row] = mean_of(searched.values[row][:count], searched.improved[row], searched.value[row])
        said.drawn[row] = actions[drawn(searched.improved[row][:count], draws[row])]


def certain_of(proven: int) -> float:
    """What is proven as a number: 1 a win, 0.5 a draw, 0 a loss; nan: nothing."""
    return 0.5 * lower_bound(proven) if is_settled(proven) else math.nan


def say_policy(actions: Any, improved: Any, proven: Any, certain: float, policy: Any) -> None:
    """The improved policy by action; where a win or a draw is certain, of the moves that keep it alone.

    A loss is kept by every move: the longest fight is as good a target.
    """
    keeps, whole = False, 0.0
    for place in range(len(actions)):
        if certain > 0.0 and certain_of(proven[place]) == certain:
            keeps = True
    for place in range(len(actions)):
        share = improved[place]
        if keeps:
            share = max(share, LEAST_SHARE) if certain_of(proven[place]) == certain else 0.0
        policy[actions[place]] = share
        whole += share
    for place in range(len(actions)):
        policy[actions[place]] /= whole


def mean_of(values: Any, improved: Any, first: float) -> float:
    """The mean of the actions that were tried, under the improved policy; if none was, the `first` value."""
    whole, total = 0.0, 0.0
    for place in range(len(values)):
        if not math.isnan(values[place]):
            whole += improved[place]
            total += improved[place] * values[place]
    return total / whole if whole > 0.0 else first


def drawn(shares: Any, luck: float) -> int:
    """The place of an action, drawn by the shares."""
    left = luck * shares.sum()
    for place in range(len(shares)):
        left -= shares[place]
        if left < 0.0:
            return place
    return int(shares.argmax())  # by rounding


@functools.cache
def _compiled() -> Any:
    """`say` as machine code, which lets other threads run."""
    from ponderosa.compile import native
    from ponderosa.compile.native import ACTION_ROWS, FLOAT_ROWS, INT, PLACES, SHARE_ROWS, SHARES, VALUES, VOID

    searched = {
        "actions": ACTION_ROWS,
        "improved": FLOAT_ROWS,
        "values": FLOAT_ROWS,
        "proven": ACTION_ROWS,
        "value": VALUES,
        "certain": PLACES,
    }
    said = {"policies": SHARE_ROWS, "searched": SHARES, "certain": SHARES, "drawn": PLACES}
    kinds = native.named_type(Searched, searched), VALUES, native.named_type(Said, said), INT, INT
    return native.compiled(say, VOID(*kinds), error_model="numpy")


def value_targets(results: Any, players: Any, searched: Any, certain: Any, share: float) -> Rows:
    """What each position is worth, from -1 to 1: the player to move first, then the others in the order of their seats.

    `results` are what each seat got, `searched` and `certain` what the search says for the player to move, all from 0
    to 1; `share` is that of the result. Up to two players have one value, that of the player to move.
    """
    seats = np.asarray(results).shape[1]
    order = (np.asarray(players)[:, np.newaxis] + np.arange(seats)) % seats
    found = np.take_along_axis(np.asarray(results), order, axis=1)
    found[:, 0] = share * found[:, 0] + (1.0 - share) * np.asarray(searched)
    known = np.isfinite(certain)
    found[known, 0] = np.asarray(certain)[known]
    values: Rows = (2.0 * found - 1.0).astype(np.float32)
    return values[:, 0] if seats <= 2 else values
