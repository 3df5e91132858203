"""Checkers: positions drawn as text, games beside OpenSpiel's, and how games end."""

from __future__ import annotations

import random

import numpy as np
import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import Search, check_game
from ponderosa.errors import SettingError
from ponderosa.games.boards.sets import numbers_in
from ponderosa.games.checkers import DRAWN, NOWHERE, NUMBER, SQUARES, Checkers, find_moves
from tests.helpers import loaded, position

RULES = Checkers.own_rules()
WITHOUT_CAPTURE = 40
"""After so many turns without a capture OpenSpiel's game is a draw, whether men moved or not."""


def board(*rows: str, player: int = 0, spec: str = "checkers"):
    """A state with these pieces: b and w are men, B and W kings; rows that are left out at the end are empty."""
    state = loaded(spec).new_initial_state()
    s = state.record
    s.pieces[:], s.kings, s.player, s.jumper = 0, 0, player, NOWHERE
    for place in numbers_in(SQUARES):
        row, column = divmod(NUMBER[place] - 1, 4)
        letter = rows[row][2 * column + (row % 2 == 0)] if row < len(rows) else "."
        if letter != ".":
            s.pieces["bw".index(letter.lower())] |= 1 << place
            s.kings |= letter.isupper() << place
    find_moves(s)
    return state


def moves(state) -> set[str]:
    return {state.action_to_string(action) for action in state.legal_actions()}


def after(state, texts: str):
    for text in texts.split():
        state = state.child(state.game.parse_action(text, state))
    return state


def drawn(state) -> list[str]:
    """The rows of the board without their labels."""
    return ["".join(cell or "." for cell in row) for row in state.game.cells(state.record)]


def test_moves_are_written_as_players_do():
    start = loaded("checkers").new_initial_state()
    assert moves(start) == {"9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"}
    opened = position(loaded("checkers"), "11-15 22-18 15x22")
    assert drawn(opened)[1:6] == ["b.b.b.b.", ".b.b...b", "........", "........", "w.b.w.w."]
    assert moves(opened) == {"25x18", "26x17"}
    assert opened.game.action_cells(opened.record, opened.game.parse_action("25x18", opened)) == [(6, 1), (4, 3)]


def test_jumps_are_noisy_and_all_that_there_is_then():
    noisy, found = RULES["noisy"], np.zeros(48, np.int32)
    quiet, jumping = position(loaded("checkers"), "11-15"), position(loaded("checkers"), "11-15 22-18 15x22")
    assert noisy(quiet.record, found) == 0
    assert noisy(jumping.record, found) == -2 and sorted(found[:2].tolist()) == jumping.legal_actions()


def test_who_can_jump_must_and_goes_on_with_the_same_piece():
    state = board("........", "b.b.....", ".w.w....", "........", "...w.w..", "........", "w.......")
    assert moves(state) == {"5x14", "6x13", "6x15"}
    further = after(state, "6x15")
    assert (further.to_move(), moves(further)) == (0, {"15x22", "15x24"})
    assert after(further, "15x24").to_move() == 1


def test_the_turn_ends_where_a_man_is_crowned_even_if_the_king_could_jump_on():
    state = board(*["........"] * 5, "..b.....", "...w.w..", "........")
    crowned = after(state, "22x31")
    assert drawn(crowned)[5:] == ["........", ".....w..", "....B..."]
    assert crowned.to_move() == 1
    assert "31x24" in moves(board(*drawn(crowned)))


def test_kings_go_backward_and_men_do_not():
    rows = ["........", "........", ".w......", "..B.....", ".w......"]
    assert moves(board(*rows)) == {"14x5", "14x21"}
    assert moves(board(*rows[:3], "..b.....")) == {"14-17", "14-18"}
    assert moves(board(*rows[:3], "..w.....", player=1)) == {"9-5", "9-6", "14-10"}


def test_a_piece_is_taken_off_at_once_and_never_twice():
    state = board("........", "........", "...w.w..", "..B.....", "...w.w..", *["........"] * 2, "......w.")
    around = after(state, "14x23 23x16 16x7 7x14")
    assert drawn(around) == [*["........"] * 3, "..B.....", *["........"] * 3, "......w."]
    assert around.to_move() == 1


def test_who_cannot_move_loses():
    state = board(*["........"] * 5, "b.......", "........", "w.w.....", player=1)
    assert not state.is_terminal()
    blocked = after(state, "29-25")
    assert blocked.is_terminal()
    assert blocked.returns() == [-1.0, 1.0]


def test_the_last_piece_that_is_taken_loses():
    state = board("........", "..b.....", ".w......")
    assert after(state, "6x13").returns() == [1.0, -1.0]


