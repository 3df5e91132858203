"""The Connect family with a search for wins by threats at every position. Start at TacticalConnect."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Record
from ponderosa.connect.evaluations import ThreatsConnect, urgent_cells, wins_with, worth_of
from ponderosa.connect.threats.threat_search import SEQUENCE, STACK, threat_loss, threat_win
from ponderosa.core.game import rule
from ponderosa.errors import SettingError
from ponderosa.games.boards.lines import bounds_by_open_lines

MOST_EFFORT = 1_000_000
MOST_CHOSEN = 64
ROOT_MORE = 3
"""How many times more moves are considered at the root: one of them must be played, even if the best ones are lost."""


class TacticalConnect(ThreatsConnect):
    """A Connect game that considers the best cells only, and proves wins and losses by threats.

    A new position in the tree is settled if the player to move has such a win, or must stop a win and cannot; the moves
    at the root are looked at with more effort.
    """

    name = "tactical"
    ordered = True
    scratch: tuple[str, ...] = (
        *ThreatsConnect.scratch,
        "stack",
        "top",
        "sequence",
        "sequence_length",
        "first_answer",
        "effort",
    )

    def __init__(
        self,
        m: int = 15,
        n: int = 15,
        k: int = 5,
        p: int = 1,
        q: int = 1,
        exact: bool = False,
        branch: int = 16,
        effort: int = 20,
        root_effort: int = 20_000,
        threes: int = 3,
    ) -> None:
        """`branch`: moves considered in a position. `effort`: turns looked at for threats in each new position.

        `root_effort`: the same for each move at the root. `threes`: how many moves that threaten a win by fours may
        be part of a win there.
        """
        super().__init__(m, n, k, p, q, exact)
        if not 1 <= branch <= 1024:
            raise SettingError(f"branch, the number of moves considered, must be from 1 to 1024, not {branch}")
        if not (0 <= effort <= MOST_EFFORT and 0 <= root_effort <= MOST_EFFORT):
            raise SettingError(f"effort and root_effort must be from 0 to {MOST_EFFORT}, not {effort}, {root_effort}")
        if not 0 <= threes <= 8:
            raise SettingError(f"threes must be from 0 to 8, not {threes}")
        self.branch, self.tree_effort, self.root_effort, self.threes = branch, effort, root_effort, threes
        assert self.dtype is not None
        self.dtype = np.dtype(
            [
                *self.dtype.descr,
                ("stack", "i2", STACK),  # scratch space of connect/threats/threat_search.py
                ("top", "i2"),
                ("sequence", "i2", SEQUENCE),
                ("sequence_length", "i2"),
                ("first_answer", "i2"),
                ("effort", "i4"),
                ("branch", "i2"),
                ("tree_effort", "i4"),
                ("root_effort", "i4"),
                ("root_left", "i2"),  # empty cells at the root of the search
                ("threes", "i1"),
                ("chosen", "i2", MOST_CHOSEN),  # at the root, only these moves, if there are any
                ("choices", "i2"),
            ]
        )

    @classmethod
    def own_rules(cls) -> dict[str, Any]:
        return {**super().own_rules(), "bounds": TacticalConnect.__dict__["bounds"].__func__}

    def setup(self, s: Record) -> None:
        super().setup(s)
        s.branch, s.tree_effort, s.root_effort, s.threes = self.branch, self.tree_effort, self.root_effort, self.threes

    def prepare_for_search(self, s: Record) -> None:
        s.root_left = s.left

    @rule
    def candidates(s: Record, actions: Actions) -> Any:
        if s.choices > 0 and s.left == s.root_left:
            for index in range(s.choices):
                actions[index] = s.chosen[index]
            return -s.choices
        count = urgent_cells(s, actions)
        if count > 0:
            return count
        if s.left == s.rows * s.columns:
            actions[0] = (s.rows // 2) * s.columns + s.columns // 2
            return 1 if s.left == 1 else -1
        count = best_cells(s, actions, ROOT_MORE * s.branch if s.left == s.root_left else s.branch)
        return count if count == s.left else -count

    @rule
    def bounds(s: Record) -> Any:
        if wins_with(s, s.player, s.stones):
            return 1.0, 1.0
        in_danger = wins_with(s, 1 - s.player, s.p)
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


def best_cells(s: Record, actions: Actions, most: Int) -> Int:
    """The cells that are good for most to either player, best first."""
    count: Int = 0
    for index in range(s.left):
        cell = np.int64(s.empty[index])
        worth = worth_of(s, cell)
        if count == most and worth <= worth_of(s, np.int64(actions[count - 1])):
            continue
        count = min(count + 1, most)
        place = count - 1
        while place > 0 and worth > worth_of(s, np.int64(actions[place - 1])):
            actions[place] = actions[place - 1]
            place -= 1
        actions[place] = cell
    return count
