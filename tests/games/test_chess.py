"""Chess: counts of moves that everybody agrees on, OpenSpiel's rules, endings, and moves as people write them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import PonderosaError, Search, load_game
from ponderosa.alphabeta.deepening import Deepening
from ponderosa.core.budget import Budget
from ponderosa.core.checks.perft import perft
from ponderosa.core.rules import jit_enabled
from ponderosa.errors import IllegalActionError, SettingError
from ponderosa.games.boards import chess_text
from ponderosa.games.boards.chess_board import ENDINGS
from ponderosa.games.chess import Chess
from tests.helpers import in_python, loaded, plain, position, random_game

START = chess_text.START
COUNTS = {
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": [48, 2039, 97862, 4085603],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": [14, 191, 2812, 43238, 674624],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": [6, 264, 9467, 422333],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [44, 1486, 62379, 2103487],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": [46, 2079, 89890, 3894594],
}
"""Move sequences of five positions in which everything happens (chessprogramming.org, "Perft Results")."""
PLAIN = in_python("chess")


def after(moves, fen=START):
    """The state after moves as people write them, played by Python."""
    return position(plain(Chess(fen)), moves)


def ending(state):
    return ENDINGS[state.record.ending]


@pytest.mark.skipif(not jit_enabled(), reason="counts by Python take minutes")
@pytest.mark.parametrize("fen", COUNTS)
def test_there_are_as_many_move_sequences_from_positions_in_which_everything_happens(fen):
    few = COUNTS[fen][:3]
    assert perft(Chess(fen), len(few)).sequences[1:] == tuple(few)


@pytest.mark.slow
@pytest.mark.skipif(not jit_enabled(), reason="counts by Python take minutes")
@pytest.mark.parametrize("fen", COUNTS)
def test_there_are_as_many_long_move_sequences(fen):
    assert perft(Chess(fen), len(COUNTS[fen])).sequences[1:] == tuple(COUNTS[fen])


def test_the_start_has_4865609_sequences_of_five_moves():
    if not jit_enabled():
        assert perft_in_python(START, 2) == 400
    else:
        assert perft(loaded("chess"), 5).sequences[5] == 4865609


def perft_in_python(fen, depth):
    state = plain(Chess(fen)).new_initial_state()

    def count(state, depth):
        return 1 if depth == 0 else sum(count(state.child(action), depth - 1) for action in state.legal_actions())

    return count(state, depth)


@pytest.mark.parametrize("fen", COUNTS)
def test_python_finds_the_moves_that_machine_code_finds(fen):
    assert perft_in_python(fen, 1) == COUNTS[fen][0]


def same_game_as_openspiels(game, seed, look_closely):
    """A random game, with OpenSpiel's rules beside ours: positions, numbers of moves and results."""
    pyspiel = pytest.importorskip("pyspiel")
    draw, ours, theirs = random.Random(seed), game.new_initial_state(), pyspiel.load_game("chess").new_initial_state()
    while not ours.is_terminal():
        legal = ours.legal_actions()
        assert not theirs.is_terminal() and len(theirs.legal_actions()) == len(legal), game.fen(ours.record)
        if draw.random() < look_closely:
            names = {theirs.action_to_string(action) for action in theirs.legal_actions()}
            assert {ours.action_to_string(action) for action in legal} == names
        action = draw.choice(legal)
        theirs.apply_action(theirs.string_to_action(ours.action_to_string(action)))
        ours.apply_legal(action)
        told, own = str(theirs).split(), game.fen(ours.record).split()
        assert (told[:3], told[4:]) == (own[:3], own[4:])
        assert own[3] in ("-", told[3])  # theirs names the passed square where a pin forbids to take too
    assert theirs.is_terminal() and theirs.returns() == ours.returns()[::-1]  # their first player is Black
    return ending(ours)


def test_a_random_game_is_one_by_openspiels_rules():
    same_game_as_openspiels(loaded("chess"), 11, 0.05)


@pytest.mark.slow
def test_random_games_are_ones_by_openspiels_rules_and_end_in_every_way():
    assert {same_game_as_openspiels(loaded("chess"), seed, 0.05) for seed in range(60)} == set(ENDINGS[1:])


