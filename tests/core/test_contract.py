"""The contract: one game in every style it may be written in, and states that are equal when they should be."""

from __future__ import annotations

import re
import typing
from typing import Optional

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ponderosa
from ponderosa import Game, PonderosaError, Search, rule
from ponderosa.errors import GameError, IllegalActionError, SettingError, UnknownNameError
from tests.helpers import (
    EVERY_GAME,
    FilledNim,
    LookAlike,
    Nim,
    PlainNim,
    all_but_large,
    grown,
    in_python,
    loaded,
    play_game,
    random_position,
)

STYLES = [Nim, FilledNim, PlainNim]


class TextNim(Nim):
    """Nim without a dtype whose actions are texts."""

    dtype = None

    def setup(self, s):
        s.heaps, s.player = np.array(self.heaps), 0

    @rule
    def legal_actions(s):
        return [f"{heap}:{take}" for heap, stones in enumerate(s.heaps) for take in range(1, stones + 1)]

    @rule
    def apply_action(s, a):
        heap, take = map(int, a.split(":"))
        s.heaps[heap] -= take
        s.player = 1 - s.player


@pytest.mark.parametrize("style", [*STYLES, TextNim])
@pytest.mark.parametrize(
    ("heaps", "result", "best"),
    [((1, 2, 4), "win", "1 from heap 2"), ((1, 2, 3), "loss", None), ((3,), "win", "3 from heap 0")],
)
def test_every_style_of_nim_is_solved(style, heaps, result, best):
    names = {"1 from heap 2": (201, (2, 1), "2:1"), "3 from heap 0": (3, (0, 3), "0:3")}
    report = ponderosa.search(style(heaps).new_initial_state(), iterations=20_000)
    assert report.proven == result
    assert report.stopped == "solved"
    assert best is None or report.best_action in names[best]


def test_both_styles_of_listing_actions_grow_the_same_tree():
    trees = []
    for style in (Nim, FilledNim):
        search = Search(style((3, 4, 5)), seed=4)
        search.run(iterations=500)
        trees.append(grown(search))
    assert np.array_equal(*trees)


@pytest.mark.parametrize("style", [*STYLES, TextNim])
def test_states_answer_the_names_of_openspiel(style):
    game = style((1, 2))
    state = game.new_initial_state()
    assert (state.current_player(), state.is_terminal(), state.num_players()) == (0, False, 2)
    assert len(state.legal_actions()) == 3
    assert state.returns() == [0.0, 0.0]
    for _ in range(3):
        if not state.is_terminal():
            state.apply_action(state.legal_actions()[-1])
    assert (state.is_terminal(), state.current_player(), state.legal_actions()) == (True, ponderosa.TERMINAL, [])
    assert state.returns() == [-1.0, 1.0]
    assert len(state.history()) == 2


@pytest.mark.parametrize("style", [*STYLES, TextNim])
def test_a_clone_goes_its_own_way(style):
    state = style((1, 2)).new_initial_state()
    before, twin = (str(state), state.history(), hash(state)), state.clone()
    assert twin == state
    assert hash(twin) == hash(state)
    twin.apply_action(twin.legal_actions()[0])
    assert twin != state
    assert (str(state), state.history(), hash(state)) == before


@pytest.mark.parametrize("style", [Nim, PlainNim])
def test_states_are_equal_however_they_were_reached(style):
    game = style((2, 2))
    start = game.new_initial_state()
    one, _, other, _ = start.legal_actions()
    there, back = start.child(one).child(other), start.child(other).child(one)
    assert there == back
    assert hash(there) == hash(back)
    assert there.history() != back.history()
    assert there != start
    assert start != "a state"
    assert start != style((2, 2, 1)).new_initial_state()


def test_states_that_differ_in_scratch_fields_alone_are_equal():
    start = loaded("tictactoe").new_initial_state()
    there, back = start.child(0).child(4).child(8), start.child(8).child(4).child(0)
    assert there.data.tobytes() != back.data.tobytes()
    assert there == back
    assert hash(there) == hash(back)


@pytest.mark.parametrize("style", [*STYLES, TextNim])
def test_an_illegal_action_names_the_legal_ones(style):
    state = style((1,)).new_initial_state()
    (only,) = state.legal_actions()
    with pytest.raises(ValueError, match=re.escape(f"is not a legal action here; legal: {only!r}")) as error:
        state.apply_action(999)
    assert isinstance(error.value, IllegalActionError)
    state.apply_action(only)
    with pytest.raises(IllegalActionError, match="none, the game is over"):
        state.apply_action(only)


@pytest.mark.parametrize("name", all_but_large())
def test_actions_are_read_as_they_are_written(name):
    game = in_python(EVERY_GAME[name])
    state = random_position(game, seed=1, plies=6)
    for action in state.legal_actions():
        text = state.action_to_string(action)
        assert game.parse_action(text, state) == action
        assert game.parse_action(f" {text.upper()} ", state) == action
    with pytest.raises(IllegalActionError, match="'zz99' is not a legal action here; legal: "):
        game.parse_action("zz99", state)


