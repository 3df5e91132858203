"""Stores of games that earlier versions wrote: they are read, and their events go on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ponderosa import match, tournament
from ponderosa.arena.results.store import Store
from ponderosa.arena.results.stored import stored_result
from ponderosa.arena.tournament import TournamentResult

SAMPLE = Path(__file__).parents[1] / "samples" / "arena_games.db"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path / "games.db"))


def test_an_old_store_gives_the_results_that_it_gave(games: Path) -> None:
    with Store(games, readonly=True) as store:
        assert [event.games for event in store.events()] == [6, 6]
        match_of_then, ladder = stored_result(store, 1), stored_result(store, 2)
    assert match_of_then.tally.lines[0].score == 5.5 and match_of_then.event.names == ("mcts:iterations=20", "random")
    assert isinstance(ladder, TournamentResult) and ladder.ladder == (0, 2, 1)
    assert [line.score for line in ladder.tally.lines] == [3.5, 0.5, 2.0]


def test_an_old_match_goes_on_with_the_games_that_it_lacks(games: Path) -> None:
    conditions = {"openings": "random:2", "seed": 3}
    result = match("tictactoe", "mcts:iterations=20", "random", 8, out=games, concurrency=1, **conditions)
    assert result.id == 1 and len(result.tally.counted) + len(result.tally.repeated) == 8
    fresh = games.with_name("fresh.db")
    match("tictactoe", "mcts:iterations=20", "random", 8, out=fresh, concurrency=1, **conditions)
    assert moves_of(games) == moves_of(fresh)


def test_an_old_ladder_is_complete_and_nothing_is_played_again(games: Path) -> None:
    agents, names = ["mcts:iterations=20", "random", "blind"], ("Max", "random", "blind")
    before = moves_of(games, 2)
    result = tournament("tictactoe", agents, 2, kind="ladder", names=names, seed=5, out=games)
    assert result.id == 2 and result.ladder == (0, 2, 1) and moves_of(games, 2) == before


def moves_of(path: Path, event: int = 1) -> list[tuple[int, list[int]]]:
    """The games of an event, in their order."""
    with Store(path, readonly=True) as store:
        games = [store.game(game.id) for game in store.games(event, limit=100)]
    return sorted((game["number"], game["moves"]) for game in games)
