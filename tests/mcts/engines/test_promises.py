"""A game that breaks its word is not searched as if nothing were: the error says which rule, what it did, and where."""

from __future__ import annotations

import dataclasses
import itertools
import math
import warnings

import numpy as np
import pytest

from ponderosa import CHANCE, Game, Search, check_game, load_agent, load_game, rule
from ponderosa.alphabeta import operations
from ponderosa.core.checks import rehearsal
from ponderosa.core.checks.rehearsal import FIRST, Care, rehearsed
from ponderosa.core.rules import jit_enabled
from ponderosa.errors import GameError
from ponderosa.mcts.engines import record
from tests.helpers import plain

# ruff: noqa: UP028

DEEP = 12
"""What is wrong begins when so many stones are left."""

FAULTS = {
    "nan": "returns gives nan, outside the declared range -1 .. 1 (min_utility, max_utility)",
    "range": "returns gives 7.0, outside the declared range -1 .. 1 (min_utility, max_utility)",
    "player": "current_player is 7 in a game of 2 players",
    "many": "20 legal actions",
    "none": "a state that is not over has no legal action",
    "outside": "apply_action raised IndexError: index 309 is out of bounds for axis 0 with size 9",
    "neighbour": "apply_action raised IndexError: index 9 is out of bounds for axis 0 with size 9",
    "huge": "legal_actions gives 1099511627776: an action of a game with a dtype is a number from 0 to 2,147,483,647",
    "negative": "legal_actions gives -1: an action of a game with a dtype is a number from 0 to 2,147,483,647",
    "player changes": "current_player changes the state: only apply_action may",
    "actions change": "legal_actions changes the state: only apply_action may",
    "end changes": "is_terminal changes the state: only apply_action may",
    "returns change": "returns changes the state: only apply_action may",
}
NAN, RANGE, PLAYER, MANY, NONE, OUTSIDE, NEIGHBOUR, HUGE, NEGATIVE, PLAYER_S, ACTIONS_S, END_S, RETURNS_S = range(1, 14)
NOTICED = ("nan", "range", "player", "many", "none", "outside")
"""What machine code notices however deep it is."""


class Unsound(Game):
    """Take one to three stones, whoever takes the last one wins; from some time on, something is wrong."""

    max_actions = 16
    dtype = np.dtype([("board", "i1", 9), ("after", "i1"), ("stones", "i4"), ("player", "i1"), ("fault", "i1")])

    def __init__(self, fault: str = "") -> None:
        self.fault = fault

    def setup(self, s):
        s.stones = 18
        s.fault = 1 + list(FAULTS).index(self.fault) if self.fault else 0

    @rule
    def current_player(s):
        if s.fault == PLAYER_S:
            s.board[0] = s.stones % 2
        return 7 if s.fault == PLAYER and s.stones < DEEP else s.player

    @rule
    def legal_actions(s):
        wrong = s.stones < DEEP
        if s.fault == ACTIONS_S and wrong:
            s.board[1] += 1
        if s.fault != NONE or not wrong:
            for take in range(1, min(3, s.stones) + 1):
                yield take
        if s.fault == MANY and wrong:
            for more in range(20 - min(3, s.stones)):
                yield 4 + more
        if s.fault == HUGE and wrong:
            yield 2**40
        if s.fault == NEGATIVE and wrong:
            yield -1

    @rule
    def apply_action(s, a):
        if s.fault == OUTSIDE and s.stones < DEEP:
            s.board[300 + 9] = 1
        if s.fault == NEIGHBOUR and s.stones < DEEP:
            s.board[9] = 1
        s.stones -= min(a, s.stones)
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        if s.fault == END_S and s.stones == 0:
            s.board[2] = 1
        return s.stones == 0

    @rule
    def returns(s):
        if s.fault == RETURNS_S:
            s.board[3] = 1
        if s.fault == NAN:
            return (np.nan, np.nan)
        if s.fault == RANGE:
            return (7.0, -7.0)
        return (-1.0, 1.0) if s.player == 0 else (1.0, -1.0)

    @rule
    def evaluate(s):
        return (0.0, 0.0)


