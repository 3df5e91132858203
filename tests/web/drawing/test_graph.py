"""The curve of a game, and the words about it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from ponderosa.web.drawing.graph import draw_curve
from ponderosa.web.drawing.summary import move_list
from ponderosa.web.model.catalogue import PERSON
from ponderosa.web.model.place import Place
from ponderosa.web.model.session import GameSession
from tests.helpers import loaded


def test_every_position_can_be_clicked_and_unknown_values_are_left_out():
    drawn = draw_curve([0.5, None, 1.0, 0.0], here=2, player="<X>")
    picture = ElementTree.fromstring(drawn)
    kinds = [element.get("class") for element in picture.iter()]
    assert kinds.count("touch") == 4 and kinds.count("point") == 3
    assert [element.get("data-go") for element in picture.iter() if element.get("data-go")] == ["0", "1", "2", "3"]
    assert "<X>" not in drawn


def test_a_curve_of_nothing_is_drawn_too():
    for values in ([None], [0.5], [None, None]):
        assert ElementTree.fromstring(draw_curve(values, here=0, player="X")).tag


def test_the_moves_are_buttons_with_a_number_before_each_round():
    session = GameSession.after("connect4", loaded("connect4"), [PERSON, PERSON], "4 4 3")
    words = move_list(Place(session))
    assert words.count("<button") == 3 and words.count('class="count"') == 2
    assert 'data-go="3" class="here">3<' in words
