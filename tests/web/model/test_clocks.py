"""Games by the clock, without a page: time passes when the test says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ponderosa.core.clock import TimeControl
from ponderosa.errors import IllegalActionError
from ponderosa.web.model.catalogue import PERSON
from ponderosa.web.model.clocks import GameClocks
from ponderosa.web.model.director import Director
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.place import Place
from ponderosa.web.model.runner import Runner
from ponderosa.web.model.saved_games import GameRecord
from ponderosa.web.model.session import GameSession
from ponderosa.web.model.sight import Sight
from tests.helpers import PATIENCE, loaded, wait_until


class Time:
    """A clock that moves by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def runner() -> Iterator[Runner]:
    found = Runner(Limits(max_seconds=PATIENCE, max_searches=2))
    yield found
    found.close()


def by_the_clock(runner: Runner, control: str, seats: tuple[str, str] = (PERSON, PERSON)) -> tuple[Director, Time]:
    time = Time()
    game = loaded("tictactoe")
    session = GameSession.after("tictactoe", game, list(seats))
    session.clocks = GameClocks(TimeControl.of(control), game)
    director = Director(session, runner, time)
    director.look(Place(session))
    director.tick()
    return director, time


def play(director: Director, time: Time, seconds: float, move: str) -> None:
    time.now += seconds / 2
    director.tick()
    time.now += seconds / 2
    director.session.play_text(move)
    director.changed()
    director.tick()


def left(director: Director) -> list[float]:
    assert director.session.clocks is not None
    return [round(director.session.clocks.shown(player, director.now).left, 6) for player in range(2)]


def test_clocks_run_from_the_first_move_on_for_whoever_is_to_move(runner: Runner) -> None:
    director, time = by_the_clock(runner, "60+2")
    play(director, time, 100.0, "b2")
    assert left(director) == [60.0, 60.0]
    play(director, time, 10.0, "a1")
    assert left(director) == [60.0, 52.0]
    time.now += 5.0
    director.tick()
    assert left(director) == [55.0, 52.0]
    assert director.session.clocks is not None and director.session.clocks.runs(0)


def test_whose_time_is_over_has_lost_and_the_game_is_saved_so(runner: Runner) -> None:
    director, time = by_the_clock(runner, "30")
    play(director, time, 1.0, "b2")
    time.now += 30.5
    director.tick()
    session = director.session
    assert session.finished and session.result() == "O lost on time; X wins."
    with pytest.raises(IllegalActionError):
        session.play_text("a1")
    again = GameRecord.of(session).session(session.game, list(session.seats))
    assert again.finished and again.overtime == 1 and again.result() == session.result()


def test_nobody_pays_while_the_game_is_paused_or_nobody_looks_at_it(runner: Runner) -> None:
    director, time = by_the_clock(runner, "30")
    play(director, time, 1.0, "b2")
    director.pause(True)
    director.tick()
    time.now += 100.0
    director.tick()
    director.pause(False)
    director.tick()
    place = director.places[0]
    director.look_away(place)
    director.tick()
    time.now += 100.0
    director.tick()
    assert left(director) == [30.0, 30.0]


def test_a_machine_thinks_as_its_clock_allows(runner: Runner) -> None:
    director, time = by_the_clock(runner, "0.5", (PERSON, "mcts"))
    play(director, time, 1.0, "b2")

    def moved() -> bool:
        director.tick()
        return director.session.plies == 2

    wait_until(moved)
    job_agent = director._thinkers["move of 1", "mcts"].agent
    assert job_agent is not None and job_agent.budget is not None and job_agent.budget.seconds is not None
    assert job_agent.budget.seconds < 0.5 / 4  # four moves can still follow


def test_a_move_in_an_earlier_position_begins_another_game_without_a_clock(runner: Runner) -> None:
    director, time = by_the_clock(runner, "30")
    play(director, time, 1.0, "b2")
    sight = Sight(director, None)
    sight.place.go_to(0)
    assert sight.branches()
    assert director.session.variation(0, 1).clocks is None
    with pytest.raises(IllegalActionError, match="by the clock"):
        director.session.take_back(0)
