"""Games with the mistakes that beginners make, one each: tests/core/test_mistakes.py says what is told of them.

The line that is wrong is marked by the name of its game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa import Game, rule

# ruff: noqa: B018, F821, RET503, UP028, RUF012, RUF100


class Sound(Game):
    """Take one to three stones; whoever takes the last one wins."""

    dtype: Any = np.dtype([("stones", "i4"), ("player", "i1")])

    def setup(self, s: Any) -> None:
        s.stones = 7

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        for take in range(1, min(3, s.stones) + 1):
            yield take

    @rule
    def apply_action(s, a):
        s.stones -= a
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return s.stones == 0

    @rule
    def returns(s):
        return (-1.0, 1.0) if s.player == 0 else (1.0, -1.0)


def heap_of(s):
    heap = s.stones
    return heap + s.heap  # HelperOfUnknownField


def between(s):
    return heap_of(s)


def described(stones):
    more = stones + 1
    return more + "stones"  # HelperOfWrongTypes


def formatted(stones):
    return f"{stones:>3}"  # HelperThatFormats


def asked_for(stones):
    if stones > 1000:
        input("stones")  # HelperThatAsks
    return stones


def summed(one, other):
    return one + other


class UnknownField(Sound):
    @rule
    def is_terminal(s):
        return s.stone == 0  # UnknownField


class UnknownFieldIsSet(Sound):
    @rule
    def apply_action(s, a):
        s.heap -= a  # UnknownFieldIsSet


class HelperOfUnknownField(Sound):
    @rule
    def is_terminal(s):
        heap = s.stones
        return heap == 0 or between(s) == 0


class HelperOfWrongTypes(Sound):
    @rule
    def is_terminal(s):
        return described(s.stones) == 0


class HelperThatAsks(Sound):
    @rule
    def is_terminal(s):
        return asked_for(s.stones) == 0


class HelperThatFormats(Sound):
    @rule
    def is_terminal(s):
        return s.stones == 0 or len(formatted(s.stones)) == 0


class HelperWithTooLittle(Sound):
    @rule
    def is_terminal(s):
        return summed(s.stones) == 0  # HelperWithTooLittle


class UnknownFunction(Sound):
    @rule
    def is_terminal(s):
        return is_empty(s.stones)  # UnknownFunction


class NoMethod(Sound):
    @rule
    def is_terminal(s):
        return s.is_over()  # NoMethod


class ActionsAreTexts(Sound):
    @rule  # ActionsAreTexts
    def legal_actions(s):
        yield "one"


class TooManyArguments(Sound):
    @rule  # TooManyArguments
    def apply_action(s, a, player):
        s.stones -= a


class NoArguments(Sound):
    @rule  # NoArguments
    def current_player():
        return 0


class WithSelf(Sound):
    @rule  # WithSelf
    def is_terminal(self, s):
        return s.stones == self.least


class SpeaksOfSelf(Sound):
    @rule
    def is_terminal(s):
        return s.stones == self.least  # SpeaksOfSelf


class NotInNumba(Sound):
    @rule
    def is_terminal(s):
        return s.stones == np.apply_over_axes(np.sum, np.zeros((2, 2)), [0])[0, 0]  # NotInNumba


class TwoTypes(Sound):
    @rule
    def is_terminal(s):
        size = 0
        if s.stones > 3:
            size = "many"
        return s.stones == 0 and size == 0  # TwoTypes


class OneNumber(Sound):
    @rule  # OneNumber
    def returns(s):
        return 1.0


class ThreeNumbers(Sound):
    @rule  # ThreeNumbers
    def returns(s):
        return (1.0, -1.0, 0.0)


class AListOfTwoKinds(Sound):
    @rule  # AListOfTwoKinds
    def returns(s):
        return [1.0, -1.0] if s.player else (-1.0, 1.0)


class NothingIsReturned(Sound):
    @rule
    def returns(s):
        (1.0, -1.0) if s.player else (-1.0, 1.0)  # NothingIsReturned


class SometimesNothing(Sound):
    @rule
    def is_terminal(s):
        if s.stones == 0:  # SometimesNothing
            return True


class PlayersAreTexts(Sound):
    @rule  # PlayersAreTexts
    def current_player(s):
        return "X" if s.player else "O"


class ChangesWhatItLooksAt(Sound):
    @rule  # ChangesWhatItLooksAt
    def legal_actions(s):
        s.player = 1 - s.player
        for take in range(1, min(3, s.stones) + 1):
            yield take


class SetsUpAnotherField(Sound):
    def setup(self, s: Any) -> None:
        s.heap = 7  # SetsUpAnotherField


class DtypeIsAList(Sound):
    dtype = [("stones", "i4"), ("player", "i1")]


class DtypeWithoutFields(Sound):
    dtype = np.dtype("i4")


class DtypeWithTexts(Sound):
    dtype = np.dtype([("stones", "i4"), ("player", "i1"), ("name", "U5")])


class LacksARule(Game):
    dtype = Sound.dtype

    @rule
    def current_player(s):
        return s.player
