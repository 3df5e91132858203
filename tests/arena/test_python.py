"""Matches from Python: games and agents that live in this process, data frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ponderosa import PonderosaError, match, tournament
from tests.helpers import Nim


class First:
    """Takes the first legal action."""

    def __init__(self, game: Any) -> None:
        self.game = game

    def step(self, state: Any) -> Any:
        return state.legal_actions()[0]


class Seeded(First):
    """Says which seed it got."""

    seeds: list[int] = []

    def __init__(self, game: Any, seed: int) -> None:
        super().__init__(game)
        self.seeds.append(seed)


def last(game: Any) -> Any:
    agent = First(game)
    agent.step = lambda state: state.legal_actions()[-1]  # type: ignore[method-assign]
    return agent


class Crashing(First):
    def step(self, state: Any) -> Any:
        raise RuntimeError("bang")


def test_a_game_and_agents_of_this_process_play(tmp_path: Path) -> None:
    result = match(Nim(heaps=(3, 4)), First, last, 6, openings="random:1", out=tmp_path / "g.db")
    assert result.tally.games == 6 and result.event.names == ("First", "last")
    assert result.event.game == "nim:heaps=3,4"
    again = match(Nim(heaps=(3, 4)), First, last, 6, openings="random:1", out=tmp_path / "g.db")
    assert again.to_dict() == result.to_dict()


def test_agents_of_this_process_get_seeds_and_meet_named_ones() -> None:
    Seeded.seeds.clear()
    result = match("tictactoe", Seeded, "mcts:iterations=50", 6, openings="random:1", seed=4)
    assert result.tally.games == 6 and len(set(Seeded.seeds)) >= 6
    assert result.elo is not None and result.elo.score < 0.5


def test_an_agent_object_is_used_as_it_is_and_a_crash_is_its_own_fault() -> None:
    result = match("tictactoe", Crashing(None), First(None), 2)
    assert result.tally.lines[0].faults == {"crash": 2}


def test_tournaments_take_them_too() -> None:
    result = tournament("tictactoe", [First, last, "random"], 4, openings="random:2")
    assert result.tally.games == 12 and "First" in result.table() and repr(result) == result.table()


@pytest.mark.parametrize("library", ["pandas", "polars", None])
def test_a_result_is_a_data_frame(library: str | None) -> None:
    pytest.importorskip(library or "pandas")
    frame = match("tictactoe", First, last, 4, openings="random:2").to_frame(library)
    assert frame.shape[0] == 8
    assert {"agent", "score", "seconds", "counted"} <= set(frame.columns)


def test_what_is_neither_game_nor_agent_is_refused() -> None:
    for arguments in ((5, First, last), ("tictactoe", 5, last), ("tictactoe", "mtcs", "random")):
        with pytest.raises(PonderosaError):
            match(*arguments, games=2)
    with pytest.raises(PonderosaError, match="pandas or polars"):
        match("tictactoe", First, last, 2).to_frame("excel")
