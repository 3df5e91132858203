"""check_game finds every broken promise, says it in words, and finds nothing else."""

from __future__ import annotations

import numpy as np
import pyspiel
import pytest

from ponderosa import below, check_game, rule
from ponderosa.errors import SettingError
from ponderosa.games.blind_tictactoe import BlindTicTacToe
from ponderosa.games.goofspiel import Goofspiel
from ponderosa.games.kuhn_poker import KuhnPoker
from tests.helpers import EVERY_GAME, FilledNim, LookAlike, Nim, PlainNim, all_but_large, in_python, loaded, plain

COMPILED = pytest.mark.parametrize(
    "compiled", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["plain", "compiled"]
)
"""Rules as plain Python, in which every promise can be broken; as machine code among the slow tests."""
LONG_IN_PYTHON = ("backgammon", "checkers", "go", "lines_of_action")
"""Games whose moves take milliseconds when they are not compiled."""


@COMPILED
@pytest.mark.parametrize("name", all_but_large())
def test_registered_games_keep_their_promises(name, compiled):
    game = (loaded if compiled else in_python)(EVERY_GAME[name])
    few = game.max_actions >= 100 or (name in LONG_IN_PYTHON and not compiled)
    assert check_game(game, games=2 if few else 20) == []


@pytest.mark.parametrize("game", [Nim(), FilledNim(), PlainNim(), pyspiel.load_game("tic_tac_toe")], ids=str)
def test_other_sound_games_keep_their_promises(game):
    assert check_game(game, games=60) == []


class NoAction(Nim):
    @rule
    def legal_actions(s):
        for heap in range(8):
            for take in range(1, min(s.heaps[heap], 1) + 1):
                if s.heaps[heap] != 2:
                    yield heap * 100 + take


class ThreeReturns(Nim):
    @rule
    def returns(s):
        return (-1.0, 1.0, 0.0) if s.player == 0 else (1.0, -1.0, 0.0)


class OneReturn(PlainNim):
    @rule
    def returns(s):
        return (1.0,)


class OutOfRange(Nim):
    @rule
    def returns(s):
        return (-2.0, 2.0) if s.player == 0 else (2.0, -2.0)


class ThirdPlayer(Nim):
    @rule
    def current_player(s):
        return 2 * s.player


class TooLong(Nim):
    max_game_length = 3


class TooMany(Nim):
    max_actions = 6


class Endless(Nim):
    max_game_length = 20

    @rule
    def apply_action(s, a):
        s.player = 1 - s.player


class Twice(Nim):
    @rule
    def legal_actions(s):
        for heap in range(8):
            if s.heaps[heap] > 0:
                yield heap * 100 + 1
                yield heap * 100 + 1


class SameText(Nim):
    def action_to_string(self, s, a):
        return str(a % 100)


class DeafToText(Nim):
    def parse_action(self, text, state):
        return state.legal_actions()[0]