@pytest.mark.parametrize("name", all_but_large())
def test_names_and_numbers_play_the_same(name):
    game = in_python(EVERY_GAME[name])
    state = random_position(game, seed=1, plies=6)
    for action in state.legal_actions():
        text, after = state.action_to_string(action), state.child(action)
        for one in (text, f" {text.upper()} ", np.int16(action)):
            assert state.child(one) == after
            assert type(state.child(one).history()[-1]) is int
        assert game.parse_action(text, state) == action


@pytest.mark.parametrize("name", all_but_large())
@given(number=st.integers(-5, 300))
@settings(max_examples=15, deadline=None)
def test_an_error_never_lists_what_it_refuses(name, number):
    state = random_position(in_python(EVERY_GAME[name]), seed=2, plies=4)
    names = {state.action_to_string(action): action for action in state.legal_actions()}
    for refused, legal in ((number, names.values()), (str(number), names)):
        if refused in legal:
            continue
        with pytest.raises(IllegalActionError) as caught:
            state.apply_action(refused)
        listed = str(caught.value).partition("legal: ")[2].partition("; ")[0].split(", ")
        assert repr(refused) not in listed and str(refused) not in listed


def test_an_error_tells_numbers_and_names_apart():
    state = loaded("connect4").new_initial_state()
    with pytest.raises(IllegalActionError, match=r"7 is not a .*: 0 \('1'\), .*, 6 \('7'\); '7' is the name of 6$"):
        state.apply_action(7)
    with pytest.raises(IllegalActionError, match=r"'0' is not a legal action here; legal: 1, 2, 3, 4, 5, 6, 7$"):
        state.apply_action("0")
    state = loaded("rps").new_initial_state()
    with pytest.raises(IllegalActionError, match="'lizard' is not a legal action of player 2; legal: rock, paper, sc"):
        state.apply_actions(["rock", "lizard"])
    state.apply_actions(["rock", 1])
    assert state.history() == [0, 1]


class OddlyNamed(TextNim):
    """Actions are texts, and one is called as another one is."""

    def action_to_string(self, s, a):
        return {"0:1": "0:2", "0:2": "both"}[a]


def test_a_text_that_is_an_action_is_taken_as_one_before_it_is_a_name():
    state = OddlyNamed((2,)).new_initial_state()
    assert [state.child(text).history() for text in ("0:1", "0:2", "Both")] == [["0:1"], ["0:2"], ["0:2"]]


def test_a_state_without_a_board_shows_its_fields():
    assert str(Nim((1, 2)).new_initial_state()) == "heaps: [1 2 0 0 0 0 0 0]\nplayer: 0"
    assert str(PlainNim((1, 2)).new_initial_state()) == "heaps: [1, 2]\nplayer: 0"
    assert repr(Nim().new_initial_state()) == "<state of nim after 0 actions>"
    assert repr(Nim((3, 3))) == "<game nim:heaps=3,3>"


def test_a_class_that_inherits_from_nothing_is_searched():
    report = ponderosa.search(LookAlike(7), iterations=2_000)
    assert (report.best_action, report.best_name, report.proven) == ("take 3", "take 3", "win")
    assert report.pv[0] == "take 3"
    assert ponderosa.search(LookAlike(8), iterations=2_000).proven == "loss"


def test_a_look_alike_that_lacks_a_method_is_told_which():
    class NoClone(LookAlike):
        clone = None

    with pytest.raises(GameError, match=r"NoClone cannot be searched: it has no method clone\(\)"):
        ponderosa.search(NoClone(), iterations=10)


def test_a_look_alike_may_declare_its_utility():
    class Points(LookAlike):
        def returns(self):
            return [10.0 * value for value in super().returns()]

    with pytest.raises(GameError, match=r"outside -1 .. 1: say utility=\(lowest, highest\)"):
        ponderosa.search(Points(3), iterations=100)
    assert ponderosa.search(Points(3), iterations=100, utility=(-10, 10)).proven == "win"


def test_states_of_openspiel_are_searched_as_they_are():
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for action in (0, 3, 1, 4):
        state.apply_action(action)
    report = ponderosa.search(state, iterations=500)
    assert (report.best_action, report.proven, report.player) == (2, "win", 0)
    assert report.best_name == "x(0,2)"
    assert state.history() == [0, 3, 1, 4]

    state = pyspiel.load_game("connect_four").new_initial_state()
    for action in (3, 0, 3, 0, 3):
        state.apply_action(action)
    assert ponderosa.search(state, iterations=2_000, playout="decisive").best_action == 3


def test_an_agent_plays_games_of_openspiel():
    game = pyspiel.load_game("tic_tac_toe")
    agents = [ponderosa.load_agent(f"mcts:iterations=2000,seed={seed}", game) for seed in range(2)]
    assert play_game(game, *agents) == [0.0, 0.0]