def test_the_fools_mate_is_one():
    state = after("f3 e5 g4 Qh4#")
    assert (ending(state), state.returns()) == ("checkmate", [-1.0, 1.0])


def test_stalemate_is_a_draw():
    state = after("Qc7", "k7/8/8/8/8/8/8/1KQ5 w - - 0 1")
    assert (ending(state), state.returns(), state.legal_actions()) == ("stalemate", [0.0, 0.0], [])


def test_a_position_that_comes_a_third_time_ends_the_game():
    state = after("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1")
    assert not state.is_terminal()
    state.apply_action("Ng8")
    assert ending(state) == "threefold repetition"


def test_a_position_with_other_rights_is_another_one():
    """King and rook come back, and may not castle any more: the position after that is the first of its kind."""
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    state = after("Rg1 Kd8 Rh1 Ke8 Rg1 Kd8 Rh1 Ke8", fen)
    assert not state.is_terminal()
    state = after("Rg1 Kd8 Rh1 Ke8 Rg1 Kd8 Rh1 Ke8 Rg1", fen)
    assert ending(state) == "threefold repetition"


def test_a_pawn_that_may_be_taken_en_passant_makes_another_position():
    quiet = "Kf8 Kf1 Ke8 Ke1"
    took = after(f"e4 {quiet} {quiet}", "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1")
    assert not took.is_terminal()
    nobody_can = after(f"e4 {quiet} {quiet}", "4k3/8/8/8/2p5/8/4P3/4K3 w - - 0 1")
    assert ending(nobody_can) == "threefold repetition"


def test_fifty_moves_without_a_capture_or_a_pawn_are_a_draw_but_a_mate_counts():
    assert ending(after("Kb1", "7k/8/8/8/8/8/R7/K7 w - - 99 80")) == "fifty moves"
    assert ending(after("Ra8#", "7k/6pp/8/8/8/8/R7/K7 w - - 99 80")) == "checkmate"
    assert not after("g6", "7k/6pp/8/8/8/8/R7/K7 b - - 99 80").is_terminal()


@pytest.mark.parametrize(
    ("pieces", "over"),
    [
        ("k7/8/8/8/8/8/8/K7", True),
        ("k7/8/8/8/8/8/8/KN6", True),
        ("k7/8/8/8/8/8/8/KB6", True),
        ("k1b5/8/8/8/8/8/8/KB6", True),  # both on light squares
        ("kb6/8/8/8/8/8/8/KB6", False),
        ("k7/8/8/8/8/8/8/KNN5", False),
        ("kn6/8/8/8/8/8/8/KB6", False),
        ("k7/7p/8/8/8/8/8/K7", False),
    ],
)
def test_material_with_which_nobody_can_mate_ends_the_game(pieces, over):
    assert plain(Chess(f"{pieces} w - - 0 1")).new_initial_state().is_terminal() is over


def test_a_bare_king_cannot_win():
    rules = Chess.own_rules()
    assert rules["bounds"](Chess.from_fen("k7/8/8/8/8/8/8/KQ6 w - - 0 1").record) == (0.0, 1.0)
    assert rules["bounds"](Chess.from_fen("k7/8/8/8/8/8/8/KQ6 b - - 0 1").record) == (-1.0, 0.0)


QUEEN_AND_GUARDED_PAWN = "4k3/2p5/3p4/8/8/3Q4/8/4K3 w - - 0 1"


@pytest.mark.parametrize(("noisy", "takes"), [(0, True), (12, False)])
def test_a_queen_takes_no_guarded_pawn_when_captures_are_followed_to_the_end(noisy, takes):
    game = Chess(QUEEN_AND_GUARDED_PAWN)
    report = Deepening(game, depth=1, noisy=noisy, table=0).run(game.new_initial_state(), Budget(iterations=10**6))
    assert (report.best_name == "Qxd6") is takes