class LoadedDice(Game):
    """A coin is thrown until it shows heads twice, and its sides are not as likely as it says."""

    chance = True
    dtype = np.dtype([("heads", "i1"), ("turns", "i1"), ("flying", "i1")])
    max_actions = 2

    @rule
    def current_player(s):
        return CHANCE if s.flying else s.turns % 2

    @rule
    def chance_outcomes(s):
        yield 0, 0.5
        yield 1, 0.5 if s.turns < 3 else 0.25

    @rule
    def legal_actions(s):
        yield 0

    @rule
    def apply_action(s, a):
        s.heads += a
        s.turns += 1 - s.flying
        s.flying = 1 - s.flying

    @rule
    def is_terminal(s):
        return s.heads == 2 or s.turns == 20

    @rule
    def returns(s):
        return (1.0, -1.0) if s.turns % 2 == 0 else (-1.0, 1.0)


def told(game: Game, **settings) -> str:
    """What a search says of a game that it refuses."""
    with pytest.raises(GameError) as refused:
        Search(game, **settings).run(iterations=20_000)
    return str(refused.value)


PATIENT = dataclasses.replace(FIRST, seconds=math.inf)
"""As a search looks at a game at first, however slow the machine is."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_search_refuses_a_game_that_breaks_its_word(fault, monkeypatch):
    monkeypatch.setattr(rehearsal, "FIRST", PATIENT)
    words = told(Unsound(fault))
    assert FAULTS[fault] in words
    assert "test_promises.py, line" in words and "`ponderosa check`" in words
    assert "after the actions" in words or fault == "player changes"
    assert "\n" not in words


@pytest.mark.parametrize("fault", FAULTS)
def test_check_game_finds_the_same(fault):
    assert any(FAULTS[fault] in problem for problem in check_game(Unsound(fault), games=5))


def test_a_sound_game_is_searched():
    assert check_game(Unsound(), games=20) == []
    report = Search(Unsound()).run(iterations=20_000)
    assert report.proven == "win" and report.best_action == 2


@pytest.fixture
def unrehearsed(monkeypatch):
    """Searches that begin as if what is wrong came later than any rehearsal, and look for it however long it takes."""
    monkeypatch.setattr(rehearsal, "HUNT", dataclasses.replace(rehearsal.HUNT, seconds=math.inf))
    monkeypatch.setattr(record, "rehearse_once", lambda game: None)
    monkeypatch.setattr(operations, "rehearse_once", lambda game: None)


@pytest.mark.skipif(not jit_enabled(), reason="plain Python raises by itself")
@pytest.mark.parametrize("fault", NOTICED)
def test_what_is_wrong_deep_in_a_game_is_noticed_by_machine_code(unrehearsed, fault):
    words = told(Unsound(fault), solve=False)
    assert FAULTS[fault] in words and "after the actions" in words


@pytest.mark.skipif(not jit_enabled(), reason="plain Python raises by itself")
@pytest.mark.parametrize("fault", NOTICED)
def test_what_is_noticed_is_said_even_if_nobody_finds_it_again(unrehearsed, monkeypatch, fault):
    monkeypatch.setattr(rehearsal, "HUNT", Care(games=0))
    general = {
        "nan": "returns gives a number outside the declared range (min_utility, max_utility), or none at all",
        "range": "returns gives a number outside the declared range (min_utility, max_utility), or none at all",
        "many": "a state has 20 legal actions: declare `max_actions = 20` or more",
        "outside": "a rule writes outside its arrays",
    }
    assert f"unsound: {general.get(fault, FAULTS[fault])}" in told(Unsound(fault), threads=1)


@pytest.mark.skipif(not jit_enabled(), reason="only machine code shares a tree")
@pytest.mark.parametrize("fault", ["nan", "player"])
def test_threads_notice_it_too(unrehearsed, fault):
    assert FAULTS[fault] in told(Unsound(fault), threads=2, parallel="tree")


@pytest.mark.parametrize("fault", ["nan", "range", "many", "none"])
def test_alpha_beta_notices_it_too(unrehearsed, fault):
    game = Unsound(fault)
    with pytest.raises(GameError) as refused:
        load_agent("minimax:depth=18", game).step(game.new_initial_state())
    assert FAULTS[fault] in str(refused.value) and "after the actions" in str(refused.value)


def test_probabilities_that_do_not_sum_to_one_are_refused(unrehearsed):
    words = told(LoadedDice())
    assert "the probabilities of chance_outcomes sum to 0.75, not to 1" in words and "after the actions" in words


def test_a_game_is_rehearsed_once_and_those_of_the_package_never(monkeypatch):
    rehearsals = []
    monkeypatch.setattr(rehearsal, "rehearsed", lambda game, *more, **others: rehearsals.append(game.spec))
    monkeypatch.setattr(rehearsal, "_known", set())
    for game in (Unsound(), Unsound(), Unsound("nan"), load_game("tictactoe"), load_game("tictactoe")):
        rehearsal.rehearse_once(game)
    assert rehearsals == ["unsound", "unsound:fault=nan"]


class Endless(Unsound):
    @rule
    def apply_action(s, a):
        s.player = 1 - s.player


def test_a_rehearsal_ends_when_its_time_is_up():
    ticks = itertools.count()
    assert rehearsed(plain(Endless()), FIRST, clock=lambda: 0.001 * next(ticks)) is None
    assert next(ticks) < 100


def test_the_same_games_are_rehearsed_every_time():
    assert rehearsed(plain(Unsound("many"))) is None  # only what cannot run is told of then
    first = rehearsed(plain(Unsound("many")), PATIENT)
    assert first is not None and first == rehearsed(plain(Unsound("many")), PATIENT)


OPTIONAL = ("random_action", "playout_action", "candidates", "bounds", "winning_action", "key", "prior", "evaluate")


class Meddling(Unsound):
    """One of the rules that need not be changes what it looks at."""

    def setup(self, s):
        s.stones = 6
        s.after = 1 + OPTIONAL.index(self.fault)

    @rule
    def random_action(s, rng):
        s.board[0] += s.after == 1
        return 1

    @rule
    def playout_action(s, rng):
        s.board[0] += s.after == 2
        return 1

    @rule
    def candidates(s):
        s.board[0] += s.after == 3
        yield 1

    @rule
    def bounds(s):
        s.board[0] += s.after == 4
        return (-1.0, 1.0)

    @rule
    def winning_action(s):
        s.board[0] += s.after == 5
        return s.stones if s.stones <= 3 else -1

    @rule
    def key(s):
        s.board[0] += s.after == 6
        return s.stones * 2 + s.player

    @rule
    def prior(s, a):
        s.board[0] += s.after == 7
        return 0.0

    @rule
    def evaluate(s):
        s.board[0] += s.after == 8
        return (0.0, 0.0)


@pytest.mark.parametrize("name", OPTIONAL)
def test_no_rule_that_is_asked_may_change_the_state(name):
    assert any(f"{name} changes the state" in problem for problem in check_game(Meddling(name), games=2))
    words = rehearsed(plain(Meddling(name)), PATIENT)
    assert words is not None and f"meddling.{name} changes the state: only apply_action may" in words


class Counted(Game):
    """Take a stone, or three; numbers of actions, results and hashes are what tests want them to be."""

    max_utility, min_utility = 0.3, -0.3
    dtype = np.dtype([("stones", "i4"), ("hash", "u8"), ("count", "i4"), ("slow", "i4")])

    def __init__(self, count: int = 2, slow: int = 0) -> None:
        self.count, self.slow = count, slow

    def setup(self, s):
        s.stones, s.count, s.slow, s.hash = 9, self.count, self.slow, 1

    @rule
    def current_player(s):
        return s.stones % 2

    @rule
    def legal_actions(s, out):
        out[0] = 1
        out[1] = 3
        return min(s.count, s.stones) if s.count > 0 else s.count

    @rule
    def apply_action(s, a):
        turns = s.slow
        while turns != 0:
            turns += 1 if turns < 0 else 0  # a positive one never ends
        s.stones = max(s.stones - a, 0)
        s.hash = s.hash * np.uint64(11400714819323198485)

    @rule
    def is_terminal(s):
        return s.stones == 0

    @rule
    def returns(s):
        return (0.1 + 0.2, -0.1 - 0.2)


def test_a_negative_number_of_actions_is_told() -> None:
    with pytest.raises(GameError, match="legal_actions gives -3: the number of legal actions is right"):
        Search(Counted(count=-3)).run(iterations=10)
    assert any("legal_actions gives -3" in problem for problem in check_game(Counted(count=-3)))


def test_rounding_and_hashes_that_overflow_break_no_word() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Search(Counted()).run(iterations=10).iterations == 10
        assert check_game(Counted()) == []


def test_a_rule_that_hangs_does_not_hang_what_rehearses_it() -> None:
    assert rehearsed(Counted(slow=1), FIRST) is None
