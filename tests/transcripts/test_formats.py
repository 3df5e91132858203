"""Games as files: every game comes back from every format that holds it, and what is no game is refused in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa.errors import PonderosaError
from ponderosa.registry import load_game
from ponderosa.transcripts.formats import FORMATS, formats_of, read_games, write_game
from ponderosa.transcripts.transcript import Transcript, TranscriptError
from tests.helpers import EVERY_GAME, in_python, random_game

SGF_GAMES = {"go", "othello", "gomoku", "connect6", "hex"}


def load(spec):
    return in_python(spec)


def one(text):
    found = list(read_games(text, load))
    assert len(found) == 1
    return found[0]


def names(text):
    return one(text).moves()


def random_transcript(spec, seed, plies=10**6, **facts):
    states = random_game(load(spec), seed)
    state = states[min(plies, len(states) - 1)]
    return Transcript(spec, state, tuple(f"player {n}" for n in range(state.game.players)), **facts)


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_game_comes_back_from_every_format_that_holds_it(name):
    short = name in ("goofspiel", "checkers", "chess", "gomoku", "connect6")  # some are broken off
    transcript = random_transcript(EVERY_GAME[name], 3, 6 if short else 10**6, date="2026-11-19")
    formats = formats_of(transcript)
    assert {"txt", "json"} <= {*formats}
    assert ("sgf" in formats) == (name in SGF_GAMES) and ("pgn" in formats) == (name == "chess")
    for kind in formats:
        again = one(write_game(transcript, kind))
        assert again.state == transcript.state and again.moves() == transcript.moves(), kind
        assert (again.result(), again.players) == (transcript.result(), transcript.players), kind
        assert again.date.replace(".", "-") == "2026-11-19"
        assert write_game(again, kind) == write_game(transcript, kind)


def test_hex_swaps_and_gives_up_as_sgf_writes_it():
    game = one("(;FF[4]GM[11]SZ[7];B[b2];W[swap-pieces];B[D4];W[resign])")
    assert (game.spec, game.moves(), game.lost_by) == ("hex:size=7", ["b2", "swap", "d4"], 1)
    assert ";B[b2];W[swap-pieces];B[d4]" in write_game(game, "sgf") and "RE[B+R]" in write_game(game, "sgf")


@pytest.mark.parametrize(
    ("kind", "spec"), [("txt", "connect4"), ("json", "tictactoe"), ("sgf", "gomoku"), ("pgn", "chess")]
)
@pytest.mark.parametrize("on_time", [False, True])
@pytest.mark.parametrize("loser", [0, 1])
def test_who_gave_up_or_had_no_time_left_is_told(kind, spec, loser, on_time):
    transcript = random_transcript(spec, 5, 4, lost_by=loser, on_time=on_time)
    again = one(write_game(transcript, kind))
    assert (again.lost_by, again.on_time, again.winner()) == (loser, on_time, 1 - loser)


def test_sgf_as_other_programs_write_it():
    text = """(;GM[1]FF[4]SZ[9]KM[6.5]PB[A \\[1d\\]]PW[B:C]C[two
    lines; with (brackets)];B[ee];W[gc](;B[cg];W[]N[x];B[tt])(;B[aa];W[bb])) """
    game = one(text)
    assert game.spec == "go:size=9,komi=6.5" and game.players == ("A [1d]", "B:C")
    assert game.moves() == ["E5", "G7", "C3", "pass", "pass"] and game.over
    assert game.result() == "Black wins." if game.winner() == 0 else "White wins."
    othello = "(;FF[4]GM[2]SZ[8]AB[ed][de]AW[dd][ee];B[ef];W[ff])"
    assert names(othello) == ["e6", "f6"]
    gomoku = one("(;GM[4]SZ[19];B[jj];W[kj]RE[W+R])")
    assert gomoku.spec == "connect:m=19,n=19,k=5,p=1,q=1" and gomoku.moves() == ["j10", "k10"]
    assert one("(;FF[4]PB[a]PW[b];B[j10];W[i11h11];B[j9h9])").spec == "connect6"
    assert names("(;FF[4]PB[a]PW[b];B[j10];W[i11h11];B[j9h9])") == ["j10", "i11", "h11", "j9", "h9"]


def test_passes_that_othello_forces_may_be_left_out():
    game = load("othello:size=4")
    games = (random_game(game, seed)[-1] for seed in range(100))
    state = next(state for state in games if 16 in state.history())
    transcript = Transcript("othello:size=4", state)
    text = write_game(transcript, "sgf")
    shorter = text.replace(";B[]", "").replace(";W[]", "")
    assert shorter != text and one(shorter).moves() == transcript.moves()


def test_pgn_as_other_programs_write_it():
    text = """% a remark
[Event "Casual \\"blitz\\""]
[White "A"]
[Black "B"]
[Result "0-1"]
[Termination "Time forfeit"]