@pytest.mark.parametrize("fen", COUNTS)
def test_noisy_moves_are_captures_and_new_queens(fen):
    for state in random_game(plain(Chess(fen)), 3)[:6]:
        s, found = state.record, np.zeros(300, np.int32)
        count = int(Chess.own_rules()["noisy"](s, found)) if not state.is_terminal() else 0
        names = sorted(map(state.action_to_string, found[: abs(count)].tolist()))
        legal = sorted(map(state.action_to_string, state.legal_actions()))
        if s.checked:
            assert names == legal and count <= 0
        else:
            wanted = [name for name in legal if "=Q" in name or ("x" in name and "=" not in name)]
            assert [name for name in names if not name.startswith("=")] == wanted


def test_values_are_those_of_the_mirrored_position_with_colours_exchanged():
    evaluate = Chess.own_rules()["evaluate"]
    for fen in COUNTS:
        board, turn, rights, *_ = fen.split()
        turned = "/".join(board.split("/")[::-1]).swapcase()
        mirrored = f"{turned} {'b' if turn == 'w' else 'w'} {rights.swapcase()} - 0 1"
        one, other = (evaluate(Chess.from_fen(text).record) for text in (fen, mirrored))
        assert one == pytest.approx(other[::-1]) and one[0] == -one[1]


def test_a_man_more_and_a_place_in_the_middle_are_worth_something():
    def value(pieces):
        return Chess.own_rules()["evaluate"](Chess.from_fen(f"{pieces} w - - 0 1").record)[0]

    assert value("4k3/8/8/8/8/8/8/Q3K3") > value("4k3/8/8/8/8/8/8/R3K3") > value("4k3/8/8/8/8/8/8/N3K3") > 0.5
    assert value("4k3/8/8/8/4N3/8/8/4K3") > value("4k3/8/8/8/8/8/8/N3K3")
    assert value("4k3/8/P7/8/8/8/8/4K3") > value("4k3/8/8/8/8/8/P7/4K3")


def test_castling_needs_free_squares_that_nobody_attacks():
    def castles(fen):
        state = plain(Chess(fen)).new_initial_state()
        return {name for name in map(state.action_to_string, state.legal_actions()) if name.startswith("O")}

    assert castles("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1") == {"O-O", "O-O-O"}
    assert castles("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1") == {"O-O-O"}
    assert castles("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1") == set()
    assert castles("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1") == {"O-O-O"}  # the king would pass f1
    assert castles("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1") == {"O-O", "O-O-O"}  # only the rook passes b1
    assert castles("4r1k1/8/8/8/8/8/8/R3K2R w KQ - 0 1") == set()


def test_moves_are_told_apart_by_column_row_or_both():
    def names(fen):
        state = plain(Chess(fen)).new_initial_state()
        return set(map(state.action_to_string, state.legal_actions()))

    assert {"Nbd2", "Nfd2"} <= names("7k/8/8/8/8/5N2/8/KN6 w - - 0 1")
    assert {"R1a3", "R5a3"} <= names("7k/8/8/R7/8/8/8/R6K w - - 0 1")
    assert {"Q1b2", "Qa3b2", "Qcb2"} <= names("6k1/8/8/8/8/Q1Q5/8/Q6K w - - 0 1")
    assert {"exd6", "e6"} <= names("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2")


@pytest.mark.parametrize("text", ["e8=Q+", "e8=Q", "e8Q", "e7e8q", "E7E8Q", "e7-e8q", "e8", "e8=q!"])
def test_a_promotion_is_read_in_every_way_that_people_write_it(text):
    state = plain(Chess("7k/4P3/8/8/8/8/8/K7 w - - 0 1")).new_initial_state()
    assert state.action_to_string(state.game.parse_action(text, state)) == "e8=Q+"


@pytest.mark.parametrize(
    ("text", "meant"),
    [("bxc3", "bxc3"), ("Bxc3", "Bxc3"), ("b2c3", "bxc3"), ("d2c3", "Bxc3"), ("0-0", "O-O"), ("o-o", "O-O")],
)
def test_a_pawn_is_no_bishop(text, meant):
    state = plain(Chess("4k3/8/8/8/8/2p5/1P1B4/4K2R w K - 0 1")).new_initial_state()
    assert state.action_to_string(state.game.parse_action(text, state)) == meant
    assert state.child(text) == state.child(meant)
    assert position(state.game, text).history() == position(state.game, meant).history()


