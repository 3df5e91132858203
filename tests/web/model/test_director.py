"""Machines that move, advise and review, without a page: ticks by hand, and a clock that stands still."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from ponderosa.errors import ResignedError
from ponderosa.registry import AGENTS
from ponderosa.web.model.catalogue import PERSON, takes
from ponderosa.web.model.director import Director
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.place import Place
from ponderosa.web.model.runner import Runner, Thinker
from ponderosa.web.model.session import GameSession
from tests.helpers import PATIENCE, loaded, wait_until

LONG = f"mcts:seconds={PATIENCE:g}"
"""An agent that thinks until it is stopped."""


@pytest.fixture
def runner() -> Iterator[Runner]:
    found = Runner(Limits(max_seconds=PATIENCE, max_searches=2))
    yield found
    found.close()


def director(runner: Runner, moves: str = "", seats: tuple[str, str] = (PERSON, PERSON), spec: str = "tictactoe"):
    made = Director(GameSession.after(spec, loaded(spec), list(seats), moves), runner)
    made.look(Place(made.session))
    return made


def settle(game: Director, until) -> None:
    """Tick until something is so."""
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end, game.message
        game.tick()
        time.sleep(0.005)


def test_two_machines_play_a_game_and_it_is_reviewed(runner):
    game = director(runner, seats=("mcts:iterations=100", "random"))
    settle(game, lambda: game.session.finished and not game.unreviewed() and game.job is None)
    assert None not in game.session.curve()


def test_a_person_is_waited_for(runner):
    game = director(runner, seats=(PERSON, "random"))
    for _ in range(20):
        game.tick()
    assert game.session.plies == 0 and game.job is None
    game.session.play_text("b2")
    game.changed()
    settle(game, lambda: game.session.plies == 2)


def test_pausing_and_steps(runner):
    game = director(runner, seats=("random", "random"))
    game.pause(True)
    for _ in range(20):
        game.tick()
    assert game.session.plies == 0
    game.step()
    settle(game, lambda: game.session.plies == 1)
    for _ in range(20):
        game.tick()
    assert game.session.plies == 1
    game.pause(False)
    settle(game, lambda: game.session.finished)


def test_a_machine_waits_for_its_pace(runner):
    now = [0.0]
    game = director(runner, seats=("random", "random"))
    game._clock, game.pace = lambda: now[0], 10.0
    game.tick()
    assert game.job is not None and game.job.finished.wait(PATIENCE)
    for _ in range(5):
        game.tick()
    assert game.session.plies == 0
    now[0] = 11.0
    game.tick()
    assert game.session.plies == 1


def test_advice_comes_only_when_it_is_asked_for(runner):
    game = director(runner, "b2 a1")
    for _ in range(10):
        game.tick()
    assert game.places[0].report() is None
    game.places[0].advised = True
    game.adviser = "mcts:iterations=300"
    settle(game, lambda: game.job is None and game.places[0].report() is not None)
    assert game.places[0].report().iterations == 300


def test_a_search_is_stopped_and_goes_on_with_its_tree(runner):
    game = director(runner, spec="connect4")
    game.places[0].advised, game.adviser = True, LONG
    settle(game, lambda: game.places[0].report() is not None)
    game.stop_now()
    settle(game, lambda: game.job is None)
    first = game.places[0].report()
    assert first.stopped == "progress"
    game.adviser = LONG
    game.go_on(game.places[0])
    settle(game, lambda: game.places[0].report() is not first)
    game.stop_now()
    settle(game, lambda: game.job is None)
    again = game.places[0].report()
    assert sum(entry.visits for entry in again.actions) > sum(entry.visits for entry in first.actions)


def test_stopping_a_machine_s_move_plays_it(runner):
    game = director(runner, seats=(LONG, PERSON), spec="connect4")
    settle(game, lambda: game.places[0].report() is not None)
    game.stop_now()
    settle(game, lambda: game.session.plies == 1)


def test_a_hint_is_the_adviser_s_move(runner):
    game = director(runner, "a1 b1 a2 b2")
    game.adviser = "mcts:iterations=500"
    other = Place(game.session)
    game.look(other)
    game.ask_hint(game.places[0])
    assert game.hints(game.places[0]) and not game.hints(other)
    settle(game, lambda: game.places[0].hint is not None)
    assert game.places[0].hint == "a3" and other.hint is None and not game.hints(game.places[0])
    game.session.play_text("c1")
    game.changed()
    assert game.places[0].hint is None


def test_another_seat_in_the_middle_of_a_game(runner):
    game = director(runner, "b2")
    game.set_seat(1, "random")
    settle(game, lambda: game.session.plies == 2)
    game.set_seat(1, "mcts:iterations=50")
    game.set_seconds(1, 0.05)
    assert game.session.seats[1] == "mcts:seconds=0.05"


def test_looking_back_stops_no_machine_and_moves_nobody_else(runner):
    game = director(runner, "b2 a1", seats=("random", "random"))
    reader, follower = game.places[0], Place(game.session)
    game.look(follower)
    reader.go_to(1)
    game.look_elsewhere(reader)
    settle(game, lambda: game.session.finished)
    assert reader.ply == 1 and follower.at_end and game.session.names[:2] == ["b2", "a1"]


def test_advice_is_for_the_position_that_each_looks_at(runner):
    game = director(runner, "b2 a1 c1")
    game.adviser = "mcts:iterations=50"
    reader, follower = game.places[0], Place(game.session)
    game.look(follower)
    reader.go_to(1)
    reader.advised = follower.advised = True
    settle(game, lambda: reader.report() is not None and follower.report() is not None and game.job is None)
    assert set(game.session.thoughts) == {1, 3}


def test_advice_that_nobody_waits_for_ends(runner):
    game = director(runner, spec="connect4")
    game.adviser, place = "mcts:seconds=5", game.places[0]
    place.advised = True
    settle(game, lambda: place.report() is not None)
    job = game.job
    game.look_away(place)
    assert game.job is None and job.cancelled and game.places == []


def test_a_hint_that_cannot_be_given_stops_nobody(runner):
    game = director(runner, "4", seats=(PERSON, PERSON), spec="connect4")
    game.adviser = "clever:near=-1"
    game.ask_hint(game.places[0])
    settle(game, lambda: bool(game.message))
    game.set_seat(1, "random")
    settle(game, lambda: game.session.plies == 2)


def test_an_agent_that_fails_says_so_and_the_game_stays(runner):
    game = director(runner, seats=("clever:near=-1", PERSON), spec="connect4")
    settle(game, lambda: bool(game.message))
    assert "clever plays the Connect family" in game.message and game.paused
    game.set_seat(0, "random")
    game.pause(False)
    settle(game, lambda: game.session.plies == 1)


def test_closing_stops_the_search_and_frees_the_tree(runner):
    game = director(runner, seats=(LONG, PERSON), spec="connect4")
    settle(game, lambda: game.places[0].report() is not None)
    job = game.job
    game.close()
    assert job.finished.wait(PATIENCE) and job.thinker.agent is None
    assert runner.busy == 0 and runner.kept_nodes == 0


def test_a_job_that_waits_when_its_game_is_closed_never_runs():
    runner = Runner(Limits(max_searches=1, max_seconds=PATIENCE))
    first = director(runner, seats=(LONG, PERSON), spec="connect4")
    second = director(runner, seats=(LONG, PERSON), spec="connect4")
    first.tick()
    second.tick()
    waiting = second.job
    second.close()
    first.close()
    assert waiting.finished.wait(PATIENCE) and waiting.report is None
    runner.close()


@pytest.mark.slow
def test_trees_that_nobody_uses_make_room():
    runner = Runner(Limits(max_searches=1, max_nodes=2_000, max_seconds=PATIENCE))
    state = loaded("connect4").new_initial_state()
    thinkers = [Thinker("mcts:iterations=200", state.game) for _ in range(8)]
    for thinker in thinkers:
        assert runner.submit(thinker, state).finished.wait(PATIENCE)
    assert 0 < runner.kept_nodes <= 1_000
    assert thinkers[0].agent is None and thinkers[-1].agent is not None
    runner.close()


def test_a_search_stays_within_time_and_memory():
    runner = Runner(Limits(max_searches=1, max_seconds=0.3, max_nodes=100_000))
    state = loaded("connect4").new_initial_state()
    job = runner.submit(Thinker("mcts:seconds=1000", state.game), state)
    assert job.finished.wait(PATIENCE)
    assert job.report.stopped in ("seconds", "nodes") and job.report.nodes <= runner.limits.tree_nodes
    job = runner.submit(Thinker("mcts:iterations=1000000000", state.game), state)
    assert job.finished.wait(PATIENCE) and job.report.nodes <= runner.limits.tree_nodes
    runner.close()


def test_no_thread_is_left_behind():
    before = set(threading.enumerate())
    runner = Runner(Limits(max_searches=2))
    game = director(runner, seats=("random", "random"))
    settle(game, lambda: game.session.finished)
    game.close()
    runner.close()
    wait_until(lambda: set(threading.enumerate()) <= before)


@pytest.mark.parametrize("name", [name for name in AGENTS if name != "engine"])
def test_every_agent_plays_and_one_that_does_not_report_is_no_trouble(name):
    runner = Runner(Limits(max_searches=1, max_seconds=PATIENCE))
    spec = "blind_tictactoe" if name == "determinized" else "tictactoe"
    game = director(runner, "b2", (PERSON, f"{name}:seconds=0.2" if takes(name, "seconds") else name), spec)
    settle(game, lambda: game.session.plies == 2 or game.message)
    assert not game.message
    report = game.session.own.get(1)
    assert report is None or report.best_name == game.session.names[1]
    game.close()
    runner.close()


def test_machines_learn_from_a_finished_game_once(runner, tmp_path):
    file = tmp_path / "a.memory"
    game = director(runner, seats=(f"mcts:iterations=20,memory={file}", "random"))
    settle(game, lambda: game.session.finished and not game.unreviewed() and game.job is None)
    settle(game, lambda: game._telling is None)
    for _ in range(5):
        game.tick()
    game.close()
    runner.close()
    from tests.agents.test_memory import learned

    assert learned(file) == 1 and game.message == ""


def test_a_memory_that_cannot_be_kept_is_said(runner, tmp_path):
    game = director(runner, seats=(f"mcts:iterations=20,memory={tmp_path / 'nowhere' / 'a.memory'}", "random"))
    settle(game, lambda: game.message != "")
    assert "No such file" in game.message


class Resigns:
    """Makes no move at all."""

    def __init__(self, game) -> None:
        pass

    def step(self, state):
        raise ResignedError("gnugo resigns")


def test_a_machine_that_resigns_has_lost(runner):
    game = director(runner, seats=("random", f"{__file__}:Resigns"))
    settle(game, lambda: game.session.finished)
    assert (game.session.plies, game.session.resigned, game.message) == (1, 1, "")