def test_moves_of_kings_alone_are_a_draw_in_the_end():
    kings = board(".B......", *["........"] * 5, ".....w..", "......W.", spec="checkers:draw_after=2")
    played = after(kings, "1-6 27-24 6-1 32-28 1-6")
    assert not played.is_terminal()  # since the man moved, three moves of kings
    assert after(played, "28-32").returns() == [0.0, 0.0]


def test_a_king_against_a_king_is_a_draw_where_the_rules_let_neither_win():
    """The table against the moves of the game itself: what is neither won nor lost however long they play."""
    successors = {}
    for own in numbers_in(SQUARES):
        for other in set(numbers_in(SQUARES)) - {own}:
            state = loaded("checkers").new_initial_state()
            s = state.record
            s.pieces[:], s.kings = (1 << own, 1 << other), 1 << own | 1 << other
            find_moves(s)
            found = [state.child(action) for action in state.legal_actions()]
            successors[own, other] = [
                "won" if child.is_terminal() else (other, numbers_in(child.record.pieces[0])[0]) for child in found
            ]
    lost: set = {"won"} | {pair for pair, after in successors.items() if not after}  # for whoever is to move there
    won: set = set()
    while True:
        more_won = {pair for pair, after in successors.items() if lost & set(after)}
        more_lost = {pair for pair, after in successors.items() if set(after) <= more_won} | lost
        if (more_won, more_lost) == (won, lost):
            break
        won, lost = more_won, more_lost
    assert {pair for pair in successors if DRAWN[pair]} == set(successors) - won - lost
    assert len(won) > 100 < len(lost)


def test_a_draw_of_two_kings_is_told_at_once_where_people_play():
    rows = [*["........"] * 3, "..B.....", "...w....", "........", "........", "......W."]
    told, untold = (board(*rows, spec=f"checkers:early_draw={early}") for early in ("true", "false"))
    assert after(told, "14x23").returns() == [0.0, 0.0]
    assert not after(untold, "14x23").is_terminal()


@given(st.integers(0, 10**6))
def test_random_games_are_those_of_openspiel(seed):
    """There White begins, from the other side of the board: it is turned by half a turn."""
    draw, ours = random.Random(seed), loaded("checkers").new_initial_state()
    theirs, quiet = pyspiel.load_game("checkers").new_initial_state(), 0
    while not ours.is_terminal() and quiet < WITHOUT_CAPTURE:
        assert ours.current_player() == theirs.current_player()
        squares = {action: turned(ours, action) for action in ours.legal_actions()}
        named = {theirs.action_to_string(action): action for action in theirs.legal_actions()}
        assert sorted(squares.values()) == sorted(named)
        action = draw.choice(list(squares))
        quiet = 0 if "x" in ours.action_to_string(action) else quiet + 1
        theirs.apply_action(named[squares[action]])
        ours.apply_action(action)
    if quiet < WITHOUT_CAPTURE:
        assert ours.returns() == theirs.returns()


def turned(state, action: int) -> str:
    """A move as it is written on the board turned by half a turn."""
    return "".join(f"{'hgfedcba'[column]}{row + 1}" for row, column in state.game.action_cells(state.record, action))


def test_the_opposition_wins_with_a_king_against_a_king_and_is_proven():
    state = board("........", "..B.....", ".......W")
    report = Search(state.game, seed=1).run(state, iterations=20_000)
    assert (report.best_name, report.proven) == ("6-10", "win")


def test_men_and_kings_are_worth_something_to_their_owner():
    assert abs(value(loaded("checkers").new_initial_state())) < 1e-9
    ahead = board("........", "b.b.....", "........", "........", "........", "..w.....")
    assert 0.0 < value(ahead) < value(board("........", "b.B.....", "........", "........", "........", "..w....."))
    assert value(board("........", "w.w.....", "........", "........", "........", "..b.....")) < 0.0


def value(state) -> float:
    return float(RULES["evaluate"](state.record)[0])


def test_a_crown_is_promising_and_walking_into_a_jump_is_not():
    state = board("........", "........", ".b......", "........", ".w......", "........", ".....b..")
    promise = {state.action_to_string(action): RULES["prior"](state.record, action) for action in state.legal_actions()}
    assert promise["27-31"] == promise["27-32"] > promise["9-13"] > promise["9-14"]


@pytest.mark.slow
def test_promises_are_kept_and_nonsense_is_refused():
    assert check_game(loaded("checkers:draw_after=5"), games=20) == []
    with pytest.raises(SettingError, match="draw_after, moves of each player, must be a whole number from 1 to 1000"):
        loaded("checkers:draw_after=0")
