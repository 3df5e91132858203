"""Matches by the clock: agents divide their time, and whose flag falls has lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ponderosa import Budget, load_agent, load_game
from ponderosa.agents.agent import Agent
from ponderosa.arena.event import Event
from ponderosa.arena.match import match
from ponderosa.arena.running.referee import Referee
from ponderosa.core.clock import TimeControl
from ponderosa.errors import SettingError


class Ticking:
    """A clock that agents move on themselves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Slow(Agent):
    """Plays the first legal move after so many seconds, and notes what its clock showed."""

    def __init__(self, game: Any, ticking: Ticking, seconds: float) -> None:
        self.ticking, self.seconds, self.seen = ticking, seconds, []  # type: ignore[var-annotated]

    def see_clocks(self, clocks: Any, seat: int, moves: int) -> None:
        self.seen.append((round(clocks[seat].left, 6), moves))

    def reset(self, seed: int) -> None:
        self.seen.clear()

    def step(self, state: Any) -> Any:
        self.ticking.now += self.seconds
        return state.legal_actions()[0]


def play_by(control: str, first: float, second: float) -> tuple[dict[str, Any], list[Slow]]:
    ticking = Ticking()
    event = Event("tictactoe", ("one", "two"), time_control=control, tolerance=0.0)
    agents = [Slow(None, ticking, seconds) for seconds in (first, second)]
    referee = Referee(event, makers=[lambda game, seed, agent=agent: agent for agent in agents], clock=ticking)
    return referee.play(0, [0, 1], 0, None), agents


def test_increments_are_added_and_time_is_taken_off() -> None:
    record, (first, _) = play_by("10+1", 3.0, 0.5)
    assert record["fault"] is None
    assert first.seen == [(10.0, 5), (8.0, 4), (6.0, 3), (4.0, 2)]


def test_whose_flag_falls_loses_the_game_and_is_told_why() -> None:
    record, _ = play_by("5", 0.1, 2.0)
    assert (record["fault"], record["reason"]) == (1, "time")
    assert "its flag fell" in record["detail"] and "1.000 s left" in record["detail"]


def test_an_agent_plans_with_its_clock_and_keeps_its_own_limits() -> None:
    game = load_game("connect4")
    clocks = [TimeControl.of("60+1").start()] * 2
    free, bound, counting = (load_agent(text, game) for text in ("mcts", "mcts:seconds=0.1", "mcts:iterations=50"))
    for agent in (free, bound, counting):
        for _ in range(2):  # the second time it remembers what is its own
            agent.see_clocks(clocks, 0, 20)
    assert free.budget.seconds == pytest.approx(clocks[0].plan(20))
    assert (bound.budget.seconds, bound.most_seconds) == (0.1, 0.1)
    assert free.budget.seconds < free.most_seconds == pytest.approx(clocks[0].most(20))
    assert counting.budget == Budget(iterations=50, seconds=clocks[0].plan(20))


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["strong", pytest.param("mcts", marks=pytest.mark.slow)])
def test_no_flag_falls_in_a_short_game_and_time_is_left(spec: str) -> None:
    result = match("connect:m=7,n=7,k=4", spec, "random", 2, time_control="3", tolerance=0.0)
    assert not any(line.faults for line in result.tally.lines)


def test_games_by_the_clock_are_events_of_their_own_and_others_keep_their_keys() -> None:
    usual = Event("tictactoe", ("random", "random"))
    assert usual.key != Event("tictactoe", ("random", "random"), time_control="60+1").key
    assert "time_control" not in usual.identity()


def test_a_clock_and_seconds_for_a_move_do_not_go_together() -> None:
    with pytest.raises(SettingError, match="give one of them"):
        Event("tictactoe", ("random", "random"), seconds=1.0, time_control="60+1")


@pytest.mark.slow
def test_agents_in_processes_of_their_own_see_their_clocks_too(tmp_path: Path) -> None:
    file = tmp_path / "watching.py"
    file.write_text(
        "from ponderosa import Agent\n"
        "class Watching(Agent):\n"
        "    def __init__(self, game): self.clocks = None\n"
        "    def see_clocks(self, clocks, seat, moves): self.clocks = clocks\n"
        "    def step(self, state):\n"
        "        assert self.clocks is not None and 0 < self.clocks[state.to_move()].left < 70\n"
        "        self.clocks = None\n"
        "        return state.legal_actions()[0]\n"
    )
    result = match("tictactoe", f"{file}:Watching", "random", 2, time_control="60+1", out=tmp_path / "games.db")
    assert result.tally.games == 2
    assert not any(line.faults for line in result.tally.lines)
