"""Kriegspiel: OpenSpiel's umpire beside our referee, what is drawn for the unseen men, and what nobody may see."""

from __future__ import annotations

import collections
import random
import re

import pytest

from ponderosa import Search, check_game, load_agent
from ponderosa.compile.bits import count_all_bits
from ponderosa.core.rules import jit_enabled
from ponderosa.games.boards.chess_board import ENDINGS
from ponderosa.games.boards.chess_hidden import contradictions
from ponderosa.games.boards.chess_tables import FILES, KING, NOWHERE, PAWN
from ponderosa.games.boards.chess_text import square_name, square_of, uci
from ponderosa.games.chess import Chess
from ponderosa.games.kriegspiel import Kriegspiel
from ponderosa.pictures.board import Shown, draw_position
from tests.helpers import EVERY_GAME, in_python, loaded, plain, position

GAME = in_python("kriegspiel")


def after(moves, fen=None):
    """The state after tries as people write them, played by Python."""
    return position(GAME if fen is None else plain(Kriegspiel(fen)), moves)


def tries(state):
    return [state.action_to_string(action) for action in state.legal_actions()]


def umpires_words(text):
    """What was taken and where, and how many pawn tries there are, in OpenSpiel's message."""
    lost, tries = re.search(r"(Pawn|Piece) at (..) captured", text), re.search(r"(\d+) pawn tr", text)
    return (lost[1].lower(), lost[2]) if lost else None, int(tries[1]) if tries else 0


def referees_words(state):
    """The same in ours."""
    text = "\n".join(state.game.remarks(state.record))
    lost, tries = re.search(r"lost a (pawn|piece) on (..)", text), re.search(r"(\d+) pawn tr", text)
    return (lost[1], lost[2]) if lost else None, int(tries[1]) if tries else 0


def same_game_as_openspiels(seed, plies):
    """Random tries, refused or not as by OpenSpiel's umpire, whose words stand beside ours; counts what was said.

    OpenSpiel's umpire says nothing of checks, sees no stalemate, and counts moves of both players to fifty. A try that
    cannot succeed after another was refused is none there; a pawn that promotes has four tries, and one taken en
    passant is announced where it stood.
    """
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("kriegspiel(threefold_repetition=false,50_move_rule=false)").new_initial_state()
    draw, ours, said = random.Random(seed), GAME.new_initial_state(), collections.Counter()
    while not ours.is_terminal() and ours.record.plies < plies:
        s, action = ours.record, draw.choice(ours.legal_actions())
        choices = {theirs.action_to_string(choice): choice for choice in theirs.legal_actions()}
        written = uci(s, action)
        in_passing = s.passed != NOWHERE and written[2:] == square_name(s.passed) and written[0] != written[2]
        after = ours.child(action)
        moved = after.record.plies > s.plies
        said["refused"] += not moved
        if written not in choices:
            assert not moved
            ours = after
            continue
        theirs.apply_action(choices[written])
        ours, message = after, theirs.observation_string(0)
        assert moved == ("Illegal" not in message)
        assert ours.game.fen(ours.record).split()[:2] == str(theirs).split()[:2]
        if moved and not ours.is_terminal():
            (lost, tries), (told, counted) = referees_words(ours), umpires_words(message)
            assert lost == told or in_passing
            assert tries == counted or (counted - tries) % 3 == 0
            said.update(taken=lost is not None, tries=tries > 0)
    if ENDINGS[ours.record.ending] in ("fifty moves", "stalemate"):
        return said
    assert ours.is_terminal() == theirs.is_terminal()
    if ours.is_terminal():
        assert ours.returns() == theirs.returns()[::-1]  # their first player is Black
    return said


def test_a_game_of_random_tries_is_refereed_as_by_openspiel():
    said = same_game_as_openspiels(3, 120)
    assert said["taken"] > 5 and said["tries"] > 10 and said["refused"] > 50


@pytest.mark.slow
def test_games_of_random_tries_are_refereed_as_by_openspiel():
    for seed in range(8):
        same_game_as_openspiels(seed, 2000)


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("4k3/8/8/8/8/8/8/K3R3 b", "check on the file"),
        ("k6R/8/8/8/8/8/8/K7 b", "check on the rank"),
        ("8/8/p7/3k4/8/8/8/KB5B b", "check on the long diagonal"),
        ("8/8/8/3k4/4P3/8/8/K7 b", "check on the long diagonal"),
        ("8/8/8/3k4/2P5/8/8/K7 b", "check on the short diagonal"),
        ("8/8/8/8/6k1/8/8/KB1Q4 b", "check on the short diagonal"),
        ("8/8/8/3k4/5N2/8/8/K2R4 b", "check on the file and by a knight"),
        ("k7/8/8/8/8/8/8/K7 w", None),
    ],
)
def test_the_referee_says_from_where_there_is_check(fen, words):
    remarks = Kriegspiel(fen + " - - 0 1").new_initial_state()
    assert [text for text in GAME.remarks(remarks.record) if text.startswith("check")] == ([words] if words else [])


