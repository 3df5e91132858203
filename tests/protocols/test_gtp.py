"""The Go Text Protocol as dialogues: what a controller says, and what it is answered."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from ponderosa import load_game
from ponderosa.cli.engines.gtp import GamesThinker
from ponderosa.core.clock import Clock as GameClock
from ponderosa.core.notation import move_names
from ponderosa.protocols import gtp_clock
from ponderosa.protocols.gtp import COMMANDS, Session
from ponderosa.protocols.gtp_analysis import MOST_MOVES, PATIENCE, Analysis
from ponderosa.protocols.gtp_games import GTP_GAMES
from ponderosa.protocols.gtp_handicap import HANDICAP, handicap_points
from ponderosa.protocols.thought import Thought
from tests.helpers import PATIENCE as TEST_PATIENCE
from tests.helpers import loaded, running
from tests.protocols.dialogue import Clock

GO5 = ("boardsize 5", "clear_board")


class Player:
    """Plays the moves that it is given, in the game's own names; remembers what it was asked."""

    def __init__(self, *names: str, takes: float = 0.0, clock: Clock | None = None) -> None:
        self.names, self.takes, self.clock = list(names), takes, clock or Clock()
        self.seconds: list[float | None] = []
        self.most: list[float | None] = []

    def __call__(self, state: Any, seconds: float | None, *rest: Any, most_seconds: float | None = None) -> Thought:
        self.most.append(most_seconds)
        self.seconds.append(seconds)
        self.clock.now += self.takes
        name = self.names.pop(0) if self.names else None
        return Thought(state.legal_action(name) if name else state.legal_actions()[0], note="hm")


def answers(*lines: str, think: Any = None, game: str = "go", clock: Any = None) -> list[str]:
    """What is answered to each line; the empty line behind each answer is checked and gone."""
    output = io.StringIO()
    session = Session(
        GTP_GAMES,
        game,
        lambda spec, known: loaded(spec).new_initial_state(),
        think or Player(),
        output,
        io.StringIO(),
        clock or Clock(),
    )
    session.run(lines)
    text = output.getvalue()
    assert text.endswith("\n\n") and "\n\n\n" not in text
    return text.removesuffix("\n\n").split("\n\n")


def last(*lines: str, **options: Any) -> str:
    return answers(*lines, **options)[-1]


def test_says_who_it_is() -> None:
    assert answers("protocol_version", "name", "7 known_command genmove", "known_command x", "quit", "name") == [
        *("= 2", "= Ponderosa", "=7 true", "= false", "=")
    ]
    assert last("list_commands").removeprefix("= ").split("\n") == list(COMMANDS)


def test_comments_controls_and_empty_lines_are_passed_over() -> None:
    assert answers("# nothing", "", "  12\tname # who\r\n", "\x07version") == ["=12 Ponderosa", last("version")]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("3 dance", "?3 unknown command"),
        ("boardsize x", "? syntax error"),
        ("boardsize", "? syntax error"),
        ("play b", "? syntax error"),
        ("play green C3", "? syntax error: a colour is b, w, black or white"),
        ("play b Z9", "? illegal move"),
        ("play b I3", "? illegal move"),
        ("play b C6", "? illegal move"),
        ("undo", "? cannot undo"),
        ("boardsize 4", "? unacceptable size: go boards have sides from 5 to 19, not 4"),
        ("boardsize 7 9", "? unacceptable size: a board is as wide as it is high"),
        ("komi 1000", "? unacceptable komi: komi is a whole or half number from -25 to 25, not 1000.0"),
        ("set_game halma", "? unknown game; there are Go, Othello, Hex, Gomoku, Connect6"),
        ("fixed_handicap 2", "? invalid number of stones"),
        ("set_free_handicap C3", "? bad vertex list"),
        ("set_free_handicap C3 C9", "? bad vertex list"),
        ("lz-analyze b avoid b C3 1", "? syntax error"),
        ("kata-time_settings hourglass 3", "? syntax error"),
    ],
)
def test_what_cannot_be_obeyed_is_refused_and_changes_nothing(line: str, answer: str) -> None:
    before, refused, after = answers(*GO5, "showboard", line, "showboard")[2:]
    assert (refused, after) == (answer, before)


def test_stones_are_placed_and_shown() -> None:
    lines = (*GO5, "play black c3", "play W D4", "play b PASS", "showboard")
    assert last(*lines) == "= 5  . . . . .\n4  . . . O .\n3  . . X . .\n2  . . . . .\n1  . . . . .\n   A B C D E"


