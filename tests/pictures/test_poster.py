"""A picture of a position to be shown to others."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ponderosa import Search
from ponderosa.pictures.poster import poster
from ponderosa.registry import load_agent
from tests.helpers import loaded


def texts(drawn: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(drawn).iter() if element.tag.endswith("text")]


def test_a_picture_has_the_name_what_is_believed_and_what_is_certain_on_a_white_ground():
    game = loaded("connect4:rows=4,cols=4")
    state = game.new_initial_state()
    for action in (1, 1, 2):
        state.apply_action(action)
    report, perfect = Search(game).run(state, iterations=200), load_agent("perfect", game)
    perfect.step(state)
    drawn = poster("Connect Four <223>", state, None, report, 1200, perfect.last_report)
    said = texts(drawn)
    assert said[0] == "Connect Four <223>" and 'width="100%" height="100%" fill="#fff"' in drawn
    assert any("1,200 iterations" in words for words in said) and any("exact" in words for words in said)
    assert len(re.findall(r'<text class="(?:win|loss|draw)"', drawn)) == 4  # a result below each column


def test_without_a_solver_nothing_is_said_of_it():
    game = loaded("tictactoe")
    state = game.new_initial_state()
    drawn = poster("Tic-tac-toe", state, None, None, 0, None)
    assert "exact" not in drawn and texts(drawn)[0] == "Tic-tac-toe"


def test_the_last_move_is_marked():
    game = loaded("gomoku")
    before = game.new_initial_state()
    state = before.child(112)
    assert 'class="dot"' in poster("Gomoku h8", state, before, None, 0, None)
    assert 'class="dot"' not in poster("Gomoku h8", state, None, None, 0, None)


def test_a_long_name_is_written_smaller():
    state = loaded("gomoku").new_initial_state()
    long, short = (poster("Gomoku " + "h8 " * count, state, None, None, 0, None) for count in (20, 1))
    assert float(re.findall(r'class="title"[^>]*font-size="([\d.]+)"', long)[0]) * 0.62 * 67 < 485
    assert 'font-size="20.0"' in short


def test_a_game_without_a_board_has_no_picture():
    assert poster("Rock", loaded("rps").new_initial_state(), None, None, 0, None) is None