@pytest.mark.parametrize("text", ["", "e5", "Nc4", "e2e5", "e2e4q", "Ke2", "castle", "a1a1", "O-O", "🐴", "e9"])
def test_what_is_no_legal_move_is_refused_with_those_that_are(text):
    state = PLAIN.new_initial_state()
    with pytest.raises(IllegalActionError, match=r"legal: .*Nf3"):
        PLAIN.parse_action(text, state)


@given(st.integers(0, 10**6))
def test_a_position_written_down_and_read_again_is_the_same(seed):
    states = random_game(in_python("chess:fen=6k1/8/4K3/6N1/8/3B4/8/8_w_-_-_88_60"), seed)
    for state in states:
        again = Chess(state.game.fen(state.record)).new_initial_state()
        assert again.game.fen(again.record) == state.game.fen(state.record)
        assert again.record.hash == state.record.hash
        assert again.record.choices == state.record.choices


@pytest.mark.parametrize(
    ("fen", "why"),
    [
        ("nonsense", "no row of eight squares"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "White must have one king"),
        ("kk6/8/8/8/8/8/8/K7", "Black must have one king"),
        ("k7/8/8/8/8/8/8/K7 x", "must be w or b"),
        ("k7/8/8/8/8/8/8/K7 w KK", "rights to castle are some of KQkq"),
        ("k7/8/8/8/8/8/8/K7 w K", "king and rook stand where they began"),
        ("k7/8/8/8/8/8/8/K7 w - e4", "of row 3 or 6"),
        ("k7/8/8/8/8/8/8/K7 w - e6", "no pawn has just passed e6"),
        ("k7/8/8/8/8/8/8/K7 w - - 101", "from 0 to 100"),
        ("k7/8/8/8/8/8/8/K7 w - - 0 1 2", "up to six parts"),
        ("kP6/8/8/8/8/8/8/K7", "pawns stand on the second to the seventh row"),
        ("k7/QQQQQQQQ/QQQQQQQQ/8/8/8/8/K7 b", "no side has more than 16 pieces"),
        ("k6R/8/8/8/8/8/8/K7 w", "the king of the side not to move is attacked"),
        ("k7/8/8/8/8/8/8 w", "no eight rows"),
    ],
)
def test_what_is_no_position_is_refused_with_the_reason(fen, why):
    with pytest.raises(SettingError, match=why):
        Chess(fen).new_initial_state()


def test_a_position_may_be_given_by_name_and_its_games_are_bounded():
    game = load_game("chess:fen=k7/8/8/8/8/8/P7/K7_w_-_-_90_60")
    assert game.fen(game.new_initial_state().record) == "k7/8/8/8/8/8/P7/K7 w - - 90 60"
    assert game.max_game_length == 10 + 7 * 100
    assert Chess.from_fen(START) == load_game("chess").new_initial_state()
    with pytest.raises(PonderosaError, match="no position of chess"):
        load_game("chess:fen=k7").new_initial_state()


def test_the_same_position_has_the_same_key_by_any_order_of_moves():
    key = Chess.own_rules()["key"]
    assert key(after("Nf3 d5 g3").record) != key(after("Nf3 d5 g4").record)
    assert key(after("Nf3 Nc6 Nc3 Nf6").record) == key(after("Nc3 Nf6 Nf3 Nc6").record)
    assert key(after("").record) != key(after("Nf3 Nf6 Ng1 Ng8").record)  # there is no way back in a graph


def test_a_state_shows_its_pieces_and_the_squares_of_a_move():
    state = after("e4")
    cells = state.game.cells(state.record)
    assert (cells[4][4], cells[4][4].sign, cells[0][4], cells[0][4].sign, cells[6][4]) == ("P", "♟", "k", "♚", "")
    assert (cells[4][4].ink, cells[0][4].ink) == ("white", "black")
    knight = state.game.parse_action("Nf6", state)
    assert state.game.action_cells(state.record, knight) == [(0, 6), (2, 5)]


@pytest.mark.skipif(not jit_enabled(), reason="a search of chess in Python takes long")
def test_a_mate_in_one_is_proven():
    state = Chess.from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
    report = Search(state.game, seed=1).run(state, iterations=2000)
    assert (report.best_name, report.proven) == ("Ra8#", "win")
