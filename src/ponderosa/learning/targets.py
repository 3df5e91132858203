"""What a network shall say of positions that were searched. Start at policy_targets and value_targets.

The policy's target is the improved policy of the search (Danihelka et al. 2022), the value's is a mixture of the game's
result and of what the search says. Where the search has proven a result, the value is that result, and the policy is on
the moves that keep it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float32]


def policy_targets(improved: Any, proven: Any, certain: Any) -> Rows:
    """How likely each action shall be, by position and action.

    `proven` is what is certain of each action, `certain` of each position, for the player to move: 1 a win, 0.5 a draw,
    0 a loss, nan nothing.
    """
    keeps = proven == np.asarray(certain)[:, np.newaxis]  # never where it is nan
    keeps[np.asarray(certain) == 0.0] = False  # a loss is kept by every move: the longest fight is as good a target
    found = np.where(keeps.any(axis=1, keepdims=True), np.where(keeps, np.maximum(improved, 1e-3), 0.0), improved)
    shares: Rows = (found / found.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares


def search_values(improved: Any, values: Any, first: Any) -> Any:
    """What a search says of each position: the mean of its actions' values under the improved policy.

    Actions that were never tried have no value (nan); a position in which none was tried has its `first` one.
    """
    tried = np.isfinite(values)
    weights = np.where(tried, improved, 0.0)
    whole = weights.sum(axis=1)
    means = (weights * np.where(tried, values, 0.0)).sum(axis=1) / np.where(whole > 0, whole, 1.0)
    return np.where(whole > 0, means, first)


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
