"""Games whose rules break down after a few moves, for the tests of who is to blame."""

from __future__ import annotations

import numpy as np

from ponderosa import Game, rule

HANGS, RAISES = 1, 2


class Counting(Game):
    """Say one or two, in turn, until ten is reached; at three the rules may do something else."""

    dtype = np.dtype([("total", "i4"), ("player", "i1"), ("trouble", "i1"), ("at", "i4")])

    def __init__(self, trouble: int = 0, at: int = 3):
        self.trouble, self.at = trouble, at

    def setup(self, s):
        s.trouble, s.at = self.trouble, self.at

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        yield 1
        yield 2

    @rule
    def apply_action(s, a):
        s.total += a
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        while s.trouble == 1 and s.total >= s.at:
            pass
        return s.total >= 10

    @rule
    def returns(s):
        return (-1.0, 1.0) if s.player == 0 else (1.0, -1.0)


class Raising(Counting):
    """The same without a dtype, so that what is raised comes from the rule itself."""

    dtype = None

    def setup(self, s):
        s.total, s.player, s.trouble, s.at = 0, 0, self.trouble, self.at

    @rule
    def apply_action(s, a):
        s.total += a
        if s.trouble == 2 and s.total >= s.at:
            raise RuntimeError("the dog ate it")
        s.player = 1 - s.player


class Pairs(Raising):
    """The same with actions that are no numbers: who says what."""

    @rule
    def legal_actions(s):
        return [(s.player, 1), (s.player, 2)]

    @rule
    def apply_action(s, a):
        s.total += a[1]
        s.player = 1 - s.player