class BadIndex(Nim):
    @rule
    def apply_action(s, a):
        s.heaps[a // 100] -= a % 100
        s.player = 1 - s.player
        if s.heaps[8 + a // 1000] > 0:
            s.player = 0


class Overflow(Nim):
    dtype = np.dtype([("heaps", "i4", 8), ("player", "i1"), ("hash", "u1")])

    @rule
    def apply_action(s, a):
        s.heaps[a // 100] -= a % 100
        s.player = 1 - s.player
        s.hash = s.hash + 200


class IllegalRandom(Nim):
    @rule
    def random_action(s, rng):
        return 799


class IllegalPlayout(Nim):
    @rule
    def playout_action(s, rng):
        return 799


class NoCandidates(Nim):
    @rule
    def candidates(s, actions):
        return 0


class IllegalCandidates(Nim):
    @rule
    def candidates(s, actions):
        actions[0] = 799
        return 1


class NoWin(Nim):
    @rule
    def winning_action(s):
        for heap in range(8):
            if s.heaps[heap] > 0:
                return heap * 100 + 1
        return -1


class BlindToWins(Nim):
    @rule
    def winning_action(s):
        return -1


class WildGuess(Nim):
    @rule
    def evaluate(s):
        return 7.0, -7.0


class Raises(PlainNim):
    @rule
    def is_terminal(s):
        return 1 // sum(s.heaps) > 1


class Uncompilable(Nim):
    @rule
    def is_terminal(s):
        return sum({heap: s.heaps[heap] for heap in range(8)}.values()) == 0


class Unconcealed(KuhnPoker):
    """Nothing is erased: everybody sees every card."""

    @rule
    def conceal(s, player):
        pass


class KingIsSeen(KuhnPoker):
    """A king shines through."""

    @rule
    def conceal(s, player):
        if s.card[1 - player] != 3:
            s.card[1 - player] = 0


class CardIsHinted(KuhnPoker):
    """The card is erased, and what is left tells whether it was the jack."""

    dtype = np.dtype([*KuhnPoker.dtype.descr, ("hint", "i1")])

    @rule
    def conceal(s, player):
        s.hint = s.card[1 - player] == 1
        s.card[1 - player] = 0


class KnownMarksOfTheOther(BlindTicTacToe):
    """What the other has found out is not erased."""

    @rule
    def conceal(s, player):
        s.marks[1 - player] = s.found[player]


class OwnCardIsDrawn(KuhnPoker):
    @rule
    def determinize(s, player, rng):
        s.card[player] = 1 + below(rng, 3)


class OwnMarksAreErased(BlindTicTacToe):
    @rule
    def conceal(s, player):
        s.marks[1 - player] = s.found[player]
        s.marks[player] = s.found[1 - player] = 0


class NothingIsDrawn(BlindTicTacToe):
    """What was erased stays so: the drawn state may have another turn."""

    @rule
    def conceal(s, player):
        s.marks[1 - player] = s.found[player]
        s.found[1 - player] = s.player = 0

    @rule
    def determinize(s, player, rng):
        pass


class MoreThanCertain(KuhnPoker):
    @rule
    def chance_outcomes(s):
        for card in range(3):
            if card + 1 != s.card[0]:
                yield card, 0.5


class LessThanNothing(KuhnPoker):
    @rule
    def chance_outcomes(s):
        if s.dealt == 0:
            yield 0, -0.5
        for card in range(1, 3):
            if card + 1 != s.card[0]:
                yield card, 0.75 if s.dealt == 0 else 1.0 if s.card[0] > 1 else 0.5


class SameCardTwice(KuhnPoker):
    @rule
    def chance_outcomes(s):
        yield s.dealt, 0.5
        yield s.dealt, 0.5


class NoCards(KuhnPoker):
    @rule
    def chance_outcomes(s):
        for card in range(s.dealt, 0):
            yield card, 1.0


class NobodyMayBid(Goofspiel):
    @rule
    def legal_actions(s, player, actions):
        actions[0] = 0
        return 1 - player


class UndeclaredDice(Nim):
    @rule
    def current_player(s):
        return -1


class UndeclaredAtOnce(Nim):
    @rule
    def current_player(s):
        return -2


BROKEN = {
    Unconcealed: "tells hidden things: 'card'",
    KingIsSeen: "tells hidden things: 'card'",
    CardIsHinted: "tells hidden things: 'hint'",
    KnownMarksOfTheOther: "tells hidden things: 'found'",
    OwnCardIsDrawn: "determinize changes what player 1 sees, in 'card'",
    OwnMarksAreErased: "sees does not tell the legal actions: conceal erases too much",
    NothingIsDrawn: "sees does not tell whose turn it is: conceal erases too much",
    MoreThanCertain: "the probabilities of chance_outcomes sum to 1.5, not to 1",
    LessThanNothing: "chance_outcomes gives a probability that is none",
    SameCardTwice: "chance_outcomes gives an outcome twice",
    NoCards: "dice decide, and chance_outcomes gives none",
    NobodyMayBid: "all choose at once, and player 2 has no legal action",
    UndeclaredDice: "the game does not declare chance = True",
    UndeclaredAtOnce: "the game does not declare simultaneous = True",
    NoAction: "a state that is not over has no legal action",
    ThreeReturns: "returns gave (-1.0, 1.0, 0.0), 3 numbers in a game of 2 players",
    OneReturn: "returns gave (1.0,), 1 numbers in a game of 2 players",
    OutOfRange: "outside the declared range -1 .. 1 (min_utility, max_utility)",
    ThirdPlayer: "current_player is 2 in a game of 2 players",
    TooLong: "a game is longer than max_game_length says 3",
    TooMany: "7 legal actions",
    Endless: "a game is longer than max_game_length says 20",
    Twice: "legal_actions lists an action twice",
    SameText: "which parse_action reads as",
    DeafToText: "which parse_action reads as",
    BadIndex: "apply_action raised IndexError",
    IllegalRandom: "random_action gives 799, which is not legal",
    IllegalPlayout: "playout_action gives 799, which is not legal",
    NoCandidates: "candidates gives [], not all legal, or none",
    IllegalCandidates: "candidates gives [799], not all legal, or none",
    NoWin: "which does not win at once",
    BlindToWins: "winning_action gives -1, and",
    WildGuess: "evaluate gives [7.0, -7.0]: one number a player, in the declared range, is right",
    Raises: "is_terminal() raised ZeroDivisionError",
    Uncompilable: "cannot be compiled",
}


@COMPILED
@pytest.mark.parametrize("broken", BROKEN, ids=lambda game: game.__name__)
def test_a_broken_promise_is_found_and_said_in_words(broken, compiled):
    as_it_is = compiled or broken is Uncompilable or broken.dtype is None
    problems = check_game(broken() if as_it_is else plain(broken()), games=60)
    assert any(BROKEN[broken] in problem for problem in problems), problems
    assert len(problems) <= 3, problems


def test_a_problem_says_how_to_get_there():
    (problem,) = check_game(TooLong(), games=60)
    assert "(after the actions [" in problem


def test_numbers_that_overflow_are_noticed():
    problems = check_game(Overflow((5, 5, 5)), games=20)
    assert problems
    assert "apply_action" in problems[0]


class Shared(LookAlike):
    """A heap that all clones share."""

    def __init__(self, heap=None, player: int = 0) -> None:
        self.heap, self.player = [5] if heap is None else heap, player

    @property
    def stones(self):
        return self.heap[0]

    def apply_action(self, action):
        self.heap[0] -= int(action.split()[1])
        self.player = 1 - self.player

    def clone(self):
        return Shared(self.heap, self.player)


class Sound(LookAlike):
    def __str__(self):
        return f"{self.stones} {self.player}"


class GameOf:
    def __init__(self, state):
        self.new_initial_state = state


def test_a_clone_that_shares_memory_is_found():
    assert check_game(GameOf(Sound), games=30) == []
    (problem,) = check_game(GameOf(Shared), games=30)
    assert "a clone shares memory with its original" in problem


class ThirdPlayerState(LookAlike):
    def current_player(self):
        return 5


class LostState(LookAlike):
    def legal_actions(self):
        return []


class RichState(LookAlike):
    def returns(self):
        return [100.0, -100.0]


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (ThirdPlayerState, "current_player is 5 in a game of 2 players"),
        (LostState, "a state that is not over has no legal action"),
        (RichState, "returns gives 100.0, outside the declared range"),
    ],
)
def test_states_of_any_class_are_checked(state, message):
    assert any(message in problem for problem in check_game(GameOf(state), games=10))


@pytest.mark.parametrize("game", [None, 3, "connect4", LookAlike()])
def test_only_a_game_is_checked(game):
    with pytest.raises(SettingError, match="check_game checks a game"):
        check_game(game)


@pytest.mark.parametrize("games", [0, -1, "many", 1.5, True, None])
def test_the_number_of_games_must_make_sense(games):
    with pytest.raises(SettingError, match="games must be a whole number of at least 1"):
        check_game(Nim(), games=games)
