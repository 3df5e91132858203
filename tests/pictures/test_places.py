"""From, to: what touched cells mean, and how they are drawn."""

from __future__ import annotations

import re

import pytest

from ponderosa import Cell, Search
from ponderosa.core.notation import position
from ponderosa.errors import PonderosaError
from ponderosa.pictures.board import Shown, draw_position
from ponderosa.pictures.places import NOTHING, Layout, Touched, last_cells, layout, touch
from tests.helpers import loaded
from tests.pictures.movers import Walkers
from tests.web.test_board import parts

A, B, C, D = (0, 0), (0, 1), (0, 2), (0, 3)


def board(**paths):
    listed = {int(name[1:]): path for name, path in paths.items()}
    return Layout([["", "", "", ""]], {}, {index: path[-1] for index, path in listed.items()}, False, listed)


def test_from_and_to_mean_an_action():
    found = board(_0=(A, B), _1=(A, C), _2=(D, C))
    assert found.next_cells(()) == {A, D}
    held = touch(found, NOTHING, A)
    assert held == Touched((A,)) and found.next_cells(held.cells) == {B, C}
    assert touch(found, held, C) == 1


def test_a_cell_that_leads_nowhere_drops_the_piece_and_another_piece_takes_its_place():
    found = board(_0=(A, B), _1=(D, C))
    held = touch(found, NOTHING, A)
    assert touch(found, held, C) == NOTHING
    assert touch(found, held, D) == Touched((D,))
    assert touch(found, held, A) == NOTHING


def test_several_actions_with_the_same_cells_are_offered():
    found = board(_0=(A, B), _1=(A, B), _2=(A, C))
    offered = touch(found, touch(found, NOTHING, A), B)
    assert offered == Touched((A, B), (0, 1))
    assert touch(found, offered, D) == NOTHING
    assert touch(found, offered, A) == Touched((A,))


def test_a_way_of_several_jumps_is_touched_step_by_step_or_at_its_end():
    found = board(_0=(A, B, C), _1=(A, D))
    held = touch(found, NOTHING, A)
    assert touch(found, touch(found, held, B), C) == 0
    assert touch(found, held, C) == 0


def test_a_way_that_may_end_on_the_way_ends_where_it_is_touched_twice():
    found = board(_0=(A, B), _1=(A, B, C))
    held = touch(found, touch(found, NOTHING, A), B)
    assert held == Touched((A, B)) and touch(found, held, C) == 1 and touch(found, held, B) == 0


def test_a_single_cell_means_its_action_at_once():
    assert touch(board(_0=(A,), _1=(B, C)), NOTHING, A) == 0


def test_pieces_targets_and_buttons_are_drawn():
    state = Walkers().new_initial_state()
    plain = draw_position(state, None, Shown(clickable=True))
    assert {cell.get("aria-label") for cell in parts(plain, "legal")} == {"move a1: w", "move b2: w", "move d1: w"}
    assert [button.get("data-move") for button in parts(plain, "action")] == ["pass"]
    assert not parts(plain, "aim") and "data-cell" not in draw_position(state, None, Shown())
    held = draw_position(state, None, Shown(clickable=True, touched=Touched(((2, 1),))))
    assert [cell.get("aria-label") for cell in parts(held, "aim")] == ["move to b3: empty"]
    assert len(parts(held, "held")) == 1 and len(parts(held, "target")) == 1


def test_the_same_cells_for_several_actions_open_a_choice():
    state = position(Walkers(), "b2 pass")
    found = layout(state)
    offered = touch(found, touch(found, NOTHING, (1, 1)), (0, 1))
    picture = draw_position(state, None, Shown(clickable=True, touched=offered))
    chooser = parts(picture, "chooser")
    assert len(chooser) == 1 and chooser[0].get("role") == "dialog"
    assert [button.get("data-move") for button in chooser[0]] == ["b3queen", "b3knight"]


def test_last_move_line_and_thoughts_of_pieces_are_drawn():
    before, after = position(Walkers(), ""), position(Walkers(), "b2")
    assert last_cells(before, after) == [(2, 1), (1, 1)]
    report = Search(Walkers()).run(before, iterations=200)
    thought = draw_position(before, None, Shown(report=report, clickable=True))
    assert 1 <= len(parts(thought, "arrow")) <= 5 and len(parts(thought, "best")) == 1
    line = draw_position(before, None, Shown(line=("b2", "pass", "b3queen")))
    assert len(parts(line, "arrow")) == 2 and len(parts(line, "future")) == 2
    held = draw_position(before, None, Shown(report=report, clickable=True, touched=Touched(((2, 1),))))
    assert len(parts(held, "value")) == 1


@pytest.mark.parametrize(("spec", "cells"), [("connect4", "aim"), ("tictactoe", "target")])
def test_games_of_cells_are_drawn_as_before(spec, cells):
    state = loaded(spec).new_initial_state()
    picture = draw_position(state, None, Shown(clickable=True))
    assert not parts(picture, cells) and "data-cell" not in picture


def test_stones_fall_where_a_column_is_an_action_and_blocks_do_not():
    assert layout(loaded("connect4").new_initial_state()).drops
    assert not layout(loaded("samegame").new_initial_state()).drops
    assert not layout(loaded("tictactoe").new_initial_state()).drops


def test_an_unknown_kind_of_board_is_refused_with_what_there_is():
    class Odd(Walkers):
        board = "triangles"

    with pytest.raises(PonderosaError, match="hexagons"):
        draw_position(Odd().new_initial_state(), None, Shown())


def test_colours_that_are_none_reach_no_picture():
    class Sly(Walkers):
        colours = ('red"/><script>', "black")

        def cells(self, s):
            cell = Cell("b", sign="♟", ink="black")
            cell.ink = 'red"onload="x'
            return [[cell]]

        def action_cells(self, s, a):
            return ()

    picture = draw_position(Sly().new_initial_state(), None, Shown())
    assert not re.search(r"script|onload", picture)