def test_moves_are_generated_for_either_colour_and_taken_back() -> None:
    player = Player("C3", "B2", "D4")
    said = answers(*GO5, "genmove b", "genmove b", "undo", "genmove w", "undo", "undo", "undo", think=player)
    assert said[2:] == ["= C3", "= B2", "=", "= D4", "=", "=", "? cannot undo"]


def test_a_move_that_is_only_asked_for_is_not_played() -> None:
    assert answers(*GO5, "reg_genmove b", "reg_genmove b", "undo", think=Player("C3", "C4"))[2:] == [
        *("= C3", "= C4", "? cannot undo")
    ]


def test_komi_keeps_the_stones_and_changes_the_score() -> None:
    assert answers(*GO5, "play b C3", "final_score", "komi 0.5", "final_score", "komi 26", "undo", "undo")[3:] == [
        *("= B+17.5", "=", "= B+24.5"),
        *("? unacceptable komi: komi is a whole or half number from -25 to 25, not 26.0", "=", "? cannot undo"),
    ]
    assert last(*GO5, "komi 0", "final_score") == "= 0"


def test_a_superko_is_illegal() -> None:
    # . X O .      Black takes at c2; White may not take back at once
    ko = "b B1", "w C1", "b A2", "w D2", "b B3", "w C3", "b C2", "w B2"
    assert answers(*GO5, *(f"play {move}" for move in ko), "play b C2")[2:] == [*["="] * 8, "? illegal move"]


def test_after_two_passes_the_game_is_over_until_somebody_plays_on() -> None:
    over = *GO5, "play b B2", "play w pass", "play b pass"
    assert answers(*over, "genmove b", "final_score", "final_status_list dead")[5:] == ["= pass", "= B+17.5", "="]
    on = *over, "play w C3", "komi 0.5", "play b pass", "play w pass", "final_score", "undo 3", "final_score"
    assert answers(*on)[5:] == ["=", "=", "=", "=", "= W+0.5", "=", "= B+24.5"]


@pytest.mark.parametrize("before", [(), ("play b C3",)])
def test_a_pass_that_nobody_has_said_ends_no_game(before: tuple[str, ...]) -> None:
    class Looking(Player):
        def __call__(self, state: Any, *rest: Any, **more: Any) -> Thought:
            assert not state.child("pass").is_terminal()
            return super().__call__(state, *rest, **more)

    player = ["w", "b"][len(before) % 2]
    lines = *GO5, *before, f"lz-analyze {player}", f"genmove {player}", "play b D4", "play b E5"
    assert answers(*lines, think=Looking("A1", "pass"))[-3:] == ["= pass", "=", "="]


def test_an_agent_follows_a_game_in_which_a_colour_moves_twice() -> None:
    thinker = GamesThinker("mcts:iterations=20")
    moves = "play b C3", "genmove w", "play w pass", "play b B2", "genmove w", "genmove w"
    output = io.StringIO()
    session = Session(GTP_GAMES, "go", thinker.new_state, thinker.think, output, io.StringIO())
    session.run([*GO5, *moves])
    assert "?" not in output.getvalue()


def test_a_resignation_is_no_move() -> None:
    assert answers(*GO5, "play b C3", "play w resign", "genmove w", think=Player("D4"))[2:] == ["=", "=", "= D4"]


def test_what_stands_is_alive() -> None:
    assert last(*GO5, "play b C3", "play w A5", "final_status_list alive") == "= A5 C3"


@pytest.mark.parametrize(("size", "most"), [(7, 4), (9, 9)])
def test_handicap_stones_are_black_and_white_begins(size: int, most: int) -> None:
    for stones in (2, most):
        game, given, side = answers(f"boardsize {size}", f"fixed_handicap {stones}", "gogui-rules_side_to_move")
        assert (game, side) == ("=", "= white")
        assert len(set(given.removeprefix("= ").split())) == stones
    assert last(f"boardsize {size}", f"fixed_handicap {most + 1}") == "? invalid number of stones"