@pytest.mark.parametrize("fact", ["chance", "hidden", "simultaneous"])
@pytest.mark.parametrize("style", [Nim, PlainNim])
def test_a_fact_without_the_rules_that_it_asks_for_is_refused(style, fact):
    game = type("Dice", (style,), {fact: True})()
    with pytest.raises(GameError, match=f"declares {fact} = True and has no rule"):
        Search(game)


class Missing(Game):
    @rule
    def current_player(s):
        return 0


class Unmarked(Nim):
    def is_terminal(s):  # noqa: N805
        return True


class Misnamed(Nim):
    @rule
    def legal_action(s):
        return 0


class Narrow(Nim):
    max_actions = 3


class Stakes(Nim):
    """Nim for more: the record knows for how much."""

    dtype = np.dtype([*Nim.dtype.descr, ("max_utility", "f8")])

    def __init__(self, stake=1.0):
        super().__init__()
        self.min_utility, self.max_utility = 0.0, stake

    @rule
    def returns(s):
        return (s.max_utility, 0.0) if s.player == 1 else (0.0, s.max_utility)


@pytest.mark.slow
def test_a_record_that_knows_the_most_that_can_be_got_is_compiled_once():
    values = {stake: Search(Stakes(stake), seed=3).run(iterations=300) for stake in (1.0, 7.0)}
    assert [entry.visits for entry in values[1.0].actions] == [entry.visits for entry in values[7.0].actions]
    assert Stakes(1.0).rules.__name__ == Stakes(7.0).rules.__name__
    assert Stakes(7.0).new_initial_state().record.max_utility == 7.0
    ended = Stakes(7.0).new_initial_state()
    while not ended.is_terminal():
        ended.apply_action(ended.legal_actions()[0])
    assert sorted(ended.returns()) == [0.0, 7.0]


class Upside(Nim):
    min_utility, max_utility = 1.0, 1.0


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (Missing, "missing has no rule 'legal_actions': write `@rule` above `def legal_actions"),
        (Unmarked, "unmarked.is_terminal needs `@rule` above it"),
        (Misnamed, "unknown rule of misnamed 'legal_action'; did you mean 'legal_actions'?"),
        (Narrow, "declare `max_actions = 7` or more"),
        (Upside, "max_utility must be more than min_utility"),
    ],
)
def test_a_game_that_breaks_the_contract_is_told_how(game, message):
    with pytest.raises(PonderosaError) as error:
        ponderosa.search(game().new_initial_state(), iterations=10)
    assert message in str(error.value)


def test_a_parameter_that_does_not_exist_is_named_with_the_nearest():
    with pytest.raises(UnknownNameError, match="unknown parameter of nim 'heap'; did you mean 'heaps'"):
        Nim(heap=(1, 2))
    with pytest.raises(SettingError, match="nim: too many positional arguments"):
        Nim((1, 2), 3)


class Annotated(PlainNim):
    def __init__(
        self,
        heaps: list[int] = (1,),
        most: int | None = None,
        share: float = 0.5,
        name: Optional[str] = None,  # noqa: UP045  authors write it so
        kind: typing.Any = 0,
    ) -> None:
        super().__init__(tuple(heaps))


class Misannotated(PlainNim):
    def __init__(self, heaps: Undefined = (1,)) -> None:  # noqa: F821
        super().__init__(heaps)


class Typed(PlainNim):
    def __init__(self, heap: int = 3, share: float = 0.5, misere: bool = False, most: int | None = None) -> None:
        super().__init__((heap,))


@pytest.mark.parametrize(
    ("parameter", "right", "wrong"),
    [
        ("heap", [3, np.int64(3)], [3.0, "3", None, True]),
        ("share", [1, 0.25, np.float32(0.5)], ["1", None, False]),
        ("misere", [True, False, np.True_], [1, "yes", None]),
        ("most", [None, 3], [1.5, "3", False]),
    ],
)
def test_parameters_are_of_the_types_that_they_are_annotated_with(parameter, right, wrong):
    for value in right:
        assert Typed(**{parameter: value}).parameters[parameter] == value
    for value in wrong:
        with pytest.raises(SettingError, match=f"{parameter} of typed must be"):
            Typed(**{parameter: value})


def test_annotations_that_cannot_be_checked_are_left_alone():
    assert len(Annotated([1, 2], kind="x", name="y").new_initial_state().legal_actions()) == 3
    assert len(Misannotated((1, 2)).new_initial_state().legal_actions()) == 3


def test_the_spec_of_a_game_loads_an_equal_game():
    for spec in ("connect4:rows=4,k=3,early_draw=true", "tictactoe", "connect:m=5,p=2"):
        assert loaded(spec).spec == spec
        assert loaded(loaded(spec).spec).dtype == loaded(spec).dtype
