"""Games that do not end, and one that ends just in time. Start at ToAndFro."""

from __future__ import annotations

import numpy as np

from ponderosa import Game, rule


class Still(Game):
    """Three actions for ever: apply_action forgets to change anything."""

    dtype = np.dtype([("player", "i1"), ("left", "i1")])

    def setup(self, s):
        s.left = 5

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        yield 0
        yield 1
        yield 2

    @rule
    def apply_action(s, a):
        left = s.left - 1  # noqa: F841

    @rule
    def is_terminal(s):
        return s.left == 0

    @rule
    def returns(s):
        return (1.0, -1.0)

    @rule
    def key(s):
        return s.player


class ToAndFro(Still):
    """It changes, and never ends."""

    max_game_length = 50

    @rule
    def apply_action(s, a):
        s.player = 1 - s.player


class Fork(ToAndFro):
    """Action 0 ends it; after any other it never ends."""

    @rule
    def apply_action(s, a):
        if s.left == 5:
            s.left = 0 if a == 0 else 1


class Dice(ToAndFro):
    """Dice are rolled for ever after the first move."""

    chance = True

    @rule
    def current_player(s):
        return s.player if s.left == 5 else -1

    @rule
    def apply_action(s, a):
        s.left = 4

    @rule
    def chance_outcomes(s):
        yield 0, 0.5
        yield 1, 0.5


class HiddenDice(Dice):
    hidden = True

    @rule
    def conceal(s, player):
        s.player = 0

    @rule
    def determinize(s, player, rng):
        s.player = 0


class AtOnce(ToAndFro):
    simultaneous = True

    @rule
    def current_player(s):
        return -2

    @rule
    def legal_actions(s, player):
        yield 0
        yield 1

    @rule
    def apply_actions(s, chosen):
        s.player = 1 - s.player


class Alone(ToAndFro):
    players = 1

    @rule
    def returns(s):
        return (1.0,)

    @rule
    def apply_action(s, a):
        s.left = 6 - s.left


class PlainToAndFro(Game):
    """The same without a dtype."""

    max_game_length = 50

    def setup(self, s):
        s.player, s.moves = 0, 0

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        return ["left", "right"]

    @rule
    def apply_action(s, a):
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return False

    @rule
    def returns(s):
        return (1.0, -1.0)


class Countdown(ToAndFro):
    """Five moves, as declared."""

    max_game_length = 5

    @rule
    def apply_action(s, a):
        s.left -= 1


class Costly(Alone):
    """One player, who pays for every way out but the first action: after that, there is none."""

    min_utility, max_utility = -np.inf, 0.0

    @rule
    def apply_action(s, a):
        if s.left == 5:
            s.left = 1 if a == 0 else 0

    @rule
    def returns(s):
        return (-5.0,)


class PlainCostly(Game):
    """The same without a dtype."""

    players, min_utility, max_utility = 1, -np.inf, 0.0
    max_game_length = 50

    def setup(self, s):
        s.left, s.moves = 5, 0

    @rule
    def current_player(s):
        return 0

    @rule
    def legal_actions(s):
        return [0, 1, 2]

    @rule
    def apply_action(s, a):
        s.moves += 1
        if s.left == 5:
            s.left = 1 if a == 0 else 0

    @rule
    def is_terminal(s):
        return s.left == 0

    @rule
    def returns(s):
        return (-5.0,)


class ForkAhead(ToAndFro):
    """The second move ends it, for the first player, if it is 0; after any other it never ends."""

    @rule
    def apply_action(s, a):
        s.player = 1 - s.player
        if s.left == 5:
            s.left = 4
        elif s.left == 4:
            s.left = 0 if a == 0 else 1


class LongAlone(Game):
    """One player, plain Python, and two hundred moves to the end."""

    players, min_utility, max_utility = 1, 0.0, 1.0

    def setup(self, s):
        s.left = 200

    @rule
    def current_player(s):
        return 0

    @rule
    def legal_actions(s):
        return [0, 1]

    @rule
    def apply_action(s, a):
        s.left -= 1

    @rule
    def is_terminal(s):
        return s.left == 0

    @rule
    def returns(s):
        return (1.0,)
