"""Positions as pictures, for every game, with texts that are escaped and numbers that are the report's."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ElementTree

import pytest

from ponderosa import Game, Search
from ponderosa.core.notation import position
from ponderosa.mcts.report.reader import TreeReader
from ponderosa.pictures.board import Shown, changed_cells, draw_position, draw_small, layout, short
from ponderosa.pictures.tree import tree_svg
from ponderosa.registry import game_class
from ponderosa.web.drawing.tree import draw_rows
from tests.helpers import EXAMPLES, PlainNim, loaded, random_position

BOARDS = [
    pytest.param(spec, marks=pytest.mark.slow if name in ("gomoku", "connect6", "renju") else ())
    for name, spec in EXAMPLES.items()
    if game_class(name).action_cells is Game.action_cells
]
"""All of them in which one click is a move; the large boards show in many seconds what the small ones show."""
BUTTONS = {"pass", "swap"}
"""Actions that have no cell."""


def as_xml(picture: str) -> ElementTree.Element:
    """The picture, which must be well-formed."""
    return ElementTree.fromstring(f"<div>{picture}</div>".replace("&nbsp;", " ").replace(" disabled>", ">"))


def parts(picture: str, kind: str) -> list[ElementTree.Element]:
    return [element for element in as_xml(picture).iter() if kind in element.get("class", "").split()]


@pytest.mark.parametrize("spec", BOARDS)
def test_every_action_can_be_clicked_and_lands_where_it_is_seen(spec):
    game = loaded(spec)
    for seed in range(5):
        state = random_position(game, seed, plies=seed * 3)
        found = layout(state)
        actions = state.legal_actions()
        on_board = {index for index, action in enumerate(actions) if state.action_to_string(action) not in BUTTONS}
        assert set(found.clicks.values()) == on_board == set(found.landings)
        for index in on_board:
            assert found.landings[index] in changed_cells(state, state.child(actions[index]))
        picture = draw_position(state, None, Shown(clickable=True))
        clickable = {int(cell.get("data-action")) for cell in parts(picture, "legal")}
        assert clickable == on_board
        assert all(cell.get("aria-label") for cell in parts(picture, "cell"))
        assert len([cell for cell in parts(picture, "cell") if cell.get("tabindex") == "0"]) == 1
        assert not parts(draw_position(state, None, Shown()), "legal")


@pytest.mark.parametrize("spec", BOARDS)
def test_the_numbers_on_the_board_are_the_report_s(spec):
    game = loaded(spec)
    state = random_position(game, 3, plies=4)
    report = Search(game).run(state, iterations=100)
    picture = draw_position(state, None, Shown(report=report))
    drawn = {}
    for cell in parts(picture, "landing"):
        texts = {element.get("class"): element.text for element in cell.iter() if element.tag.endswith("text")}
        if "value" in texts:
            drawn[cell.get("data-move")] = (texts["value"], texts["visits"])
    tried = [entry for entry in report.actions if entry.value is not None]
    tried = [entry for entry in tried if entry.name not in BUTTONS]
    assert drawn.keys() == {entry.name for entry in tried}
    for entry in tried:
        value, visits = drawn[entry.name]
        assert visits == short(entry.visits)
        assert value.lstrip("✓=✗") == f"{100 * entry.value:.0f}"
        assert (value[0] in "✓=✗") == (entry.proven is not None)
    shares = [float(found) for found in re.findall(r"--share:([\d.]+)", picture)]
    assert len(shares) == len(tried) and shares.count(max(shares)) >= 1 and max(shares) <= 0.9


def test_the_last_move_and_the_winning_line_are_marked():
    game = loaded("connect4")
    before, after = position(game, "4 1 4 1 4 1"), position(game, "4 1 4 1 4 1 4")
    picture = draw_position(after, before, Shown(falls=True))
    assert len(parts(picture, "last")) == 1 and len(parts(picture, "won")) == 4 and len(parts(picture, "falls")) == 1


def test_a_line_is_drawn_ahead_with_numbers():
    game = loaded("connect4")
    picture = draw_position(game.new_initial_state(), None, Shown(line=("4", "4", "3", "nonsense", "1")))
    assert [text.text for text in parts(picture, "number")] == ["2", "3", "1"]  # row by row from the top
    assert len(parts(picture, "future")) == 3


def test_texts_from_games_are_escaped():
    class Cells(PlainNim):
        def cells(self, s):
            return [["<script>", "&"], ['"', ""]]

        def row_labels(self):
            return ["<b>", "'"]

        def column_labels(self):
            return ["<i>", '"']

        def player_name(self, player):
            return "<u>"

    class Text(PlainNim):
        def action_to_string(self, s, a):
            return f'<img src=x onerror="alert({a})">'

        def draw(self, s):
            return "<script>alert(1)</script>&"

    for game in (Cells(), Text()):
        state = game.new_initial_state()
        for picture in (draw_position(state, None, Shown(clickable=True)), draw_small(state)):
            assert not [tag for tag in ("script", "img", "b", "i", "u") if re.search(f"<{tag}[ >]", picture)]
            as_xml(picture)


def test_a_game_without_cells_has_a_button_for_every_action():
    state = PlainNim().new_initial_state()
    picture = draw_position(state, None, Shown(clickable=True))
    assert len(parts(picture, "action")) == len(state.legal_actions())


@pytest.mark.parametrize(("number", "text"), [(0, "0"), (999, "999"), (1000, "1.0k"), (31_400, "31k"), (4.5e6, "4.5M")])
def test_counts_are_written_shortly(number, text):
    assert short(number) == text


# --- trees ---


@pytest.mark.parametrize(("spec", "iterations"), [("connect4", 200), ("tictactoe", 500), ("plainnim", 500)])
def test_a_tree_is_unfolded_as_it_was_searched(spec, iterations):
    game = PlainNim() if spec == "plainnim" else loaded(spec)
    search = Search(game)
    report = search.run(iterations=iterations)
    reader = TreeReader(search, game.new_initial_state())
    root = reader.root()
    children = reader.children(root)
    told = {entry.name: entry for entry in report.actions}
    assert [child.visits for child in children] == sorted((child.visits for child in children), reverse=True)
    for child in children:
        entry = told[child.name]
        assert (child.visits, child.proven, child.value) == (entry.visits, entry.proven, entry.value)
    wanted = {(), children[0].path}
    rows = reader.unfolded(wanted)
    grandchildren = [row for row in rows if row.path[:-1] == children[0].path and row.path]
    assert len(rows) == 1 + len(children) + len(grandchildren)
    for row in grandchildren:
        assert row.state.history()[-1] is not None and len(row.state.history()) == 2
    as_xml(draw_rows(rows, wanted))
    picture = ElementTree.fromstring(tree_svg(rows))
    assert picture.tag.endswith("svg") and float(picture.get("width")) > 0
    draw = random.Random(0)
    assert reader.unfolded([row.path for row in rows if draw.random() < 0.9])


def test_a_label_that_is_too_long_for_its_room_is_written_smaller():
    drawn = draw_position(loaded("checkers").new_initial_state(), None, Shown())
    sizes = {text.text: text.get("style") for text in parts(drawn, "label")}
    assert sizes["13-16"] == "font-size:6.8px"
    drawn = draw_position(loaded("connect4").new_initial_state(), None, Shown())
    assert {text.get("style") for text in parts(drawn, "label")} == {None}


def test_stones_are_called_by_their_colour_where_they_are_drawn():
    game = loaded("connect4")
    drawn = draw_position(position(game, "4"), None, Shown())
    assert [cell.get("aria-label") for cell in parts(drawn, "cell") if "Red" in (cell.get("aria-label") or "")] == [
        "column 4, row 6: Red"
    ]
    assert [loaded(name).people_call_player(1) for name in ("gomoku", "tictactoe", "chess")] == ["White", "O", "Black"]
