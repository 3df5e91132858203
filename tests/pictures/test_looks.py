"""Games look as their players know them: the boards, stones and colours of the registered ones."""

from __future__ import annotations

import pytest

from ponderosa.core.notation import position
from ponderosa.pictures.board import Shown, draw_position
from ponderosa.pictures.colours import ENOUGH, HOLE, LACQUER, STONES, WOOD, contrast
from ponderosa.pictures.swatch import player_swatch
from tests.helpers import loaded, random_position
from tests.web.test_board import parts


def drawn(spec: str, moves: str = "") -> str:
    return draw_position(position(loaded(spec), moves), None, Shown(clickable=True))


def test_gomoku_is_drawn_with_stones_on_crossings_and_small_boards_with_letters():
    gomoku = drawn("gomoku", "h8 h9")
    assert f"fill:{WOOD}" in gomoku and [stone.get("style") for stone in parts(gomoku, "stone")] == [
        f"fill:{colour}" for colour in reversed(STONES["crossings"][:2])
    ]
    tictactoe = drawn("tictactoe", "b2 a1")
    assert {mark.text for mark in parts(tictactoe, "mark")} == {"X", "O"} and not parts(tictactoe, "stone")


def test_connect_four_has_stones_that_stand_out_from_frame_and_holes():
    assert len(parts(drawn("connect4", "4 4"), "hole")) == 42
    for colour in STONES["drops"][:2]:
        assert f"fill:{colour}" in drawn("connect4", "4 4")
        assert min(contrast(colour, LACQUER), contrast(colour, HOLE)) >= ENOUGH


def test_a_player_s_spot_has_the_colour_of_the_stones():
    assert [STONES["crossings"][player] in player_swatch(loaded("gomoku"), player) for player in (0, 1)] == [True] * 2
    assert STONES["drops"][0] in player_swatch(loaded("connect4"), 0)
    assert "style" not in player_swatch(loaded("tictactoe"), 0)


def test_samegame_has_coloured_blocks_and_empty_cells():
    game = loaded("samegame")
    cells = game.cells(random_position(game, 1, plies=8).record)
    fills = {str(cell): cell.fill for row in cells for cell in row if cell}
    assert len(set(fills.values())) == len(fills) >= 3
    assert not any(getattr(cell, "fill", None) for row in cells for cell in row if not cell)


def test_tiles_of_2048_have_the_colours_that_players_know():
    cells = [cell for row in loaded("2048").cells(random_position(loaded("2048"), 2, plies=40).record) for cell in row]
    assert all(cell.fill == "#eee4da" for cell in cells if cell == "2") and any(cell == "2" for cell in cells)
    assert len({cell.fill for cell in cells}) == len(set(cells))


def test_pac_man_s_maze_is_drawn():
    cells = [cell for row in loaded("pacman").cells(loaded("pacman").new_initial_state().record) for cell in row]
    fills = {kind: {cell.fill for cell in cells if (cell == "#") == (kind == "#")} for kind in "# "}
    assert len(fills["#"]) == len(fills[" "]) == 1 and fills["#"] != fills[" "]
    assert [cell.stone for cell in cells if cell == "P"] == [loaded("pacman").colours[0]]
    assert {cell.sign for cell in cells if cell == "."} == {"•"}


@pytest.mark.parametrize("spec", ["einstein", "pacman", "othello"])
def test_every_player_has_a_colour_and_no_two_the_same(spec):
    game = loaded(spec)
    assert len(set(game.colours)) == len(game.colours) >= game.players


def test_coloured_cells_are_lit_and_wide_boards_are_known():
    samegame, gomoku = drawn("samegame"), drawn("gomoku")
    assert len(parts(samegame, "painted")) == len(parts(samegame, "cell")) and not parts(gomoku, "painted")
    assert parts(samegame, "wide") and parts(gomoku, "wide") and not parts(drawn("connect4"), "wide")


def test_a_mistake_is_marked_on_its_cell_its_way_or_its_button():
    def warned(spec: str, moves: str, mistake: str) -> str:
        return draw_position(position(loaded(spec), moves), None, Shown(mistake=mistake))

    assert len(parts(warned("connect4", "4", "3"), "wrong")) == 2 and not parts(warned("connect4", "4", "9"), "wrong")
    assert parts(warned("chess", "f3 e5", "g4"), "arrow") and not parts(warned("chess", "f3 e5", "g5"), "arrow")
    assert 'class="action mistake"' in warned("pig", "", "hold")
