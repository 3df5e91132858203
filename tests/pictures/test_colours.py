"""Stones stand out from boards in both themes, by WCAG's measure."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ElementTree

import pytest

from ponderosa import Cell
from ponderosa.core.cell import BOARDS
from ponderosa.pictures.board import Shown, draw_position
from ponderosa.pictures.colours import (
    CHEQUERS,
    ENOUGH,
    FELT,
    HEXAGON,
    HOLE,
    LACQUER,
    STONES,
    WOOD,
    contrast,
    readable_on,
    rim_of,
)
from ponderosa.pictures.inside import shade
from ponderosa.pictures.style import STYLE, style_alone, theme
from tests.helpers import PlainNim

THEMES = (":root", ".body--dark")
GROUNDS = (WOOD, LACQUER, HOLE, FELT, HEXAGON, *CHEQUERS)


def over(top: str, share: float, below: str) -> str:
    """What is seen of a colour that lets some of what is below it through."""
    pairs = [(int(top[at : at + 2], 16), int(below[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(share * high + (1 - share) * low):02x}" for high, low in pairs)


def styled(rule: str, name: str) -> str:
    """What the style says under a selector."""
    found = re.search(re.escape(rule) + r" {[^}]*?\b" + name + r": ([^;]+);", STYLE.read_text())
    assert found is not None, (rule, name)
    return found[1]


def test_contrast_is_that_of_wcag():
    assert contrast("black", "white") == pytest.approx(21.0)
    assert contrast("#767676", "#fff") == pytest.approx(4.54, abs=0.01)  # the grey that text may just have on white
    assert contrast("#3f5f8f", "#3f5f8f") == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kind", "ground"), [("crossings", WOOD), ("hexagons", HEXAGON), ("drops", LACQUER), ("drops", HOLE)]
)
def test_the_players_stones_stand_out_from_their_board(kind, ground):
    for stone in STONES[kind]:
        assert contrast(stone, ground) >= ENOUGH, (stone, ground)


@pytest.mark.parametrize("selector", THEMES)
def test_the_players_marks_stand_out_from_plain_squares_in_both_themes(selector):
    colours = theme(STYLE.read_text(), selector)
    for player in range(6):
        assert contrast(colours[f"--p{player}"], colours["--square"]) >= ENOUGH
    for name in ("--ink", "--muted"):
        assert contrast(colours[name], colours["--card"]) >= 4.5


@pytest.mark.parametrize("selector", THEMES)
@pytest.mark.parametrize("mark", [".board.squares .last .tint", ".board .won .tint"])
def test_letters_are_seen_where_the_last_move_and_the_winning_line_are_marked(selector, mark):
    colours, share = theme(STYLE.read_text(), selector), float(styled(mark, "fill-opacity"))
    tint = "#" + "".join(f"{int(part):02x}" for part in colours["--shade"].split(","))
    for player in range(6):
        seen = over(tint, share, colours["--square"])
        assert contrast(colours[f"--p{player}"], seen) >= ENOUGH, player


@pytest.mark.parametrize("selector", THEMES)
@pytest.mark.parametrize("most_moves", ["few", "many"])
def test_what_was_thought_of_a_move_is_read_on_every_board_in_both_themes(selector, most_moves):
    colours = theme(STYLE.read_text(), selector)
    many, part = ".many .thought:not(.top)", 1.0
    paper = float(styled(".board .paper", "fill-opacity"))
    if most_moves == "many":
        paper = float(styled(f"{many} .paper", "fill-opacity"))
        part = float(styled(f"{many} .share", "fill-opacity").removeprefix("calc(").split(" ")[0])
    small, teal = float(styled(".board .visits", "opacity")), styled(".board .share", "fill")
    for ground, share in itertools.product([*GROUNDS, colours["--square"]], (0.0, 0.5, 1.0)):
        seen = over(teal, part * shade(share), over(colours["--card"], paper, ground))
        assert contrast(colours["--ink"], seen) >= 4.5, (ground, share)
        assert contrast(over(colours["--ink"], small, seen), seen) >= ENOUGH, (ground, share)


@pytest.mark.parametrize("selector", THEMES)
def test_a_hint_is_seen_on_every_board_in_both_themes(selector):
    lines = styled(".board .hint .tint", "stroke"), "#ffffff"
    assert styled(".board .hint .square", "stroke") == "#fff"
    for ground in (WOOD, FELT, HEXAGON, *CHEQUERS, theme(STYLE.read_text(), selector)["--square"]):
        assert max(contrast(line, ground) for line in lines) >= ENOUGH, ground
    assert contrast(styled(".board .hint .hole", "stroke"), HOLE) >= ENOUGH


def test_a_stone_that_its_ground_would_swallow_has_a_line_around_it():
    shades = [f"#{red}{green}{blue}" for red, green, blue in itertools.product(("00", "80", "ff"), repeat=3)]
    for stone, ground in itertools.product([*shades, "black", "white", "gold"], [*shades, *CHEQUERS, FELT]):
        seen = max(contrast(stone, ground), contrast(rim_of(stone, ground) or ground, ground))
        assert seen >= ENOUGH, (stone, ground)
        assert contrast(readable_on(ground), ground) >= 4.5


@pytest.mark.parametrize("board", BOARDS)
def test_stones_of_one_s_own_stand_out_in_the_drawn_picture(board):
    class Own(PlainNim):
        def cells(self, s):
            return [[Cell("w", stone="white"), Cell("b", stone="black")], [Cell("g", stone="#b58863"), Cell("")]]

    Own.board = board
    picture = draw_position(Own().new_initial_state(), None, Shown())
    drawn = 0
    for cell in ElementTree.fromstring(picture[: picture.index("</svg>") + 6]).iter():
        if "cell" not in cell.get("class", "").split():
            continue
        looks = {part.get("class", "").split()[0]: colours_of(part) for part in cell if part.get("class")}
        if "stone" in looks:
            drawn += 1
            ground, stone = looks["square"]["fill"], looks["stone"]
            assert max(contrast(stone[key], ground) for key in ("fill", "stroke") if key in stone) >= ENOUGH
    assert drawn == 3


def colours_of(element):
    return dict(re.findall(r"(fill|stroke):(#\w+|[a-z]+)", element.get("style", "")))


def test_a_picture_alone_names_no_colour_that_only_a_page_knows():
    alone = style_alone()
    assert "var(--p" not in alone and "var(--square)" not in alone and "body--dark" not in alone
    assert set(re.findall(r"var\((--[\w-]+)\)", alone)) <= {"--share", "--fall"}  # set by the picture itself
