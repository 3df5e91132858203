"""Pictures that stand alone, for files and notebooks."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from ponderosa import Search, load_game
from ponderosa.pictures.alone import picture_alone
from tests.helpers import EVERY_GAME
from tests.plain_python import in_plain_python  # noqa: F401

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", EVERY_GAME)
def test_a_state_draws_itself_or_leaves_it_to_its_text(name):
    state = load_game(EVERY_GAME[name]).new_initial_state()
    drawn = state._repr_svg_()
    if drawn is None:
        assert state.game.cells(state.record) is None
    else:
        board = ElementTree.fromstring(drawn)
        assert board.tag == f"{SVG}svg" and board[0].tag == f"{SVG}style"
        assert set(re.findall(r"var\((--\w+)\)", board[0].text or "")) <= {"--share", "--fall"}  # of single cells
        assert 0 < float(board.get("width", 0)) <= 480 and 0 < float(board.get("height", 0)) <= 480


def test_what_was_thought_is_written_into_the_cells():
    game = load_game("connect4")
    state, report = game.new_initial_state(), Search(game).run(iterations=40)
    texts = [text.text for text in ElementTree.fromstring(picture_alone(state, report)).iter(f"{SVG}text")]
    assert str(report.actions[0].visits) in texts


def test_a_tree_draws_itself():
    report = Search(load_game("tictactoe")).run(iterations=40)
    drawn = ElementTree.fromstring(report.tree._repr_svg_())
    assert drawn.tag == f"{SVG}svg" and report.best_name in "".join(drawn.itertext())