def test_a_try_that_is_refused_is_told_to_nobody_else():
    state = after("e4 d5 Nf3")
    before = state.observation(0)
    state.apply_action("Bh3")  # its own pawn has gone: nothing is in the way
    assert state.current_player() == 0
    state = after("e4 e5")
    seen = [state.observation(player) for player in range(2)]
    state.apply_action("e4-e5")
    assert state.current_player() == 0 and "e4-e5" not in tries(state)
    assert GAME.remarks(state.record) == ["refused: e4e5"]
    assert state.observation(1) == seen[1] and GAME.remarks(state.observation(1).record) == []
    assert before.legal_actions() == []
    state.apply_action("Nf3")
    assert GAME.remarks(state.record) == []


def test_all_are_told_what_was_taken_where_and_how_many_pawns_may_take():
    state = after("e4 d5")
    assert GAME.remarks(state.observation(0).record) == GAME.remarks(state.observation(1).record) == ["1 pawn try"]
    assert {"e4-d5", "e4-f5", "e4-e5"} <= set(tries(state)) and "a2-b3" in tries(state)
    state.apply_action("exd5")
    for player in range(2):
        assert GAME.remarks(state.observation(player).record) == ["Black has lost a pawn on d5"]
    assert "a7-b6" not in tries(state), "no pawn can take, so no pawn tries to"
    state.apply_action("Qxd5")
    assert GAME.remarks(state.record) == ["White has lost a pawn on d5"]
    assert GAME.remarks(after("Nf3 e5 Nxe5 d6 Nxf7 Kxf7").record) == ["White has lost a piece on f7"]


@pytest.mark.parametrize(("text", "meant"), [("e5", "e4-e5"), ("exd5", "e4-d5"), ("e4d5", "e4-d5"), ("e4-f5", "e4-f5")])
def test_a_pawn_goes_straight_unless_it_says_so(text, meant):
    state = after("e4 d5")
    assert state.action_to_string(GAME.parse_action(text, state)) == meant


def random_states(seed, plies=400):
    """The states of a game between players who try at random."""
    draw, state = random.Random(seed), loaded("kriegspiel").new_initial_state()
    while not state.is_terminal() and state.record.plies < plies:
        yield state
        state = state.child(draw.choice(state.legal_actions()))


@pytest.mark.parametrize("moves", ["e4 d5", "e4 e5 Nf3 Nc6 Bc4 d6", "d4 e5 dxe5 f6 Nf3"])
@pytest.mark.parametrize("player", [0, 1])
def test_nobody_sees_the_other_side(moves, player):
    state = after(moves)
    seen, whole = state.observation(player).record, state.record
    assert seen.men[1 - player] == 0 and seen.men[player] == whole.men[player]
    assert all(piece == 0 or (piece > 6) == player for piece in seen.board)
    assert sum(int(kind) for kind in seen.kinds) == seen.men[player]
    assert seen.passed == NOWHERE and seen.hash == seen.movable == seen.choices == 0 and not seen.reach.any()
    assert seen.castling & 3 << 2 * (1 - player) == 0
    assert seen.calm[1 - player] == seen.lair[1 - player] == 0


def test_what_is_seen_is_the_same_whatever_the_other_side_has_done_unseen():
    for one, other in [("e4 a6", "e4 Nf6"), ("e4 a5", "e4 a6"), ("d4 Nc6 c4 h5", "d4 h5 c4 Nc6")]:
        one, other = after(one), after(other)
        assert one.observation(0) == other.observation(0)
        assert one.observation(0).data.tobytes() == other.observation(0).data.tobytes()
        assert one.observation(1) != other.observation(1)


def judged(drawn):
    """What chess itself says of a drawn position: checks, captures by pawns, and the tries that it allows."""
    s = drawn.record
    chess = Chess(drawn.game.fen(s)).new_initial_state()
    names = [chess.action_to_string(action) for action in chess.legal_actions()]
    taking = {uci(chess.record, action)[:4] for action in chess.legal_actions()}
    pawns = [name for name in names if re.match("[a-h]x", name) and ("=" not in name or "=Q" in name)]
    return bool(chess.record.checked), len(pawns), taking, chess.is_terminal()