@pytest.mark.parametrize(("size", "line"), [(7, 3), (9, 3), (13, 4), (15, 4)])
def test_handicap_stones_are_as_far_from_every_edge(size: int, line: int) -> None:
    points = handicap_points(9, size)
    letters = "ABCDEFGHJKLMNOP"
    places = {line, (size + 1) // 2, size + 1 - line}
    assert {(letters.index(point[0]) + 1, int(point[1:])) for point in points} == {
        (column, row) for column in places for row in places
    }


def test_handicap_on_19_lines_is_as_the_protocol_has_it() -> None:
    assert all(handicap_points(stones, 19) == points.split() for stones, points in HANDICAP.items())


def test_free_handicap_and_only_on_an_empty_board() -> None:
    lines = *GO5, "set_free_handicap B2 D4 C3", "final_score", "set_free_handicap B2 D4", "fixed_handicap 2"
    assert answers(*lines)[2:] == ["= B2 D4 C3", "= B+17.5", "? board not empty", "? board not empty"]


def test_othello_passes_by_itself_where_it_must() -> None:
    moves = [f"play {'bw'[place % 2]} {name}" for place, name in enumerate(until_a_pass())]
    mover, other = ("b", "w") if len(moves) % 2 == 0 else ("w", "b")
    begin = ("set_game Othello", "boardsize 4", *moves)
    assert last(*begin, f"genmove {mover}") == "= pass"
    assert re.fullmatch(r"= [A-D][1-4]", last(*begin, f"genmove {other}"))
    assert last(*begin, f"genmove {other}") == last(*begin, f"play {mover} pass", f"genmove {other}")


def until_a_pass() -> list[str]:
    """Moves on 4x4 after which one side must pass and the game goes on."""
    for seed in range(100):
        random, state = Random(seed), loaded("othello:size=4").new_initial_state()
        while not state.is_terminal():
            names = [state.action_to_string(action) for action in state.legal_actions()]
            if names == ["pass"]:
                return move_names(state)
            state.apply_action(random.choice(names))
    raise AssertionError


def test_gomoku_leaves_out_the_column_that_the_protocol_does_not_have() -> None:
    begin = "boardsize 15", "clear_board", "play b J9", "play w P15", "showboard"
    board = answers(*begin, game="gomoku")[-1].removeprefix("= ").splitlines()
    assert board[0].split()[15] == "O" and board[6].split()[9] == "X"
    assert last(*begin, "play b I9", game="gomoku") == "? illegal move"
    assert last(*begin, "genmove b", game="gomoku", think=Player("i8")) == "= J8"
    assert last(*begin, "genmove w", game="gomoku") == "? illegal move: it is black's turn"


def test_a_game_of_gomoku_ends() -> None:
    row = [f"play {'bw'[place % 2]} {'ABCDE'[place // 2]}{1 + place % 2}" for place in range(9)]
    assert answers("boardsize 7", *row, "final_score", "genmove w", "komi 7", game="gomoku")[-3:] == [
        *("= B+", "? the game is over", "=")
    ]
    assert last("boardsize 7", "final_score", game="gomoku") == "? cannot score: the game is not over"


def test_two_stones_a_turn_are_played_one_by_one() -> None:
    begin = "boardsize 9", "play b E5", "play w D4", "play w D5"
    assert answers(*begin, "genmove b", "genmove b", "genmove b", game="connect6", think=Player("e6", "e7"))[4:] == [
        *("= E6", "= E7", "? illegal move: it is white's turn")
    ]
    assert answers(*begin, "gogui-rules_side_to_move", "undo", "gogui-rules_side_to_move", game="connect6")[4:] == [
        *("= black", "=", "= white")
    ]


@pytest.mark.parametrize("game", GTP_GAMES)
def test_every_vertex_is_read_as_it_is_written(game: str) -> None:
    gtp = GTP_GAMES[game]
    state = load_game(gtp.spec(8 if game == "othello" else 19, None)).new_initial_state()
    names = [state.action_to_string(action) for action in state.legal_actions()]
    vertices = [gtp.vertex(name) for name in names]
    assert [gtp.name(vertex).lower() for vertex in vertices] == [name.lower() for name in names]
    assert not any(vertex.startswith("I") for vertex in vertices) or game == "hex"
    assert len(set(vertices)) == len(names)


def test_gogui_is_told_the_rules_of_a_game() -> None:
    names = "game_id", "board_size", "board", "side_to_move", "legal_moves", "final_result"
    size, *told = answers("boardsize 4", *(f"gogui-rules_{name}" for name in names), game="othello")
    assert size == "="
    assert told[:4] == ["= Othello", "= 4", "= . . . .\n. X O .\n. O X .\n. . . .", "= black"]
    assert sorted(told[4].split()[1:]) == ["A3", "B4", "C1", "D2"] or len(told[4].split()) == 5
    assert told[5] == "="


# time


def planned(*lines: str, takes: float = 0.0) -> list[float | None]:
    clock = Clock()
    player = Player(takes=takes, clock=clock)
    answers(*GO5, *lines, think=player, clock=clock)
    return player.seconds


def test_without_a_clock_it_takes_its_usual_time() -> None:
    assert (
        planned("genmove b", "time_settings 0 1 0", "genmove w", "kata-time_settings none", "genmove b") == [None] * 3
    )


def test_time_is_divided_and_what_is_used_is_gone() -> None:
    first, second = planned("time_settings 300 0 0", "genmove b", "genmove b", takes=10.0)
    assert first is not None and second is not None
    assert 300 / 30 - 1 < first < 300 / 30 and 290 / 30 - 1 < second < 290 / 30


def test_what_the_controller_says_is_left_counts() -> None:
    (seconds,) = planned("time_settings 300 0 0", "time_left b 30 0", "time_left w 3 0", "genmove b")
    assert seconds is not None and 0.9 < seconds < 1.0


def test_a_time_for_stones_is_divided_by_the_stones() -> None:
    first, second = planned("time_settings 0 50 10", "genmove b", "time_left w 20 2", "genmove w")
    assert first is not None and second is not None
    assert 4 < first < 5 and 8 < second < 10


def test_periods_and_increments_are_known() -> None:
    assert gtp_clock.settings(["byoyomi", "60", "10", "3"]) == gtp_clock.settings(["BYOYOMI", "60", "10", "3"])
    byoyomi = gtp_clock.settings(["byoyomi", "60", "10", "3"])
    assert byoyomi is not None and (byoyomi.left, byoyomi.periods, byoyomi.limit) == (60, 3, 90)
    assert gtp_clock.told(byoyomi, 7, 2) == GameClock(byoyomi.control, 0.0, 2)
    fischer = gtp_clock.settings(["fischer", "60", "5"])
    assert fischer is not None and gtp_clock.after(fischer, 20).left == 45
    assert gtp_clock.after(fischer, 70).left == 0


# analysis


def test_the_words_of_an_analysis() -> None:
    assert Analysis.asked(["w", "20"], False) == Analysis(1, 0.2, MOST_MOVES, False)
    assert Analysis.asked([], True) == Analysis(None, PATIENCE, MOST_MOVES, True)
    asked = Analysis.asked(["black", "interval", "150", "minmoves", "3", "maxmoves", "2", "ownership", "true"], True)
    assert asked == Analysis(0, 1.5, 2, True)


INFO = re.compile(
    r"info move (?P<move>[A-HJ][1-9]|pass) visits (?P<visits>\d+) (utility \S+ )?winrate (?P<rate>[\d.]+) "
    r"lcb (?P<lcb>[\d.]+)( prior [\d.]+)? order (?P<order>\d+) pv (?P<pv>([A-HJ][1-9]|pass)( ([A-HJ][1-9]|pass))*)"
)


@pytest.fixture(scope="module")
def program() -> Iterator[Callable[..., tuple[Any, Any]]]:
    """`ponderosa engine gtp` as a process, to which lines are written and from which answers are read."""
    command = [sys.executable, "-m", "ponderosa", "engine", "gtp", "--agent", "mcts:iterations=30"]
    pipe = subprocess.PIPE
    with running(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin and process.stdout

        def talk(line: str) -> tuple[Any, Any]:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            return process.stdin, process.stdout

        yield talk
        process.stdin.write("quit\n")
        process.stdin.flush()
        assert process.wait(TEST_PATIENCE) == 0


def read_answer(output: Any) -> list[str]:
    lines = []
    while line := output.readline().rstrip("\n"):
        lines.append(line)
    return lines


@pytest.mark.parametrize("command", ["lz-analyze", "kata-analyze"])
def test_an_analysis_goes_on_until_the_next_line(program: Callable[..., Any], command: str) -> None:
    for line in GO5:
        assert read_answer(program(line)[1]) == ["="]
    _, output = program(f"5 {command} b interval 1 maxmoves 3")
    assert output.readline() == "=5\n"
    said = output.readline().strip()
    moves = list(INFO.finditer(said))
    assert 1 <= len(moves) <= 3 and " ".join(move[0] for move in moves) == said
    assert [int(move["order"]) for move in moves] == [*range(len(moves))]
    for move in moves:
        assert move["pv"].split()[0] == move["move"] and float(move["lcb"]) <= float(move["rate"])
        assert ("." in move["rate"]) == (command == "kata-analyze")
        assert float(move["rate"]) <= (1 if command == "kata-analyze" else 10_000)
    _, output = program("name")  # ends it
    assert [line for line in read_answer(output) if not line.startswith("info")] == []
    assert read_answer(output) == ["= Ponderosa"]


def test_a_move_with_its_analysis(program: Callable[..., Any]) -> None:
    for line in GO5:
        assert read_answer(program(line)[1]) == ["="]
    first, *infos, played = read_answer(program("kata-genmove_analyze b 1")[1])
    assert first == "=" and infos and all(INFO.match(line) for line in infos)
    assert re.fullmatch(r"play ([A-E][1-5]|pass)", played)
    assert read_answer(program("undo")[1]) == ["="]
