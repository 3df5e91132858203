"""Two agents play each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from ponderosa import load_game
from ponderosa.core.notation import position
from tests import endless_games
from tests.cli.conftest import Run

ENDLESS = f"{endless_games.__file__}:ToAndFro"


def test_a_game_is_shown_to_its_end(ponderosa: Run) -> None:
    ran = ponderosa("watch", "tictactoe", "random:seed=1", "mcts:iterations=100")
    assert (ran.code, ran.err) == (0, "")
    assert "X (random:seed=1) plays" in ran.out
    assert "O (mcts:iterations=100) plays" in ran.out
    assert "wins." in ran.out or "A draw." in ran.out
    assert position(load_game("tictactoe"), ran.moves).is_terminal()


@pytest.mark.parametrize("game", ["tictactoe", "connect4", "connect6"])
def test_the_moves_lead_to_the_last_board(ponderosa: Run, game: str) -> None:
    ran = ponderosa("watch", game, "random:seed=3", "random:seed=4")
    again = ponderosa("play", game, "--agent", "random", "--moves", ran.moves)
    board = str(position(load_game(game), ran.moves))
    assert ran.out.count(board) == again.out.count(board) == 1
    assert again.moves == ran.moves


def test_the_first_agent_is_the_first_player_in_any_position(ponderosa: Run) -> None:
    ran = ponderosa("watch", "connect4", "random", "mcts:iterations=50", "--moves", "4", "--show-thinking")
    assert ran.out.count("O (mcts:iterations=50) ran 50 iterations") >= 1
    assert ran.moves.startswith("4 ")
    plays = [line for line in ran.out.splitlines() if " plays " in line]
    assert plays[0].startswith("O (mcts")


def test_a_wide_table_tells_how_many_moves_it_leaves_out(ponderosa: Run) -> None:
    ran = ponderosa("watch", "connect:m=4,n=4,k=4", "mcts:iterations=60", "random", "--show-thinking")
    assert "and 8 more, visited less" in ran.out


def test_only_games_of_two_can_be_watched(ponderosa: Run, nim: str) -> None:
    ran = ponderosa("watch", f"{nim}:Three", "random", "random")
    assert ran.code == 2
    assert "three has 3 players" in ran.err


def test_a_game_that_never_ends_is_broken_off_with_its_moves(ponderosa: Run) -> None:
    ran = ponderosa("watch", ENDLESS, "random", "random")
    assert ran.code == 1
    assert "toandfro has not ended after 50 actions" in " ".join(ran.err.split())
    assert len(ran.moves.split()) == 50


def test_a_search_of_a_game_that_never_ends_says_so(ponderosa: Run) -> None:
    ran = ponderosa("analyze", ENDLESS, "--iterations", "20")
    assert ran.code == 1
    assert "playouts do not end: none of 20 was over after 50 moves" in " ".join(ran.err.split())


def test_an_agent_that_tells_nothing_of_its_moves_is_watched_too(ponderosa: Run, tmp_path: Path) -> None:
    file = tmp_path / "first.py"
    file.write_text(
        "class First:\n def __init__(s, game): pass\n def step(s, state): return state.legal_actions()[0]\n"
    )
    ran = ponderosa("watch", "tictactoe", f"{file}:First", "random:seed=1")
    assert (ran.code, ran.err) == (0, "") and position(load_game("tictactoe"), ran.moves).is_terminal()
