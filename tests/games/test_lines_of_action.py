"""Lines of Action: against OpenSpiel's rules, and positions drawn as text."""

from __future__ import annotations

import pytest

from ponderosa import check_game, load_game, observed
from ponderosa.core.rng import new_rng
from ponderosa.errors import SettingError
from ponderosa.games.lines_of_action import LinesOfAction, gain_of
from tests.games.against_openspiel import play_both
from tests.helpers import loaded, position


@pytest.mark.parametrize("games", [8, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_games_are_those_of_openspiel(games):
    longest = 1000  # theirs is a draw even when the last turn of all joins the pieces
    game = loaded(f"lines_of_action:max_moves={longest}")
    assert play_both(game, f"lines_of_action(max_game_length={longest})", games) > 50 * games


def placed(black: str, white: str, player: int = 0):
    """A state with pieces on these cells."""
    state = loaded("lines_of_action").new_initial_state()
    for number, cells in enumerate((black, white)):
        state.record.pieces[number] = sum(
            1 << "abcdefgh".index(name[0]) + 8 * int(name[1]) - 8 for name in cells.split()
        )
    state.record.player = player
    return state


def names(state, start: str = "") -> set[str]:
    """The moves of the piece on a cell."""
    return {name for name in map(state.action_to_string, state.legal_actions()) if name.startswith(start)}


def play(state, *moves: str):
    for name in moves:
        state = state.child(state.game.parse_action(name, state))
    return state


def test_a_piece_goes_as_many_cells_as_there_are_pieces_on_the_line():
    assert names(position(loaded("lines_of_action"), ""), "b1") == {"b1-b3", "b1-d3", "b1-h1"}
    state = placed("a1 b4 d4", "f4 h1")
    assert names(state, "b4") == {"b4-e4", "b4-b5", "b4-b3", "b4-c5", "b4-a3", "b4-a5", "b4-c3"}


def test_a_piece_jumps_over_its_own_and_not_over_others():
    state = placed("a1 b4 d4", "f4 h1")  # d4-a4 leads over b4, and d4-g4 would over f4
    assert names(state, "d4") == {"d4-a4", "d4-d5", "d4-d3", "d4-f6", "d4-b2", "d4-c5", "d4-e3"}


def test_a_piece_takes_where_it_lands_and_never_its_own():
    state = placed("a1 a3 h5", "c1 e8 h8")
    assert "a1xc1" in names(state) and not names(state, "a1-a3")
    after = play(state, "a1xc1")
    assert not after.is_terminal() and after.record.pieces[1] == 1 << 60 | 1 << 63


def test_who_joins_all_pieces_wins_even_if_the_other_s_are_joined_at_once():
    assert play(placed("a1 d2", "c1 h8"), "a1xc1").returns() == [1.0, -1.0]
    assert play(placed("a1 d5", "c1 h8"), "a1xc1").returns() == [-1.0, 1.0]
    assert not play(placed("a1 d5", "c1 h8 f2"), "a1xc1").is_terminal()


def test_a_position_that_was_there_before_is_a_draw():
    state = placed("a1 c8", "h5 h8")
    assert not play(state, "a1-b1", "h5-g5", "b1-a1").is_terminal()
    after = play(state, "a1-b1", "h5-g5", "b1-a1", "g5-h5")
    assert after.is_terminal() and after.returns() == [0.0, 0.0]


def test_who_cannot_move_loses():
    state = placed("a1 h8", "b1 a2 b2 g8 h7 g7 d4", player=1)
    after = play(state, "d4-e4")
    assert after.is_terminal() and after.returns() == [-1.0, 1.0]


def test_a_long_game_is_a_draw():
    state = load_game("lines_of_action:max_moves=2").new_initial_state()
    state = play(play(state, "b1-b3"), "a2-c2")
    assert state.is_terminal() and state.returns() == [0.0, 0.0]


def test_informed_playouts_go_to_the_middle():
    state, rng = loaded("lines_of_action").new_initial_state(), new_rng(1)
    every = [gain_of(state.record, action) for action in state.legal_actions()]
    rule = LinesOfAction.own_rules()["playout_action"]
    found = [gain_of(state.record, rule(state.record, rng)) for _ in range(200)]
    assert sum(found) / len(found) > sum(every) / len(every) + 0.5


def test_the_static_value_likes_pieces_that_are_near_each_other():
    evaluate, prior = (LinesOfAction.own_rules()[name] for name in ("evaluate", "prior"))
    assert evaluate(loaded("lines_of_action").new_initial_state().record) == pytest.approx((0.0, 0.0))
    state = placed("d4 e5 h8", "a1 a8 h1")
    assert evaluate(state.record)[0] > 0.2
    worth = {state.action_to_string(action): prior(state.record, action) for action in state.legal_actions()}
    assert worth["h8-f8"] > worth["d4-d3"]


def test_a_network_sees_pieces_by_whose_they_are():
    state = position(loaded("lines_of_action"), "b1-b3")
    seen = observed(state.game, state.data.view(state.game.dtype))[0]
    assert seen[1:7, 0, 0].all() and seen[5, 1, 1] == 1 and seen[7, 1, 1] == 0 and seen[:, :, 2].all()


@pytest.mark.slow
def test_settings_are_checked_and_promises_kept():
    assert check_game(loaded("lines_of_action:max_moves=40"), games=10) == []
    with pytest.raises(SettingError, match="max_moves must be a whole number from 1 to 1000, not 0"):
        loaded("lines_of_action:max_moves=0")
