"""The brain of a Gomoku tournament, as scripted dialogues: what the manager says, what the brain answers."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa.errors import GameError
from ponderosa.protocols.gomocup import OTHER, OWN, Board, Brain, RefusedError, Thought, arranged, opening
from tests.protocols.dialogue import Clock, Player, dialogue, new_state, started

FOUR_OF_EACH = ["0,0,1", "0,5,2", "1,0,1", "1,5,2", "2,0,1", "2,5,2", "3,0,1", "3,5,2"]
"""Four in a row at the top for the brain, four at the bottom of six rows for the opponent."""


def test_says_who_it_is() -> None:
    (answer,) = dialogue("ABOUT")
    assert answer.startswith('name="Ponderosa", version="')
    assert 'author="' in answer and 'country="' in answer


@pytest.mark.parametrize("size", range(5, 21))
def test_starts_on_every_size_of_a_tournament(size: int) -> None:
    asked = []
    assert dialogue(f"START {size}", empty=lambda *board: asked.append(board)) == ["OK"]
    assert asked == [(size, size, False)]


@pytest.mark.parametrize("text", ["4", "0", "-15", "33", "1000000", "", "x", "15.5", "15,15", "9" * 5000, "15 15"])
def test_refuses_a_size_that_it_cannot_play(text: str) -> None:
    (answer,) = dialogue(f"START {text}")
    assert answer.startswith("ERROR ")


@pytest.mark.parametrize("text", ["7", "7,4", "4,7", "7,33", "7,x", "7,7,7", ","])
def test_refuses_a_rectangle_that_it_cannot_play(text: str) -> None:
    (answer,) = dialogue(f"RECTSTART {text}")
    assert answer.startswith("ERROR ")


def test_a_start_that_is_refused_leaves_the_board_as_it_was() -> None:
    assert started("TURN 3,3", "START 4", "TURN 3,3", "TURN 4,3") == [
        "0,0",
        "ERROR no side of the board may be shorter than 5",
        "ERROR there is a stone on 3,3 already",
        "1,0",
    ]


@pytest.mark.parametrize(
    "lines",
    [["BEGIN"], ["TURN 1,1"], ["PLAY 1,1"], ["TAKEBACK 1,1"], ["RESTART"], ["BOARD", "DONE"], ["SWAP2BOARD", "DONE"]],
)
def test_needs_a_board_before_anything_else(lines: list[str]) -> None:
    assert dialogue(*lines, "ABOUT")[0] == "ERROR there is no board yet: START comes first"


def test_x_is_the_column_and_y_the_row_from_the_top() -> None:
    player = Player("6,5")
    assert started("TURN 1,0", think=player) == ["6,5"]
    state = player.states[0]
    assert [state.action_to_string(action) for action in state.history()] == ["b6"]
    board = Board(6, 7)
    assert {cell: state.action_to_string(board.read(cell)) for cell in ("0,0", "6,0", "0,5", "6,5")} == {
        "0,0": "a6",
        "6,0": "g6",
        "0,5": "a1",
        "6,5": "g1",
    }
    assert all(board.read(board.cell(action)) == action for action in range(42))


def test_plays_a_game_from_its_beginning() -> None:
    player = Player("3,3", "3,2", "3,1")
    assert started("BEGIN", "TURN 4,4", "TURN 5,5", think=player) == ["3,3", "3,2", "3,1"]
    assert str(player.states[-1]).splitlines()[:6] == [
        "6  . . . . . . .",
        "5  . . . . . . .",
        "4  . . . X . . .",
        "3  . . . X . . .",
        "2  . . . . O . .",
        "1  . . . . . O .",
    ]


def test_lines_may_end_in_any_way_and_be_written_in_any_case() -> None:
    assert dialogue("start 7\r\n", "\r\n", "  \n", "turn  3 , 3 \r\n", "Begin\r\n") == [
        "OK",
        "0,0",
        "ERROR BEGIN is for an empty board; RESTART clears it",
    ]


@pytest.mark.parametrize(
    "line", ["HELLO", "PONDER 5", "STARTX 15", "x,y", "1,1", "DONE", "\x00", "é" * 1000, "YXSHOWINFO"]
)
def test_what_it_does_not_know_it_says(line: str) -> None:
    unknown, then = started(line, "BEGIN")
    assert unknown.startswith("UNKNOWN ")
    assert then == "0,0"


@pytest.mark.parametrize(
    "cell", ["7,0", "0,6", "-1,0", "3", "", "a,b", "1,2,3", "1;2", "3.0,1", "9999999999999999999,0"]
)
@pytest.mark.parametrize("command", ["TURN", "PLAY", "TAKEBACK"])
def test_a_cell_that_is_none_is_refused(command: str, cell: str) -> None:
    refused, then = started(f"{command} {cell}", "BEGIN")
    assert refused.startswith("ERROR ")
    assert then == "0,0"


def test_an_occupied_cell_is_refused_and_nothing_changes() -> None:
    assert started("TURN 3,3", "TURN 3,3", "PLAY 0,0", "TURN 4,4") == [
        "0,0",
        "ERROR there is a stone on 3,3 already",
        "ERROR there is a stone on 0,0 already",
        "1,0",
    ]


def test_a_game_that_is_over_is_not_played_on() -> None:
    player = Player("0,0", "1,0", "2,0", "3,0", "4,0", "1,1")
    turns = [f"TURN {x},5" for x in range(4)]
    *moves, over, taken_back, again = started("BEGIN", *turns, "TURN 6,5", "TAKEBACK 4,0", "TURN 6,5", think=player)
    assert moves == ["0,0", "1,0", "2,0", "3,0", "4,0"]
    assert over.startswith("ERROR the game is over")
    assert taken_back == "OK"
    assert again == "1,1"


def test_the_opponents_five_ends_the_game() -> None:
    *_, over = started(*[f"TURN {x},5" for x in range(5)])
    assert over.startswith("ERROR the game is over")


def test_a_full_board_ends_the_game() -> None:
    rows = ["1122112", "2211221"] * 3
    stones = [f"{x},{y},{rows[y][x]}" for y in range(6) for x in range(7)]
    (answer,) = started("BOARD", *stones, "DONE")
    assert answer == "ERROR the game is over: somebody has five in a row, or the board is full"


def test_takes_moves_back() -> None:
    player = Player("0,0", "1,1")
    answers = started("TURN 3,3", "TAKEBACK 0,0", "TAKEBACK 3,3", "TAKEBACK 3,3", "TURN 4,4", think=player)
    assert answers == ["0,0", "OK", "OK", "ERROR there is no stone on 3,3", "1,1"]
    assert len(player.states[-1].history()) == 1


def test_takes_back_a_move_before_the_last_one() -> None:
    player = Player("0,0", "1,1", "2,2")
    assert started("TURN 3,3", "TURN 4,4", "TAKEBACK 3,3", "TAKEBACK 0,0", "TURN 5,5", think=player)[2:] == [
        "OK",
        "OK",
        "2,2",
    ]
    assert Board(6, 7).read("5,5") in player.states[-1].history()


def test_restarts_on_an_empty_board_of_the_same_size() -> None:
    assert started("TURN 3,3", "RESTART", "BEGIN", "RESTART", "TURN 6,5") == ["0,0", "OK", "0,0", "OK", "0,0"]


def test_a_move_can_be_imposed() -> None:
    player = Player("0,0")
    assert started("PLAY 2,3", "TURN 3,3", think=player) == ["2,3", "0,0"]
    assert [player.states[0].action_to_string(action) for action in player.states[0].history()] == ["c3", "d3"]


def test_what_people_may_read_comes_before_the_move() -> None:
    assert started("BEGIN", think=Player("1,1", note="1000 iterations")) == ["MESSAGE 1000 iterations", "1,1"]


def test_every_answer_is_flushed() -> None:
    class Pipe(io.StringIO):
        flushed = 0

        def flush(self) -> None:
            self.flushed = len(self.getvalue())

    pipe = Pipe()
    Brain(new_state, Player(note="x"), pipe, Clock()).run(["START 7", "BEGIN", "HUH"])
    assert pipe.flushed == len("OK\nMESSAGE x\n0,0\nUNKNOWN command HUH\n")


def test_an_error_of_the_search_is_told_and_survived() -> None:
    thoughts = [GameError("two\nlines"), Thought(0)]

    def think(*arguments: Any, **more: Any) -> Thought:
        thought = thoughts.pop(0)
        if isinstance(thought, Exception):
            raise thought
        return thought

    assert started("BEGIN", "BEGIN", think=think) == ["ERROR two lines", "0,5"]


# BOARD


@pytest.mark.parametrize("order", [1, -1])
def test_a_board_may_come_in_any_order(order: int) -> None:
    player = Player("6,3")
    stones = [*FOUR_OF_EACH, "6,2,2"][::order]
    assert started("TURN 5,5", "BOARD", *stones, "DONE", "TURN 6,4", think=Player("6,0", "6,3", "5,3")) == [
        "6,0",
        "6,3",
        "5,3",
    ]
    assert started("BOARD", *stones, "DONE", think=player) == ["6,3"]
    assert str(player.states[0]).splitlines()[:6] == [
        "6  O O O O . . .",
        "5  . . . . . . .",
        "4  . . . . . . X",
        "3  . . . . . . .",
        "2  . . . . . . .",
        "1  X X X X . . .",
    ]


def test_an_empty_board_is_a_beginning() -> None:
    assert started("BOARD", "DONE", "TURN 3,3") == ["0,0", "1,0"]


@pytest.mark.parametrize(
    "stones",
    [
        ["1,1,1"],
        ["1,1,2", "2,2,2"],
        ["1,1,2", "1,1,1"],
        ["1,1,3", "2,2,2"],
        ["1,1,0"],
        ["1,1"],
        ["1,1,2,2"],
        ["7,0,2"],
        ["x"],
        ["BEGIN"],
        [*(f"{x},0,1" for x in range(5)), *(f"{x},5,2" for x in range(5))],
    ],
    ids=str,
)
def test_a_board_that_cannot_be_is_refused(stones: list[str]) -> None:
    first, refused, then = started("TURN 3,3", "BOARD", *stones, "DONE", "TURN 4,4")
    assert (first, then) == ("0,0", "1,0")
    assert refused.startswith("ERROR ")


def test_with_exactly_five_a_longer_line_is_no_end() -> None:
    six = [f"{x},0,1" for x in (1, 2, 3, 4, 0, 5)]
    six_of_theirs = [f"{x},{y},2" for x in (0, 2, 4) for y in (3, 5)]
    player = Player("6,0")
    assert started("INFO rule 1", "BOARD", *six, *six_of_theirs, "DONE", think=player) == ["6,0"]
    assert player.states[0].game.exact
    (refused,) = started("INFO rule 0", "BOARD", *six, *six_of_theirs, "DONE")
    assert refused.startswith("ERROR the game is over")
    (refused,) = started("INFO rule 1", "BOARD", *six[:5], *six_of_theirs[:5], "DONE")
    assert refused.startswith("ERROR the game is over")


@given(
    cells=st.lists(st.integers(0, 41), unique=True, max_size=41),
    exact=st.booleans(),
)
def test_stones_that_leave_the_game_open_can_always_be_arranged(cells: list[int], exact: bool) -> None:
    state = new_state(6, 7, exact)
    for cell in cells:
        if not state.child(cell).is_terminal():
            state.apply_action(cell)
    moves = state.history()
    mover = state.current_player()
    stones = {
        action: OWN if place % 2 == mover else OTHER
        for place, action in sorted(enumerate(moves), key=lambda pair: pair[1])
    }
    again = arranged(new_state(6, 7, exact), stones)
    assert str(again) == str(state)
    assert again.current_player() == mover


# SWAP2BOARD


def test_opens_with_three_stones_on_any_board() -> None:
    assert dialogue("START 15", "SWAP2BOARD", "DONE", empty=lambda *board: None)[1] == "7,0 8,0 9,1"
    assert all(len(set(opening(Board(rows, columns)))) == 3 for rows in range(5, 33) for columns in range(5, 33))


@pytest.mark.parametrize("stones", [["3,0", "4,0", "2,1"], ["3,0", "4,0", "2,1", "5,5", "6,5"]])
def test_takes_the_better_colour(stones: list[str]) -> None:
    white = Player("0,0", "1,0", value=0.6)
    assert started("SWAP2BOARD", *stones, "DONE", "TURN 0,5", think=white) == ["0,0", "1,0"]
    assert white.states[0].current_player() == 1
    black = Player("0,0", "1,0", value=0.4)
    assert started("SWAP2BOARD", *stones, "DONE", "TURN 0,5", think=black) == ["SWAP", "1,0"]
    assert black.states[-1].current_player() == 0


@pytest.mark.parametrize(
    "stones", [["3,0"], ["3,0", "4,0"], ["3,0", "4,0", "3,0"], ["3,0", "9,9", "2,1"], ["a", "b", "c"]]
)
def test_another_opening_is_refused(stones: list[str]) -> None:
    refused, then = started("SWAP2BOARD", *stones, "DONE", "BEGIN")
    assert refused.startswith("ERROR ")
    assert then == "0,0"


# END


def test_the_end_comes_at_once_while_it_thinks() -> None:
    thinking = threading.Event()
    stopped = []

    def lines() -> Iterator[str]:
        yield "START 7"
        yield "BEGIN"
        assert thinking.wait(600)
        yield "END"
        yield "ABOUT"

    def think(state: Any, seconds: float, max_nodes: Any, should_stop: Callable[[], bool], **more: Any) -> Thought:
        thinking.set()
        while not should_stop():
            pass
        stopped.append(True)
        return Thought(0, note="too late")

    output = io.StringIO()
    brain = Brain(new_state, think, output)
    worker = threading.Thread(target=brain.run, args=(lines(),), daemon=True)
    worker.start()
    worker.join(600)
    assert (stopped, output.getvalue()) == ([True], "OK\n")


@pytest.mark.parametrize("lines", [["END"], ["end\r\n"], ["START 7", "END"], ["START 7", "BOARD", "1,1,2", "END"]])
def test_nothing_is_obeyed_after_the_end(lines: list[str]) -> None:
    assert dialogue(*lines, "ABOUT", "DONE") == ["OK"] * ("START 7" in lines)


def test_a_manager_that_no_longer_listens_is_left() -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    Brain(new_state, Player(), Gone(), Clock()).run(["ABOUT", "ABOUT"])


WORDS = [
    "START 7",
    "RECTSTART 7,6",
    "BEGIN",
    "RESTART",
    "ABOUT",
    "BOARD",
    "SWAP2BOARD",
    "DONE",
    "INFO rule 1",
    "INFO rule 4",
    "",
]
CELLS = [f"{x},{y}" for x in (0, 3, 7) for y in (0, 2, 6)]
LINES = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(CELLS),
    st.builds("{},{}".format, st.sampled_from(CELLS), st.integers(0, 3)),
    st.builds("{} {}".format, st.sampled_from(["TURN", "PLAY", "TAKEBACK", "START"]), st.sampled_from(CELLS)),
    st.text(max_size=8),
)


@given(st.lists(LINES, max_size=40))
def test_whatever_comes_it_answers_in_words_of_the_protocol(lines: Iterable[str]) -> None:
    for answer in dialogue("RECTSTART 7,6", *lines):
        word = answer.split()[0]
        if word not in ("OK", "ERROR", "UNKNOWN", "SWAP") and not word.startswith("name="):
            assert all(Board(7, 7).read(cell) >= 0 for cell in answer.split())


def test_a_text_that_is_no_cell_says_what_a_cell_is() -> None:
    with pytest.raises(RefusedError, match="'seven' is not of the form x,y"):
        Board(7, 7).read("seven")
