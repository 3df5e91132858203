"""Games in lockstep go as the same agents play them alone."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ponderosa import PonderosaError, load_agent, match, play_many
from ponderosa.arena.conditions import Conditions
from ponderosa.arena.match import plan_match
from ponderosa.arena.results.store import Store
from ponderosa.arena.running.lockstep import contender_of
from ponderosa.arena.running.venues import venue_for
from ponderosa.core.dice import roll
from ponderosa.core.turns import CHANCE
from ponderosa.forest import lockstep
from ponderosa.forest.forest import Forest
from ponderosa.forest.lockstep import Lockstep
from ponderosa.forest.played import MOVE
from ponderosa.forest.tables import Table
from tests.helpers import loaded, others_slow

CONTENDERS = [{"iterations": 30}, {"iterations": 45, "c": 0.7}]
TEXTS = ["mcts:iterations=30", "mcts:iterations=45,c=0.7"]


def alone(game: Any, table: Table) -> list[Any]:
    """The moves of a game between agents, one after the other."""
    agents: list[Any] = [load_agent(TEXTS[contender], game) for contender in table.seats]
    for agent, seed in zip(agents, table.seeds, strict=True):
        agent.reset(seed)
    state = table.state.clone()
    while not state.is_terminal():
        player = state.to_move()
        state.apply_action(roll(state, table.dice) if player == CHANCE else agents[player].step(state))
    return list(state.history())


def tables_of(game: Any, count: int) -> list[Table]:
    seats = [(0, 1), (1, 0)] if game.players == 2 else [(0,), (1,)]
    return [
        Table(game.new_initial_state(), seats[i % 2], (2 * i, 2 * i + 1)[: game.players], random.Random(i))
        for i in range(count)
    ]


SAMEGAME = "samegame:rows=5,columns=4,colours=3"
GAMES = ["tictactoe", SAMEGAME, "pig:target=30", "2048:size=3", "connect:m=4,n=4,k=3"]


@pytest.mark.parametrize("spec", others_slow(GAMES, ["tictactoe"]))
def test_games_go_as_the_agents_play_them_alone(spec: str) -> None:
    game = loaded(spec)

    played = Lockstep(game, CONTENDERS).play(tables_of(game, 3))
    assert [one.state.history() for one in played] == [alone(game, table) for table in tables_of(game, 3)]
    assert all(one.over and len(one.thoughts) == len(one.state.history()) for one in played)


KIM = "mcts:select=late_ucb1,expand=all,playout=majority,win_first=true,choose=decisive,solve=false,reuse=true,c=1.4"


@pytest.mark.slow
@pytest.mark.parametrize(
    "agents", others_slow([(TEXTS,), ([f"{KIM},iterations=5", f"{KIM},iterations=9,rollouts=3"],)], [(TEXTS,)])
)
def test_a_match_on_a_device_has_the_games_of_a_match_in_processes(agents: list[str], tmp_path: Path) -> None:
    games = {}
    for device in (None, "cpu"):
        out = tmp_path / f"{device}.db"
        match("tictactoe", *agents, 6, seed=5, openings="random:1", device=device, out=out)
        with Store(out) as store:
            rows = [store.game(key) for key in range(1, 7)]
        games[device] = {row["number"]: told_of(row) for row in rows}
    assert games[None] == games["cpu"]


def told_of(row: dict[str, Any]) -> list[Any]:
    """What is stored of a game, without the clock's part."""
    thoughts = [[seat, *effort] for seat, _, *effort in row["thoughts"]]
    return [row[name] for name in ("seeds", "moves", "agents", "scores", "opening", "reason", "canon")] + thoughts


@pytest.mark.parametrize(
    "agent", ["random", "mcts:seconds=0.1", "mcts:iterations=5,ponder=true", "mcts:iterations=5,reuse=false"]
)
def test_agents_that_need_processes_of_their_own_get_them_and_that_is_told(agent: str) -> None:
    planned = plan_match("tictactoe", agent, "mcts:iterations=5", 2, conditions=Conditions(device="cpu"))
    with venue_for(planned.event, planned.conditions) as venue:
        assert venue.bundle is None and agent in venue.note


