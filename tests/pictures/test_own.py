"""A game's own picture: shown as an image that runs nothing, and the examples of docs/page.md."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from ponderosa.errors import GameError
from ponderosa.pictures.board import Shown, draw_position, draw_small
from ponderosa.pictures.own import MOST_LETTERS, picture_address
from tests.helpers import PlainNim, loaded, random_position
from tests.web.test_board import as_xml, parts

PAGE = Path(__file__).parents[2] / "docs" / "page.md"
EVIL = '<svg onload="alert(1)"><script>alert(2)</script><image href="http://elsewhere.example/x.png"/></svg>'


class Painted(PlainNim):
    svg: Any = EVIL

    def picture(self, s):
        return self.svg


def shown(address: str) -> str:
    return base64.b64decode(address.removeprefix("data:image/svg+xml;base64,")).decode()


def test_a_picture_is_an_image_and_no_part_of_the_page():
    state = Painted().new_initial_state()
    for drawn in (draw_position(state, None, Shown(clickable=True)), draw_small(state)):
        assert "script" not in drawn and "onload" not in drawn and "elsewhere" not in drawn
        (image,) = (element for element in as_xml(drawn).iter() if element.tag == "img")
        assert shown(image.get("src")) == EVIL.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    full = draw_position(state, None, Shown(clickable=True))
    assert len(parts(full, "action")) == len(state.legal_actions()) and len(parts(full, "position")) == 1


def test_a_picture_lies_under_cells_that_are_touched():
    class Board(Painted):
        def cells(self, s):
            return [["1", ""], ["", "2"]]

        def cell_actions(self, s):
            return [actions[:2], [actions[2], None]]

    state = Board().new_initial_state()
    actions = state.legal_actions()
    drawn = draw_position(state, None, Shown(clickable=True))
    (image,) = (element for element in as_xml(drawn).iter() if element.tag.endswith("image"))
    assert image.get("href").startswith("data:image/svg+xml;base64,")
    assert not parts(drawn, "mark") and len(parts(drawn, "cell")) == 4 and len(parts(drawn, "legal")) == 3


@pytest.mark.parametrize("svg", ["hello", 7, "<html></html>", "<svgx/>", "<svg>" + "x" * MOST_LETTERS + "</svg>"])
def test_what_is_no_picture_is_refused(svg):
    class Bad(Painted):
        pass

    Bad.svg = svg
    with pytest.raises(GameError, match="picture"):
        picture_address(Bad().new_initial_state())


def test_none_is_no_picture():
    assert picture_address(PlainNim().new_initial_state()) is None


@pytest.mark.parametrize(
    ("spec", "plies", "words"),
    [
        ("kuhn_poker", 3, "in the pot"),
        ("liars_dice:dice=2", 9, "player 3"),
        ("pig", 9, "of 100"),
        ("goofspiel:cards=13", 1, "still to come"),
    ],
)
def test_cards_and_dice_are_drawn(spec, plies, words):
    state = random_position(loaded(spec), 3, plies=plies)
    for eyes in (state, *(state.observation(player) for player in range(2) if state.game.viewed)):
        picture = ElementTree.fromstring(shown(picture_address(eyes)))
        assert words in "".join(picture.itertext())


def test_a_hidden_card_is_drawn_as_its_back():
    state = random_position(loaded("kuhn_poker"), 3, plies=2)
    cards = [set(re.findall(">([JQK])<", shown(picture_address(state.observation(player))))) for player in (0, 1)]
    everything = set(re.findall(">([JQK])<", shown(picture_address(state))))
    assert [len(seen) for seen in cards] == [1, 1] and cards[0] | cards[1] == everything and len(everything) == 2


def test_the_examples_of_the_page_are_drawn():
    source = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(source) == 3
    found: dict[str, Any] = {}
    for text in source:
        exec(re.sub(r"^assert check_game.*$", "", text, flags=re.MULTILINE), found)
    chomp, hexagons, heap = (found[name]().new_initial_state() for name in ("Chomp", "Hex", "Heap"))
    assert len(parts(draw_position(chomp, None, Shown(clickable=True)), "legal")) == 24
    after = hexagons.child((0, 0)).child((1, 1))
    assert len(parts(draw_position(after, hexagons, Shown(clickable=True)), "stone")) == 2
    assert shown(picture_address(heap)).count("<circle") == 12
