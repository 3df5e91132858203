"""Matches: the same games however they are played, stored once, continued where they stopped."""

from __future__ import annotations

import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import match
from ponderosa.arena.conditions import Conditions
from ponderosa.arena.event import Event
from ponderosa.arena.planned import Progress, new_event
from ponderosa.arena.results.store import Store
from ponderosa.arena.schedule import fixtures, games_a_round
from tests.cli.conftest import Run, ponderosa  # noqa: F401  a fixture

QUICK = {"openings": "random:2", "seed": 3}
AGENTS = ("mcts:iterations=40", "random")


def moves_in(path: Path, event: int = 1) -> list[Any]:
    """The games of an event as they were played, in order, without what a clock says."""
    with Store(path, readonly=True) as store:
        listed = store.games(event, limit=10_000)
        games = [store.game(game.id) for game in sorted(listed, key=lambda game: game.number)]
    return [[game[name] for name in ("number", "agents", "moves", "scores", "reason", "seeds")] for game in games]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    path = tmp_path_factory.mktemp("match") / "games.db"
    match("tictactoe", *AGENTS, 12, out=path, concurrency=1, **QUICK)
    return moves_in(path)


def test_games_come_in_pairs_from_one_opening_with_seats_swapped(undisturbed: list[Any]) -> None:
    assert [game[0] for game in undisturbed] == list(range(12))
    for first, second in zip(undisturbed[::2], undisturbed[1::2], strict=True):
        assert first[1] == list(AGENTS) and second[1] == list(reversed(AGENTS))
        assert first[2][:2] == second[2][:2]
    assert len({tuple(game[2][:2]) for game in undisturbed}) > 3


def test_the_same_games_are_played_at_any_concurrency(undisturbed: list[Any], tmp_path: Path) -> None:
    match("tictactoe", *AGENTS, 12, out=tmp_path / "games.db", concurrency=3, **QUICK)
    assert moves_in(tmp_path / "games.db") == undisturbed


def test_a_longer_match_adds_to_the_shorter_one(undisturbed: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    match("tictactoe", *AGENTS, 4, out=path, **QUICK)
    assert moves_in(path) == undisturbed[:4]
    result = match("tictactoe", *AGENTS, 12, out=path, **QUICK)
    assert moves_in(path) == undisturbed
    assert result.tally.games == 12


def test_another_seed_is_another_match(undisturbed: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    match("tictactoe", *AGENTS, 2, out=path, **QUICK)
    match("tictactoe", *AGENTS, 2, out=path, openings="random:2", seed=4)
    assert moves_in(path, 1) == undisturbed[:2]
    assert moves_in(path, 2) != undisturbed[:2]


def test_the_result_counts_every_game_for_both_sides(tmp_path: Path) -> None:
    result = match("tictactoe", *AGENTS, 30, out=tmp_path / "games.db", count_repeats=True, **QUICK)
    mine, theirs = result.tally.lines
    assert mine.games == theirs.games == 30
    assert sum(mine.wins.values()) == sum(theirs.losses.values())
    assert mine.score + theirs.score == 30
    assert result.elo is not None and result.elo.elo > 0 and result.elo.low < result.elo.elo < result.elo.high
    assert mine.iterations > 0 and mine.seconds > 0 and theirs.iterations == 0
    assert "mcts:iterations=40" in result.table()


def test_a_match_without_a_file_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert match("tictactoe", "random", "random", 2).tally.games == 2
    assert list(tmp_path.iterdir()) == []


def test_the_command_prints_figures_and_how_to_go_on(
    ponderosa: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    out = str(tmp_path / "games.db")
    command = ["match", "tictactoe", "mcts:iterations=30", "random", "--games", "4", "--out", out]
    ran = ponderosa(*command)
    assert ran.code == 0
    assert "ponderosa match tictactoe mcts:iterations=30 random --games=4 --seed=0" in ran.err
    assert "Elo difference" in ran.out and "likelihood of superiority" in ran.out
    again = json.loads(ponderosa(*command, "--json").out)
    assert again["games"] == 4
    assert again["agents"][0]["seats"][0].keys() == {"wins", "draws", "losses"}


@pytest.mark.slow
def test_two_matches_at_once_in_one_process_do_not_disturb_each_other(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        short = pool.submit(match, "tictactoe", *AGENTS, 2, out=tmp_path / "a.db", concurrency=1, **QUICK)
        long = pool.submit(match, "tictactoe", *AGENTS, 200, out=tmp_path / "b.db", concurrency=1, **QUICK)
        assert short.result().tally.games == 2 and long.result().tally.games == 200


@pytest.mark.slow
def test_whoever_watches_can_stop_a_match_and_it_goes_on_later(undisturbed: list[Any], tmp_path: Path) -> None:
    class EnoughError(Exception):
        pass

    def watch(progress: Progress) -> None:
        if progress.games >= 3:
            raise EnoughError

    path = tmp_path / "games.db"
    with pytest.raises(EnoughError):
        match("tictactoe", *AGENTS, 12, out=path, watch=watch, **QUICK)
    assert len(moves_in(path)) >= 3
    match("tictactoe", *AGENTS, 12, out=path, **QUICK)
    assert moves_in(path) == undisturbed


def test_agents_take_the_budget_of_the_match_unless_they_have_their_own() -> None:
    event = new_event("connect", ("mcts", "fast:iterations=5", "random", "clever:near=1"), Conditions(iterations=70))
    texts = [event.agent_text(agent) for agent in range(4)]
    assert texts == ["mcts:iterations=70", "fast:iterations=5", "random", "clever:near=1,iterations=70"]
    timed = new_event("connect", ("mcts", "fast:seconds=5", "random"), Conditions(seconds=2))
    assert [timed.limit(agent) for agent in range(3)] == [2, 5.0, 2]
    assert [timed.deadline(agent) for agent in range(3)] == [2.25, 5.25, 2.25]
    assert timed.timed and not event.timed


@given(st.integers(2, 6), st.sampled_from(["round robin", "gauntlet"]), st.integers(2, 4))
def test_every_schedule_is_fair(agents: int, kind: str, players: int) -> None:
    if agents < players:
        return
    event = Event("x", tuple(map(str, range(agents))), kind)
    games = list(itertools.islice(fixtures(event, players), 2 * games_a_round(event, players)))
    assert [game.number for game in games] == list(range(len(games)))
    for group in {game.group for game in games}:
        together = [game for game in games if game.group == group]
        assert len(together) == players and len({game.opening for game in together}) == 1
        for agent in together[0].seats:
            assert sorted(game.seats.index(agent) for game in together) == list(range(players))


@pytest.mark.slow
def test_without_a_store_nothing_is_written(
    ponderosa: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = ponderosa("match", "tictactoe", "random", "random:seed=1", "--games", "2", "--no-store")
    assert done.code == 0 and "No game is kept" in done.err and "games are in" not in done.out
    assert list(tmp_path.iterdir()) == []
    done = ponderosa("match", "tictactoe", "random", "random:seed=1", "--games", "2", "--out", "kept.db")
    assert "Games are kept in kept.db" in done.err and [file.name for file in tmp_path.iterdir()] == ["kept.db"]
