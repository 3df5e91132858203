"""A sensible move without machine code, for as long as the compiler is still at work. Start at quick_move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ponderosa.connect.evaluations import WeighedConnect
from ponderosa.games.connect import Connect


def quick_move(game: Connect, moves: Sequence[int]) -> int:
    """Win this turn, else stop the opponent from winning in the next, else the cell that is best for either player.

    The cells are ranked by plain Python, which takes some tenths of a second on a large board.
    """
    twin = WeighedConnect.of(game)
    twin.rules = twin.build_rules(compiled=False)
    record, rules, actions = (
        twin.state_after(list(moves)).record,
        twin.own_rules(),
        np.zeros(twin.max_actions, np.int32),
    )
    count = abs(int(rules["candidates"](record, actions)))
    return int(max(actions[:count], key=lambda action: rules["prior"](record, action)))