def test_drawn_positions_agree_with_all_that_the_referee_has_said():
    looked = 0
    for seed in range(2):
        draw = random.Random(seed)
        for state in random_states(seed):
            if draw.random() > 0.02:
                continue
            for player in range(2):
                drawn = state.resample_from_infostate(player, draw.randrange(2**32))
                s = drawn.record
                assert drawn.observation(player) == state.observation(player)
                assert contradictions(drawn.clone().record, player) == 0
                checked, pawn_tries, legal, over = judged(drawn)
                assert checked == (s.checks != 0) and pawn_tries == s.pawn_tries and not over
                refused = {text for text in GAME.remarks(s) if text.startswith("refused: ")}
                assert not legal & set(" ".join(refused).split())
                assert count_all_bits(s.men[1 - player]) == count_all_bits(state.record.men[1 - player])
                looked += 1
    assert looked > 20


def test_pawns_that_have_taken_nothing_stand_on_files_of_their_own():
    for state in random_states(5, plies=40):
        for player in range(2):
            if state.record.lost_pawns[player] + state.record.lost_pieces[player] == 0 and state.record.plies > 3:
                s = state.resample_from_infostate(player, 1).record
                pawns = s.men[1 - player] & s.kinds[PAWN]
                assert all(count_all_bits(pawns & int(file)) <= 1 for file in FILES)
                assert all(pawns & int(FILES[file]) == 0 for file in range(8) if s.fallen[1 - player] >> file & 1)


def test_whoever_has_taken_stands_there():
    for seed in range(20):
        s = position(loaded("kriegspiel"), "e4 d5 exd5").resample_from_infostate(1, seed).record
        assert s.men[0] >> square_of("d5") & 1


def test_a_bare_king_is_where_it_may_have_gone():
    """In every game, the king is where the other may think it to be; and with luck that is not everywhere."""
    narrow = 0
    for seed in range(30):
        game = plain(Kriegspiel("8/8/8/3k4/8/8/8/K1R2Q2 w - - 0 1"))
        draw, state = random.Random(seed), game.new_initial_state()
        while not state.is_terminal() and state.record.plies < 40:
            state = state.child(draw.choice(state.legal_actions()))
            s = state.record
            king = s.men[1] & s.kinds[KING]
            assert s.lair[0] & king == king
            narrow += count_all_bits(s.lair[0]) < 30
    assert narrow > 20


@pytest.mark.slow
def test_few_men_leave_the_king_where_it_may_be():
    for seed in range(20):
        for state in random_states(seed, plies=1000):
            s = state.record
            for player in range(2):
                king = s.men[1 - player] & s.kinds[KING]
                assert s.lair[player] & king == king


def test_fifty_moves_without_a_capture_or_a_pawn_are_a_draw_and_a_third_time_is_none():
    state = after("Nf3 Nf6 Ng1 Ng8 " * 4)
    assert not state.is_terminal()
    last = after("Ka2 Kg8", "k6r/8/8/8/8/8/8/KR6 w - - 98 80".replace("k6r", "5k1r"))
    assert (last.is_terminal(), ENDINGS[last.record.ending], last.returns()) == (True, "fifty moves", [0.0, 0.0])
    assert str(last.observation(0)) == str(last), "when the game is over, all is shown"


@pytest.mark.slow
@pytest.mark.skipif(not jit_enabled(), reason="searches by Python take minutes")
def test_a_search_takes_back_what_has_taken():
    """White's queen took on d5, where only the pawn and the queen may take; the referee has said where."""
    state = position(loaded("kriegspiel"), "e4 d5 Qh5 Nf6 Qxd5")
    search = Search(loaded("kriegspiel"), playout="static", seed=1)
    report = search.run(state.observation(1), iterations=3000)
    assert report.best_name.endswith("d5")


@pytest.mark.slow
@pytest.mark.skipif(not jit_enabled(), reason="games by Python take minutes")
def test_it_beats_random():
    game, won = loaded("kriegspiel"), 0.0
    for seed in range(6):
        agents = [load_agent("mcts:playout=static,iterations=1000", game), load_agent("random", game)]
        for agent in agents:
            agent.reset(seed)
        state = game.new_initial_state()
        while not state.is_terminal():
            mover = state.current_player()
            state.apply_action(agents[(mover + seed) % 2].step(state.observation(mover)))
        won += state.returns()[seed % 2]
    assert won >= 5


def test_it_keeps_its_promises():
    assert check_game(loaded(EVERY_GAME["kriegspiel"]), games=8) == []


@pytest.mark.parametrize("player", [0, 1])
def test_a_picture_has_the_referees_words_and_ones_own_men_alone(player):
    drawn = draw_position(after("e4 d5 exd5 Qxd5 Nc3 Kd8").observation(player), None, Shown())
    own, other = ("fill:white;stroke", "fill:black;stroke")[:: 1 - 2 * player]
    assert own in drawn and other not in drawn
    remarks = re.search(
        r'<p class="remarks">(.*?)</p>', draw_position(after("e4 d5").observation(player), None, Shown())
    )
    assert remarks is not None and remarks[1] == "1 pawn try"