1. e4! {[%clk 0:03:00] good (really)} e5 2. Nf3 ; the knight
(2. f4 exf4 (2... d5 3. exd5) 3. Nf3) 2... Nc6 $1 3. Bb5 a6?! 4. O-O 0-1
"""
    game = one(text)
    assert game.moves() == ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"]
    assert (game.players, game.lost_by, game.on_time) == (("A", "B"), 0, True)
    assert names("1. e4 e5 2. g1f3 *") == ["e4", "e5", "Nf3"]
    fen = "8/P6k/8/8/8/8/8/K7 b - - 0 40"
    game = one(f'[FEN "{fen}"]\n[SetUp "1"]\n\n40... Kg7 41. a8=Q 1/2-1/2')
    assert game.moves() == ["Kg7", "a8=Q"] and not game.over
    assert "40... Kg7 41. a8=Q *" in write_game(game, "pgn")


def test_a_file_may_have_several_games():
    assert [game.moves() for game in read_games("1. e4 1-0\n\n1. d4 d5 1/2-1/2\n", load)] == [["e4"], ["d4", "d5"]]
    assert len(list(read_games("(;GM[4];B[hh]) and (;GM[4];B[gg];W[aa])", load))) == 2
    assert [game.spec for game in read_games('[{"game": "tictactoe"}, {"game": "connect4"}]', load)] == [
        "tictactoe",
        "connect4",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no game that can be read"),
        ("4 4 3", r"begins with \[game: connect4\]"),
        ("[players: a | b]\n4 4", "begins with its game"),
        ("[game: connect4]\n4 9", "move 2: '9' is not a legal action"),
        ("[]", "no game in this file"),
        ('{"game": "connect4", "moves": "4 4"}', '"moves" must be a list of texts'),
        ('[{"game": "connect4"}, 7]', "game 2: a game in JSON is"),
        ("{", "this is no JSON"),
        ("[" * 5000, "no JSON"),
        ("(;GM[4];B[hh]", "cut off"),
        ("(;GM[4];B[hh];B[hi])", r"move 2: B\[hi\] is out of turn: it is O's move"),
        ("(;GM[4];B[hh];W[hh])", r"move 2: W\[hh\]: there is no legal move at this point"),
        ("(;GM[4];B[zz])", "the board has 15 columns and 15 rows"),
        ("(;GM[4];B[])", "nobody can pass here"),
        ("(;GM[6];B[aa])", r"GM\[6\] are not read here; those that are: 1 \(go\)"),
        ("(;GM[1]SZ[nine])", "SZ, the size of the board"),
        ("(;GM[1]SZ[9:7])", "square boards"),
        ("(;GM[1]SZ[9]KM[6.25])", "komi is a whole or half number"),
        ("(;GM[1]SZ[9]HA[2]AB[cc][gg];W[ee])", "stones are set up on the board"),
        ("(;GM[4]??[x])", "no SGF"),
        ("1. e4 e5 2. Ke3", "move 3: 'Ke3' is not a legal action"),
        ("1. e4 e5 (2. d4", "cut off"),
        ('[Variant "Atomic"]\n\n1. e4', "this is a game of Atomic"),
        ('[FEN "nonsense"]\n\n1. e4', "nonsense"),
        ("1. f3 e5 2. g4 Qh4# 3. e4", "move 5: 'e4' comes after the end"),
    ],
)
def test_what_is_no_game_is_refused_in_words(text, words):
    with pytest.raises(PonderosaError, match=words):
        list(read_games(text, load))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["(;", "1. ", "[game: tictactoe]\n", "{", '[Event "', ""]), st.text(max_size=60))
def test_any_text_is_a_game_or_refused_in_words(beginning, text):
    try:
        for game in read_games(beginning + text, lambda spec: in_python("tictactoe")):
            assert game.spec
    except PonderosaError as error:
        assert str(error)


def test_a_format_refuses_games_that_it_cannot_hold():
    transcript = random_transcript("connect4", 1, 3)
    for kind in ("sgf", "pgn"):
        with pytest.raises(TranscriptError, match="cannot be written as"):
            write_game(transcript, kind)
    with pytest.raises(PonderosaError, match="unknown format 'doc'"):
        write_game(transcript, "doc")
    assert json.loads(write_game(transcript, "json"))["game"] == "connect4"
    assert set(FORMATS) == {"txt", "json", "sgf", "pgn"}


def test_moves_are_where_players_see_them():
    state = load("gomoku").new_initial_state()
    state.apply_action("h8")
    assert ";B[hh]" in write_game(Transcript("gomoku", state), "sgf")
    state.apply_action("a15")
    assert ";W[aa]" in write_game(Transcript("gomoku", state), "sgf")
    assert load_game("gomoku").spec == "gomoku"
