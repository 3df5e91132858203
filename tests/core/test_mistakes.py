"""What an author of a game is told about each usual mistake: a sentence, with the line, that says what is right."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from ponderosa import PonderosaError, Search, check_game, rule
from ponderosa.core.rules import jit_enabled
from tests.core import broken_games
from tests.helpers import PlainNim

SOURCE = Path(broken_games.__file__).read_text().splitlines()

MISTAKES = {
    "UnknownField": "the state has no field 'stone'; its dtype has ('stones', 'player')",
    "UnknownFieldIsSet": "the state has no field 'heap'",
    "HelperOfUnknownField": "in heap_of",
    "HelperOfWrongTypes": "in described",
    "HelperThatFormats": "in formatted: formatting in f-strings is not supported",
    "HelperThatAsks": "in asked_for: Untyped global name 'input'",
    "HelperWithTooLittle": "missing 1 required positional argument: 'other'",
    "UnknownFunction": "name 'is_empty' is not defined",
    "NoMethod": "the state has no field 'is_over'",
    "ActionsAreTexts": "gives 'one': an action of a game with a dtype is a whole number",
    "TooManyArguments": "takes (s, a, player)",
    "NoArguments": "takes nothing",
    "WithSelf": "takes self",
    "SpeaksOfSelf": "uses self",
    "NotInNumba": "unsupported NumPy function 'numpy.apply_over_axes'",
    "TwoTypes": "Cannot unify",
    "OneNumber": "gave 1.0: one number for each of 2 players is right, as in (1.0, -1.0)",
    "ThreeNumbers": "3 numbers in a game of 2 players",
    "AListOfTwoKinds": "a tuple is right",
    "NothingIsReturned": "ends without a `return` of a value",
    "SometimesNothing": "every way through it must return one",
    "PlayersAreTexts": "the number of a player, from 0 on, is right",
    "ChangesWhatItLooksAt": "changes the state",
    "SetsUpAnotherField": "the state has no field 'heap'; its dtype has ('stones', 'player')",
    "DtypeIsAList": "write dtype = np.dtype([...])",
    "DtypeWithoutFields": "has no fields: name them",
    "DtypeWithTexts": "the field 'name' must hold numbers",
    "LacksARule": "has no rule 'legal_actions': write `@rule` above `def legal_actions(s, ...)`",
}
RUNS = ("ThreeNumbers", "ChangesWhatItLooksAt")
"""What runs all the same: a state does not notice it, but for the first of them at its end."""


def told(name: str, door) -> str:
    """What a door of the library says about a game."""
    try:
        found = door(getattr(broken_games, name)())
    except PonderosaError as error:
        return str(error)
    return " ".join(found) if isinstance(found, list) else ""


def line_of(name: str) -> int | None:
    """The line that is marked."""
    return next((number for number, line in enumerate(SOURCE, 1) if line.endswith(f"# {name}")), None)


DOORS = {
    "check_game": lambda game: check_game(game, games=2),
    "state": lambda game: game.new_initial_state().is_terminal(),
    "search": lambda game: Search(game).run(iterations=20).stopped,
}


CASES = [(name, door) for name in MISTAKES for door in DOORS if door != "state" or name not in RUNS]


@pytest.mark.skipif(not jit_enabled(), reason="what a rule raises is left to the debugger")
@pytest.mark.parametrize(("name", "door"), CASES)
def test_a_mistake_is_told_with_its_line_and_what_is_right(name, door):
    words = told(name, DOORS[door])
    assert MISTAKES[name] in words
    line = line_of(name)
    assert line is None or f"broken_games.py, line {line}" in words
    assert "Record(" not in words and "\n" not in words


def test_the_game_that_they_are_made_of_is_sound():
    assert check_game(broken_games.Sound(), games=5) == []


class Hushed(PlainNim):
    """Plain Python may leave an answer out, and suppress what it likes on its way."""

    @rule
    def is_terminal(s):
        with contextlib.suppress(LookupError):
            return sum(s.heaps) == 0

    @rule
    def current_player(s):
        if s.player:
            return 1
        return None or 0

    @rule
    def apply_action(s, a, more=0):
        s.heaps[a[0]] -= a[1] + more
        s.player = 1 - s.player


def test_plain_python_is_held_to_less():
    assert check_game(Hushed(), games=5) == []


def test_a_result_of_the_wrong_length_is_refused_at_the_end_of_a_game():
    state = broken_games.ThreeNumbers().new_initial_state()
    for action in (3, 3, 1):
        state.apply_action(action)
    with pytest.raises(PonderosaError, match="3 numbers in a game of 2 players"):
        state.returns()