def test_many_games_give_arrays_in_which_pairs_share_their_opening() -> None:
    game = loaded("tictactoe")
    played = play_many(game, CONTENDERS, games=12, openings=2, seed=4)
    assert played.seats[:2].tolist() == [[0, 1], [1, 0]] and len(played) == 12
    assert (played.moves[::2, :2] == played.moves[1::2, :2]).all()
    assert played.finished.all() and (played.scores.sum(axis=1) == 1.0).all()
    again = play_many(game, CONTENDERS, games=4, openings=2, seed=4)
    assert np.array_equal(again.moves, played.moves[:4, : again.moves.shape[1]])
    for row, length, returns in zip(played.moves, played.lengths, played.returns, strict=True):
        state = game.new_initial_state()
        for action in row[:length]:
            state.apply_action(int(action))
        assert state.is_terminal() and state.returns() == returns.tolist()


def test_games_can_be_ended_early_and_wrong_agents_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ponderosa.forest.run.PROGRESS_SECONDS", np.inf)  # tell is called between moves alone
    game = loaded("tictactoe")
    stopped = play_many(game, CONTENDERS, games=4, tell=lambda over: False)
    assert not stopped.finished.any() and (stopped.lengths == 0).all()
    moves = iter((True, True, False))
    begun = play_many(game, CONTENDERS, games=4, tell=lambda over: next(moves, False))
    assert (begun.lengths == 2).all()
    with pytest.raises(PonderosaError, match="iterations"):
        play_many(game, [{"c": 1.0}, {"iterations": 3}], games=2)
    with pytest.raises(PonderosaError, match="for 2"):
        play_many(game, [{"iterations": 3}], games=2)


@pytest.mark.parametrize(("growth", "fitting"), [(2, 2), (1, 5)], ids=["seen before", "seen when trees have grown"])
@pytest.mark.parametrize("spec", others_slow(["tictactoe", "pig:target=10"], ["tictactoe"]))
def test_games_that_do_not_fit_into_memory_are_played_in_groups(
    spec: str, growth: int, fitting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = loaded(spec)
    whole = Lockstep(game, CONTENDERS).play(tables_of(game, 5))
    sizes: list[int] = []

    class Counted(lockstep._Group):
        def __init__(self, played: Lockstep, tables: Any, *more: Any) -> None:
            sizes.append(len(tables))
            super().__init__(played, tables, *more)

    monkeypatch.setattr(lockstep, "_Group", Counted)
    monkeypatch.setattr(lockstep, "GROWTH", growth)
    room = fitting * game.players * Lockstep(game, CONTENDERS).capacity(1)
    monkeypatch.setattr(Forest, "nodes_that_fit", property(lambda self: room))
    told: list[int] = []
    parts = Lockstep(game, CONTENDERS).play(tables_of(game, 5), lambda over: told.append(over))
    assert len(sizes) > 1 and told == sorted(told)
    for name in ("over", "results", "ends", "lengths", "returns"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name
    for name in set(MOVE.names or ()) - {"seconds"}:
        assert np.array_equal(whole.moves[name], parts.moves[name], equal_nan=name == "proven"), name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("connect4:rows=4,cols=4,early_draw=true", "mcts:select=gumbel,iterations=12"),
        ("pig:players=3,target=8", "mcts:iterations=25,paranoid=true"),
    ],
    ids=["a search that plans a whole run", "all others against the one to move"],
)
def test_searches_that_begin_anew_or_take_sides_go_as_their_agents_alone(
    spec: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = loaded(spec)
    seats = tuple(range(game.players))
    monkeypatch.setattr("tests.forest.test_lockstep.TEXTS", [text] * game.players)

    def tables() -> list[Table]:
        return [
            Table(game.new_initial_state(), seats, tuple(10 * i + s for s in seats), random.Random(i)) for i in seats
        ]

    played = Lockstep(game, [contender_of(text, game)] * game.players).play(tables())
    assert [one.state.history() for one in played] == [alone(game, table) for table in tables()]


@pytest.mark.slow
def test_games_end_as_they_do_for_people_though_searches_play_on() -> None:
    game = loaded("connect4:rows=4,cols=4,early_draw=true")
    played = Lockstep(game, CONTENDERS).play(tables_of(game, 3))
    assert [one.state.history() for one in played] == [alone(game, table) for table in tables_of(game, 3)]
    assert all(one.state == replayed(game, one.state.history()) for one in played)


def replayed(game: Any, moves: list[int]) -> Any:
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(move)
    return state


def test_games_of_an_object_are_played_here_and_that_is_told() -> None:
    with pytest.warns(UserWarning, match="give game and agents as texts"):
        match(loaded("tictactoe"), "mcts:iterations=3", "random", 2, device="cpu")
