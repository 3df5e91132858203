"""The Connect family with a search for wins by threats at every position. Start at TacticalConnect."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.core.errors import SettingError
from ponderosa.core.game import rule
from ponderosa.games.connect import Connect
from ponderosa.games.informed import InformedConnect, coverable, hot_window
from ponderosa.games.lines import bounds_by_open_lines
from ponderosa.games.threats import PILE, SEQUENCE, threat_loss, threat_win

MOST_EFFORT = 1_000_000


class TacticalConnect(InformedConnect):
    """An informed Connect game that proves wins and losses by threats.

    A new position in the tree is settled if the player to move has such a win, or must stop a win and cannot; the moves
    at the root are looked at with more effort.
    """

    name = "tactical"
    scratch: tuple[str, ...] = (*InformedConnect.scratch, "pile", "piled", "line", "lined", "first_answer", "effort")

    def __init__(
        self,
        m: int = 15,
        n: int = 15,
        k: int = 5,
        p: int = 1,
        q: int = 1,
        exact: bool = False,
        near: int = 2,
        forced: bool = True,
        effort: int = 20,
        root_effort: int = 20_000,
        threes: int = 3,
    ) -> None:
        """`effort`: turns looked at for each new position; `root_effort`: for each move at the root.

        `threes`: so many moves that threaten a win by fours may be part of a win at the root.
        """
        super().__init__(m, n, k, p, q, exact, near, forced)
        if not (0 <= effort <= MOST_EFFORT and 0 <= root_effort <= MOST_EFFORT):
            raise SettingError(f"effort and root_effort must be from 0 to {MOST_EFFORT}, not {effort}, {root_effort}")
        if not 0 <= threes <= 8:
            raise SettingError(f"threes must be from 0 to 8, not {threes}")
        self.tree_effort, self.root_effort, self.threes = effort, root_effort, threes
        assert self.dtype is not None
        self.dtype = np.dtype(
            [
                *self.dtype.descr,
                ("pile", "i2", PILE),  # scratch space of games/threats.py
                ("piled", "i2"),
                ("line", "i2", SEQUENCE),
                ("lined", "i2"),
                ("first_answer", "i2"),
                ("effort", "i4"),
                ("tree_effort", "i4"),
                ("root_effort", "i4"),
                ("root_left", "i2"),  # empty cells at the root of the search
                ("threes", "i1"),
            ]
        )

    @classmethod
    def of(cls, game: Connect, near: int = 2, forced: bool = True, **settings: Any) -> Any:
        """The same game, with threats."""
        return cls(game.m, game.n, game.k, game.p, game.q, game.exact, near, forced, **settings)

    def setup(self, s: Any) -> None:
        super().setup(s)
        s.tree_effort, s.root_effort, s.threes = self.tree_effort, self.root_effort, self.threes

    def prepare_for_search(self, s: Any) -> None:
        s.root_left = s.left

    @rule
    def bounds(s: Any) -> Any:
        if hot_window(s, s.player, s.stones) >= 0:
            return 1.0, 1.0
        in_danger = hot_window(s, 1 - s.player, s.p) >= 0
        if in_danger and not coverable(s, -1):
            return -1.0, -1.0
        near_root = s.root_left - s.left <= s.p
        effort = s.root_effort if near_root else s.tree_effort
        threes = s.threes if near_root else 0
        if effort > 0:
            s.effort = effort
            if threat_win(s, s.player, s.stones, threes) >= 0:
                return 1.0, 1.0
            s.effort = effort
            if (in_danger or near_root) and s.stones == s.p and threat_loss(s, s.player, threes):
                return -1.0, -1.0
        return bounds_by_open_lines(s)
