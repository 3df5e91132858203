"""Time by the clock: clear moves are played early, hard ones get more, and without a clock all are alike."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import Budget, load_agent, load_game
from ponderosa.agents.clear import UntilClear
from ponderosa.agents.connect.rounds import CLEAR_DEPTHS, LEAST, ROUNDS, WHOLE_TIME, Kind, rounds_of
from ponderosa.agents.connect.strong import Strong
from ponderosa.connect.shapes.player import ShapePlayer, Thought
from tests.helpers import loaded, position

GOMOKU = load_game("gomoku")
CALM, WILD = CLEAR_DEPTHS[0], 0


@given(st.sampled_from([1, 2]), st.floats(0.01, 100))
def test_rounds_come_one_after_the_other_and_end_in_time(stones: int, most: float) -> None:
    ends = [end for each in rounds_of(stones, most) for end in (each.chosen_until, each.checked_until)]
    assert ends == sorted(ends) and ends[-1] <= max(most, 1.0)


def test_where_nothing_can_be_saved_all_moves_have_the_same_time() -> None:
    for most in (0.5, 1.0, LEAST - 0.01):
        assert rounds_of(1, most) == list(ROUNDS) and rounds_of(2, most) == list(WHOLE_TIME)
    assert {each.kind for each in rounds_of(1, 2.5)} == {each.kind for each in rounds_of(2, 2.5)} == set(Kind)


def played(
    thoughts: list[tuple[int, int]], most: float | None, refuted: tuple[int, ...] = ()
) -> tuple[Any, list[float]]:
    """The agent after a move for which it has these thoughts (move, steady), and how many seconds each had."""
    agent, had, coming = Strong(GOMOKU, seconds=1.0, clock=lambda: 0.0), [], iter(thoughts)
    agent.most_seconds = most

    def think(moves: Any, budget: Budget, chosen: Any, watch: Any) -> Thought:
        had.append(round(budget.seconds or 0.0, 9))
        best, steady = next(coming)
        moves = dict.fromkeys((10, 11, 12), (0.5, 1))
        return Thought(best=best, stopped="seconds", steady=steady, depth=9, moves=moves)

    agent.shape_player.think = think  # type: ignore[method-assign]
    agent.prover.winning_move = lambda moves, effort: 0 if moves[2:3] and moves[2] in refuted else -1  # type: ignore
    agent.prover.answers = lambda moves, effort: None  # type: ignore
    agent.step(position(GOMOKU, "h8 i9"))
    return agent, had


@pytest.mark.slow
def test_a_clear_move_is_played_early_by_the_clock() -> None:
    agent, had = played([(10, CALM)], most=2.5)
    assert (had, agent.last_report.stopped, agent.last_report.best_action) == ([0.35], "clear", 10)


def test_a_clear_move_that_threats_refute_is_not_played_early() -> None:
    agent, had = played([(10, CALM), (11, CALM), (11, CALM), (11, CALM)], most=2.5, refuted=(10,))
    assert (had, agent.last_report.best_action) == ([0.35, 0.65, 1.0, 1.2], 11)


def test_a_usual_move_has_its_time_and_a_little_of_what_clear_ones_save() -> None:
    assert played([(10, CALM - 1)] * 4, most=2.5)[1] == [0.35, 0.65, 1.0, 1.2]


def test_while_the_choice_changes_it_thinks_on() -> None:
    thoughts = [(10, WILD), (11, 5), (10, 5), (11, 5)]
    assert played([*thoughts, (11, 5)], most=2.5)[1] == [0.35, 0.65, 1.0, 1.2, 2.0]
    assert played([*thoughts, (10, 5), (10, 5)], most=2.5)[1] == [0.35, 0.65, 1.0, 1.2, 2.0, 2.4]
    assert played(thoughts, most=2.0)[1] == [0.35, 0.65, 1.0, 1.2], "no longer than the clock allows"


def test_without_a_clock_every_move_has_all_of_its_time() -> None:
    for most in (None, 1.0):
        assert played([(10, CALM)] * 3, most=most)[1] == [0.5, 0.78, 0.95]


def test_a_search_counts_the_depths_that_agree() -> None:
    game = loaded("gomoku")
    player, seen = ShapePlayer(game, clock=lambda: 0.0), []
    moves = [int(move) for move in position(game, "h8 i9").history()]
    player.think(
        moves,
        Budget(iterations=30_000),
        None,
        lambda thought: seen.append((thought.depth, thought.best, thought.steady)),
    )
    before = (0, -1, 0)
    for depth, best, steady in seen:
        assert 0 <= steady <= depth
        assert steady <= depth - before[0] or best == before[1], "another move begins anew"
        before = (depth, best, steady)
    assert seen[-1][2] > 0


def report(visits: list[int], seconds: float, iterations: int = 1000) -> Any:
    return SimpleNamespace(
        actions=[SimpleNamespace(visits=count) for count in visits], seconds=seconds, iterations=iterations
    )


def test_a_tree_search_ends_when_no_other_move_can_get_as_many_visits() -> None:
    early = UntilClear(2.0)  # a thousand iterations a second
    assert early(report([700, 300], 1.0)) and not early.clear
    assert not early(report([1400, 100], 1.5, 1500)) and early.clear
    assert not UntilClear(2.0)(report([1], 0.1, 1)), "the only move there is"


def test_whoever_listens_can_still_end_it() -> None:
    told: list[Any] = []
    early = UntilClear(2.0, lambda seen: bool(told.append(seen)))
    assert not early(report([5, 5], 0.1)) and not early.clear and len(told) == 1


@pytest.mark.parametrize(
    ("spec", "most", "saves"),
    [("mcts", 8.0, True), ("mcts", None, False), ("mcts", 4.0, False), ("mcts:choose=max", 8.0, False)],
)
def test_a_tree_search_is_ended_early_only_where_that_saves_time(spec: str, most: float | None, saves: bool) -> None:
    game = loaded("tictactoe")
    agent, asked = load_agent(f"{spec}{',' if ':' in spec else ':'}seconds=4", game), []
    run = agent.search.run

    def ended(state: Any, budget: Budget, progress: Any) -> Any:
        asked.append(progress)
        if isinstance(progress, UntilClear):
            progress(run(state, iterations=1))
            progress.clear = True
        return run(state, iterations=50)

    agent.search.run = ended
    agent.most_seconds = most
    agent.step(game.new_initial_state())
    assert isinstance(asked[0], UntilClear) == saves
    assert (agent.last_report.stopped == "clear") == saves
