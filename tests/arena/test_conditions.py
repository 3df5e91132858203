"""Conditions: checked when they are made, given whole or field by field, the same at every door."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from ponderosa import match, tournament
from ponderosa.arena import training
from ponderosa.arena.conditions import AnyConditions, Conditions, as_conditions
from ponderosa.arena.match import plan_match, run_match
from ponderosa.arena.planned import Door, Progress, enter_event
from ponderosa.arena.results.result import EventResult
from ponderosa.arena.results.store import Store
from ponderosa.arena.tournament_file import KEYS
from ponderosa.errors import SettingError
from tests.arena.test_match import moves_in
from tests.helpers import Nim

BAD: list[tuple[dict[str, Any], str]] = [
    ({"seed": -1}, "seed must be a whole number of at least 0 and less than 2^63, not -1"),
    ({"seed": 2**63}, "seed must be a whole number of at least 0 and less than 2^63, not 9223372036854775808"),
    ({"seed": True}, "seed must be a whole number of at least 0 and less than 2^63, not True"),
    ({"iterations": 0}, "iterations must be a whole number of at least 1 and less than 2^63, not 0"),
    ({"iterations": 1.5}, "iterations must be a whole number of at least 1 and less than 2^63, not 1.5"),
    ({"seconds": 0}, "seconds must be a number of at least 0.001 and less than 2^63, not 0"),
    ({"seconds": float("nan")}, "seconds must be a number of at least 0.001 and less than 2^63, not nan"),
    ({"tolerance": -0.1}, "tolerance must be a number of at least 0 and less than 2^63, not -0.1"),
    ({"timeout": float("inf")}, "timeout must be a number of at least 0.001 and less than 2^63, not inf"),
    ({"memory": 0}, "memory is a number of gigabytes, not 0"),
    ({"concurrency": 0}, "concurrency, the games at a time, must be from 1 to 1024, not 0"),
    ({"concurrency": True}, "concurrency, the games at a time, must be from 1 to 1024, not True"),
]


@pytest.mark.parametrize(("given", "message"), BAD)
def test_what_cannot_be_is_refused_when_it_is_said(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError) as refused:
        Conditions(**given)
    assert str(refused.value) == message


def test_every_condition_has_a_keyword_a_key_in_files_and_a_line_of_doc() -> None:
    names = {field.name for field in fields(Conditions)}
    assert names == AnyConditions.__optional_keys__ and names <= KEYS.keys()
    source = (
        Path(training.__file__).with_name("conditions.py").read_text(encoding="utf-8").split("class Conditions:")[1]
    )
    for name in names:
        declared = source.index(f"\n    {name}: ")
        assert source[declared + 1 :].split("\n")[1].startswith('    """'), name


def test_keywords_take_the_place_of_what_is_given_whole() -> None:
    whole = Conditions(openings="random:2", seed=5)
    assert as_conditions(whole, {"seed": 6}) == Conditions(openings="random:2", seed=6)
    assert as_conditions(None, {}) == Conditions()


@pytest.mark.slow
def test_matches_are_the_same_whether_conditions_come_whole_or_as_keywords(tmp_path: Path) -> None:
    whole, short = tmp_path / "whole.db", tmp_path / "short.db"
    conditions = Conditions(openings="random:2", iterations=20, seed=3, concurrency=1)
    match("tictactoe", "mcts", "random", 4, out=whole, conditions=conditions)
    match("tictactoe", "mcts", "random", 4, out=short, openings="random:2", iterations=20, seed=3)
    assert moves_in(whole) == moves_in(short)
    again = tournament("tictactoe", ["mcts", "random"], 4, conditions=conditions)
    assert again.event.iterations == 20 and again.event.seed == 3


def test_a_plan_writes_nothing_and_a_door_is_told_before_during_and_at_the_end(tmp_path: Path) -> None:
    path, told = tmp_path / "games.db", []
    planned = plan_match(Nim(heaps=(3, 4)), "random", "random:seed=1", 4)
    assert not path.exists()

    def ready(event: object, note: str) -> None:
        told.append("ready")

    def watch(progress: Progress) -> None:
        told.append(progress.games)

    result = run_match(planned, path, Door(ready, lambda: contextlib.nullcontext(watch)))
    assert told[0] == "ready" and told[-1] == 4 and result.tally.games == 4
    assert enter_event(planned.event, 4, path) == result.id


def test_ctrl_c_tells_the_door_what_the_stored_games_have_come_to(tmp_path: Path) -> None:
    planned = plan_match(Nim(heaps=(3, 4)), "random", "random:seed=1", 5000, conditions=Conditions(count_repeats=True))
    told: list[EventResult] = []

    def stop(progress: Progress) -> None:
        if progress.games >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_match(
            planned, tmp_path / "g.db", Door(watching=lambda: contextlib.nullcontext(stop), interrupted=told.append)
        )
    with Store(tmp_path / "g.db", readonly=True) as store:
        assert [result.tally.games for result in told] == [store.count()] and 5 <= store.count() < 5000


@pytest.mark.slow
def test_a_warning_about_the_clock_points_at_the_call() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        match("tictactoe", "random", "random:seed=1", 2, seconds=5.0, concurrency=512)
        tournament("tictactoe", ["random", "random:seed=1"], 2, seconds=5.0, concurrency=512)
    assert [Path(warning.filename) for warning in found if "threads think" in str(warning.message)] == [
        Path(__file__)
    ] * 2


def test_a_training_takes_openings_and_budgets_and_no_other_place(tmp_path: Path) -> None:
    conditions = Conditions(openings="random:2", iterations=10, seed=2)
    curve = training.train("tictactoe", "mcts", "blind", 4, tmp_path / "a.memory", conditions=conditions)
    assert len(curve.lessons) == 4 and curve.seed == 2
    with pytest.raises(SettingError, match="one game after the other"):
        training.train("tictactoe", "mcts", "blind", 2, tmp_path / "b.memory", conditions=Conditions(concurrency=2))
