"""The four kinds of board: where cells lie, which are dark, where stars are, whose the edges are."""

from __future__ import annotations

import math
import re

import pytest

from ponderosa.pictures.board import Shown, draw_position, draw_small
from ponderosa.pictures.colours import CHEQUERS
from ponderosa.pictures.grounds import UNIT, Chequers, Hexagons, star_points
from tests.helpers import PlainNim
from tests.web.test_board import as_xml, parts


def test_the_lower_left_square_is_dark():
    board = Chequers(8, 8)
    assert board.colour(7, 0) == CHEQUERS[1] and board.colour(0, 0) == CHEQUERS[0] == board.colour(7, 7)
    assert board.colour(7, 1) == CHEQUERS[0]


@pytest.mark.parametrize(
    ("rows", "columns", "stars"), [(19, 19, 9), (15, 15, 5), (13, 13, 5), (9, 9, 5), (3, 3, 1), (8, 8, 4), (1, 1, 1)]
)
def test_star_points_are_where_players_know_them(rows, columns, stars):
    found = star_points(rows, columns)
    assert len(found) == stars
    assert {(columns - 1 - column, row) for row, column in found} == set(found)  # as they are when the board is turned
    if rows == 19:
        assert (3, 3) in found and (9, 9) in found and (3, 9) in found


def test_a_hexagon_has_six_neighbours_at_the_same_distance():
    board = Hexagons(5, 5)
    x, y = board.middle(2, 2)
    near = [board.middle(2 + row, 2 + column) for row, column in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))]
    assert {round(math.hypot(other[0] - x, other[1] - y), 3) for other in near} == {UNIT}
    wide, high = board.size
    for row in range(5):
        for column in range(5):
            x, y = board.middle(row, column)
            assert UNIT / 2 <= x <= wide - UNIT / 2 and UNIT / 2 <= y <= high - UNIT / 2


class Hex(PlainNim):
    board = "hexagons"
    colours = ("#c92a2a", "#1c5fc4")

    def cells(self, s):
        return [["", "", ""], ["", "player 1", ""], ["", "", "player 2"]]


def test_the_edges_of_a_rhombus_have_the_players_colours():
    picture = draw_position(Hex().new_initial_state(), None, Shown())
    edges = [part.get("style") for part in as_xml(picture).iter() if part.tag.endswith("polyline")]
    assert [re.search(r"stroke:(#\w+)", edge)[1] for edge in edges] == ["#c92a2a"] * 2 + ["#1c5fc4"] * 2
    assert len(parts(picture, "stone")) == 2
    corners = [cell.get("transform") for cell in parts(picture, "cell")]
    x = [float(re.search(r"\(([\d.]+)", corner)[1]) for corner in corners[::3]]
    assert x[1] - x[0] == x[2] - x[1] == UNIT / 2


def test_crossings_have_lines_and_no_squares():
    class Go(Hex):
        board = "crossings"

    picture = draw_position(Go().new_initial_state(), None, Shown())
    assert len(parts(picture, "lines")) == 1 and "fill-opacity:0" in picture
    as_xml(draw_small(Go().new_initial_state()))
