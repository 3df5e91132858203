"""Pictures that stand alone, for files and notebooks."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from ponderosa import Search, load_game
from ponderosa.pictures.alone import picture_alone
from ponderosa.pictures.places import layout
from tests.helpers import EVERY_GAME
from tests.plain_python import in_plain_python  # noqa: F401

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", EVERY_GAME)
def test_a_state_draws_itself_or_leaves_it_to_its_text(name):
    state = load_game(EVERY_GAME[name]).new_initial_state()
    drawn = state._repr_svg_()
    if drawn is None:
        assert state.game.cells(state.record) is None and state.game.picture(state.record) is None
    elif layout(state) is None:
        (image,) = ElementTree.fromstring(drawn)
        assert image.tag == f"{SVG}image" and (image.get("href") or "").startswith("data:image/svg+xml;base64,")
    else:
        board = ElementTree.fromstring(drawn)
        assert board.tag == f"{SVG}svg" and board[0].tag == f"{SVG}style"
        assert set(re.findall(r"var\((--\w+)\)", board[0].text or "")) <= {"--share", "--fall"}  # of single cells
        assert 0 < float(board.get("width", 0)) <= 480 and 0 < float(board.get("height", 0)) <= 480


def test_a_picture_of_the_games_own_keeps_its_shape():
    drawn = ElementTree.fromstring(load_game("pig").new_initial_state()._repr_svg_())
    width, height = map(float, (drawn.get("viewBox") or "").split()[2:])
    assert float(drawn.get("width", 0)) / float(drawn.get("height", 1)) == pytest.approx(width / height, rel=0.02)
    assert "ponderosa" not in repr(Search(load_game("pig"))) and "pig" in repr(Search(load_game("pig")))


def test_what_was_thought_is_written_into_the_cells():
    game = load_game("connect4")
    state, report = game.new_initial_state(), Search(game).run(iterations=40)
    texts = [text.text for text in ElementTree.fromstring(picture_alone(state, report)).iter(f"{SVG}text")]
    assert str(report.actions[0].visits) in texts


def test_a_tree_draws_itself():
    report = Search(load_game("tictactoe")).run(iterations=40)
    drawn = ElementTree.fromstring(report.tree._repr_svg_())
    assert drawn.tag == f"{SVG}svg" and report.best_name in "".join(drawn.itertext())
