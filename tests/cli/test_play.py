"""Playing in the terminal: what a person types, and what comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from ponderosa import load_game
from ponderosa.agents.adapter import as_agent
from ponderosa.core.notation import in_a_row, move_names, position, result
from ponderosa.registry import game_for_people
from tests.cli.conftest import Run
from tests.helpers import PATIENCE, running

QUICK = "mcts:iterations=100"


def test_a_win_against_a_random_player(ponderosa: Run) -> None:
    ran = ponderosa("play", "connect4", "--agent", "random", "--moves", "4 1 4 1 4 2", typed="4\n")
    assert ran.code == 0
    assert "X (you) wins." in ran.out
    assert ran.moves == "4 1 4 1 4 2 4"


def test_a_whole_game_to_the_end(ponderosa: Run) -> None:
    everything = "".join(f"{column}\n" for column in [1, 2, 3, 4, 5, 6, 7] * 12)
    ran = ponderosa("play", "connect4", "--agent", "random:seed=1", typed=everything)
    assert "wins." in ran.out or "A draw." in ran.out
    assert ran.code == 0


def test_the_machine_wins_when_it_can(ponderosa: Run) -> None:
    ran = ponderosa("play", "connect4", "--agent", QUICK, "--moves", "1 4 1 4 2 4", typed="7\n")
    assert "O (machine) plays 4 (a proven win)" in ran.out
    assert "O (machine) wins." in ran.out


def test_a_draw_is_said(ponderosa: Run) -> None:
    ran = ponderosa("play", "tictactoe", "--two-players", "--moves", "b2 a1 c1 a3 a2 c2 b1 b3", typed="c3\n")
    assert "A draw." in ran.out


def test_the_board_and_whose_turn_it_is_after_each_move(ponderosa: Run) -> None:
    ran = ponderosa("play", "tictactoe", "--two-players", typed="b2\na1\n")
    boards = ["3  . . .\n2  . X .\n1  . . .\n   a b c\nO to move", "3  . . .\n2  . X .\n1  O . .\n   a b c\nX to move"]
    assert all(board in ran.out for board in boards)


def test_the_machine_begins_when_asked(ponderosa: Run) -> None:
    ran = ponderosa("play", "tictactoe", "--agent", QUICK, "--first", "ai")
    assert "X (machine) plays" in ran.out
    assert ran.out.rstrip().splitlines()[-2] == "O (you) to move"


def test_first_means_the_next_move_in_the_given_position(ponderosa: Run) -> None:
    me = ponderosa("play", "tictactoe", "--agent", QUICK, "--moves", "b2", "--first", "me")
    assert "O (you) to move" in me.out
    ai = ponderosa("play", "tictactoe", "--agent", QUICK, "--moves", "b2", "--first", "ai")
    assert "O (machine) plays" in ai.out
    assert "X (you) to move" in ai.out


def test_a_bad_entry_is_explained_and_asked_again(ponderosa: Run) -> None:
    ran = ponderosa("play", "tictactoe", "--two-players", typed="d9\n\n  \nb2 b3\nB2\n")
    assert "'d9' is not a legal action here; legal: a1," in ran.err
    assert "'b2 b3' is not a legal action here" in ran.err
    assert "`help` lists the commands" in ran.err
    assert ran.moves == "b2"


@pytest.mark.parametrize("question", ["moves", "?", "MOVES"])
def test_the_legal_moves_are_listed(ponderosa: Run, question: str) -> None:
    ran = ponderosa("play", "tictactoe", "--two-players", "--moves", "b2", typed=f"{question}\n")
    assert "\na1 b1 c1 a2 c2 a3 b3 c3\n" in ran.out


def test_help_lists_the_commands(ponderosa: Run) -> None:
    out = ponderosa("play", "tictactoe", "--two-players", typed="help\n").out
    assert all(f"  {command}" in out for command in ("moves", "hint", "undo", "help", "quit"))


@pytest.mark.parametrize("word", ["q", "Q", "exit", "quit"])
def test_a_letter_is_enough_to_leave(ponderosa: Run, word: str) -> None:
    ran = ponderosa("play", "tictactoe", "--two-players", typed=f"b2\n{word}\na1\n")
    assert ran.code == 0 and ran.moves == "b2"


def test_undo_takes_back_a_round_against_the_machine(ponderosa: Run) -> None:
    ran = ponderosa("play", "connect4", "--agent", QUICK, typed="4\nundo\nundo\n3\nquit\n")
    assert "there is no move of yours to take back" in ran.err
    assert ran.moves.split()[0] == "3"
    assert len(ran.moves.split()) == 2


def test_undo_takes_back_one_move_between_two_people(ponderosa: Run) -> None:
    assert ponderosa("play", "connect4", "--two-players", typed="4\n5\nundo\n").moves == "4"


def test_undo_reaches_into_the_given_moves(ponderosa: Run) -> None:
    ran = ponderosa("play", "connect4", "--agent", QUICK, "--moves", "4 4", typed="undo\n")
    assert "No move was played." in ran.out


def test_undo_when_a_turn_has_several_moves(ponderosa: Run) -> None:
    game = "connect:m=5,n=5,k=5,p=2,q=1"
    ran = ponderosa("play", game, "--agent", "random", typed="c3\na1\nundo\n")
    assert len(ran.moves.split()) == 3  # c3, the machine's two stones, and a1 taken back
    ran = ponderosa("play", game, "--agent", "random", "--moves", "c3 a1 b1 d4", typed="undo\nundo\n")
    assert "No move was played." in ran.out


def test_a_hint_says_what_the_agent_would_play(ponderosa: Run) -> None:
    ran = ponderosa("play", "connect4", "--agent", QUICK, "--moves", "4 1 4 1 4 2", typed="hint\nquit\n")
    assert "Hint: 4 (a proven win)" in ran.out
    assert ran.moves == "4 1 4 1 4 2"


def test_a_hint_has_a_value(ponderosa: Run) -> None:
    out = ponderosa("play", "connect4", "--two-players", "--agent", "mcts:iterations=50", typed="hint\n").out
    assert "(value " in out
    assert " %)" in out


def test_a_hint_of_an_agent_that_does_not_search(ponderosa: Run) -> None:
    assert "Hint: " in ponderosa("play", "tictactoe", "--agent", "random", typed="hint\n").out


@pytest.mark.parametrize("typed", ["quit\n", "QUIT\n", "", "a1"])
def test_quitting_and_the_end_of_the_input_are_fine(ponderosa: Run, typed: str) -> None:
    ran = ponderosa("play", "tictactoe", "--two-players", typed=typed)
    assert ran.code == 0
    assert "Moves: a1" in ran.out or "No move was played." in ran.out


def test_thinking_is_shown_when_asked(ponderosa: Run) -> None:
    silent = ponderosa("play", "connect4", "--agent", QUICK, typed="4\n").out
    out = ponderosa("play", "connect4", "--agent", QUICK, "--show-thinking", typed="4\n").out
    assert "Visits" not in silent
    assert all(word in out for word in ("Move", "Visits", "Value", "Proven", "Line", "100 iterations in"))


def test_interrupting_a_person_leaves_with_the_moves(ponderosa: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ponderosa.cli.commands.play.ask", _interrupt)
    ran = ponderosa("play", "tictactoe", "--two-players", "--moves", "b2 a1")
    assert (ran.code, ran.moves) == (130, "b2 a1")


def test_interrupting_the_machine_leaves_with_the_moves(ponderosa: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = SimpleNamespace(step=lambda state: 3, last_report=SimpleNamespace(stopped="interrupted"))
    monkeypatch.setattr("ponderosa.registry.load_agent", lambda spec, game: as_agent(stopped))
    ran = ponderosa("play", "connect4", "--first", "ai", "--moves", "1 2")
    assert (ran.code, ran.moves) == (130, "1 2")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_in_a_real_process() -> None:
    command = [sys.executable, "-c", "from ponderosa.cli import main; main()"]
    command += ["play", "tictactoe", "--agent", "random", "--moves", "b2"]
    pipe = subprocess.PIPE
    with running(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stderr is not None
        seen = b""
        while not seen.endswith(b"> "):
            more = os.read(process.stderr.fileno(), 100)
            assert more, seen
            seen += more
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"Moves: b2" in out
    assert b"Traceback" not in err


def test_a_game_that_is_over_is_shown_with_its_result(ponderosa: Run) -> None:
    ran = ponderosa("play", "tictactoe", "--agent", "random", "--moves", "a1 a2 b1 b2 c1")
    assert (ran.code, ran.err) == (0, "")
    assert "X wins." in ran.out


def test_people_play_connect_four_with_early_draws() -> None:
    assert game_for_people("connect4").parameters["early_draw"] is True
    assert game_for_people("connect4:early_draw=no").parameters["early_draw"] is False
    assert game_for_people("connect4:rows=5").spec == "connect4:rows=5,early_draw=true"
    assert game_for_people("tictactoe").spec == "tictactoe"


def test_a_game_of_ones_own_with_spaces_in_its_moves(ponderosa: Run, nim: str) -> None:
    ran = ponderosa("play", f"{nim}:Nim", "--agent", QUICK, typed="Take 1 from 1\n")
    assert "player 1 (you) plays take 1 from 1" in ran.out
    first = ran.moves
    again = ponderosa("play", f"{nim}:Nim", "--agent", QUICK, "--moves", first, typed="nonsense\n")
    assert again.moves == first
    assert "'nonsense' is not a legal action here" in again.err


def test_boards_are_printed_as_they_are(ponderosa: Run, nim: str) -> None:
    assert "\n[b][1, 2][/b] :smile:\n" in ponderosa("play", f"{nim}:Nim", "--two-players").out


def test_three_players_and_their_scores(ponderosa: Run, nim: str) -> None:
    ran = ponderosa("play", f"{nim}:Three:heaps=1,1,1", "--agent", "random", typed="take 1 from 0\n")
    assert "player 2 (machine) plays" in ran.out
    assert "player 3 (machine) wins (-3 : -3 : 6)." in ran.out


def test_one_player(ponderosa: Run, nim: str) -> None:
    mine = ponderosa("play", f"{nim}:Alone:heaps=1,1", "--agent", "random", typed="take 1 from 0\ntake 1 from 1\n")
    assert "The game is over: player 1 (you) got 0.5." in mine.out
    its_own = ponderosa("play", f"{nim}:Alone:heaps=1,1", "--agent", "random", "--first", "ai")
    assert "The game is over: player 1 (machine) got 0.5." in its_own.out


def test_a_shared_win() -> None:
    state: Any = SimpleNamespace(returns=lambda: [1.0, 1.0, 0.0])
    assert result(state, ["Ann", "Bob", "Cy"]) == "Ann and Bob win."


@pytest.mark.parametrize("moves", ["4 4 3", "4,4,3", " 4, 4 ,\n3,,", "4\t4 3"])
def test_moves_may_be_separated_in_many_ways(moves: str) -> None:
    assert in_a_row(move_names(position(load_game("connect4"), moves))) == "4 4 3"


def test_no_moves_are_the_start() -> None:
    game = load_game("connect4")
    assert position(game, None) == position(game, " ,") == game.new_initial_state()


def _interrupt(prompt: str) -> str:
    raise KeyboardInterrupt
