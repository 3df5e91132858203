"""A finished game as a lesson: which mistakes are asked about, and what is said of a tried move."""

from __future__ import annotations

import pytest

from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.web.model.catalogue import PERSON
from ponderosa.web.model.director import Director
from ponderosa.web.model.lesson import GameLesson, lessons_of
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.runner import Runner
from ponderosa.web.model.session import GameSession
from tests.helpers import PATIENCE, loaded, wait_until

MOVES = "b2 a1 c1 c2 a2 a3 c3 b1 b3"
"""O's c2 leaves the long diagonal open, and X's a2 does not see it."""


def said(state, values):
    """A report in which these moves have these values, the first of them the best."""
    actions = {state.action_to_string(action): action for action in state.legal_actions()}
    entries = tuple(ActionReport(actions[name], name, 10, value, None, (name,)) for name, value in values.items())
    best = entries[0]
    found = {"game": "tictactoe", "player": state.to_move(), "best_action": best.action, "best_name": best.name}
    found |= {"value": best.value, "proven": None, "iterations": 10, "nodes": 10, "seconds": 0.0, "stopped": "seconds"}
    return Report(**found, seed=0, actions=entries)


@pytest.fixture
def director():
    runner = Runner(Limits(max_searches=1, max_seconds=PATIENCE))
    session = GameSession.after("tictactoe", loaded("tictactoe"), [PERSON, PERSON], MOVES)
    assert session.finished
    told = [{"b2": 0.5}, {"a1": 0.5}, {"c1": 0.5, "b1": 0.4}, {"a3": 0.5, "c2": 0.0}, {"a3": 1.0, "a2": 0.5}]
    for ply, values in enumerate([*told, {"a3": 0.5}, {"c3": 0.5}, {"b1": 0.5}, {"b3": 0.5}]):
        session.note(ply, said(session.states[ply], values), advice=True)
    found = Director(session, runner)
    found.adviser = "perfect"
    yield found
    found.close()
    runner.close()


def test_the_large_mistakes_of_those_who_learn_come_in_the_order_of_the_game(director):
    assert [(move.played, move.best) for move in lessons_of(director.session, (0, 1))] == [("c2", "a3"), ("a2", "a3")]
    assert [move.played for move in lessons_of(director.session, (0,))] == ["a2"]
    assert lessons_of(director.session, ()) == []


def test_a_move_is_asked_for_tried_and_shown(director):
    lesson = GameLesson(director, (0, 1))
    assert lesson.asking and lesson.ply == 3 and lesson.state == director.session.states[3] and not lesson.last
    lesson.attempt("c2")
    assert lesson.loss == 0.5 and not lesson.found and lesson.ply == 4 and lesson.before == director.session.states[3]
    lesson.again()
    assert lesson.asking and lesson.loss is None and lesson.line == ()
    lesson.attempt("a3")
    assert lesson.found and lesson.loss == 0.0 and not lesson.thinking
    lesson.reveal()
    assert lesson.shown and not lesson.asking and lesson.line == ("a3",) and lesson.tried is None
    lesson.next()
    assert lesson.last and lesson.mistake.played == "a2" and lesson.asking
    lesson.close()


def test_another_move_is_looked_at_by_the_adviser(director):
    lesson = GameLesson(director, (0, 1))
    lesson.attempt("b1")  # X takes a3, and wins
    assert lesson.thinking and lesson.loss is None
    wait_until(lesson.tick)
    assert lesson.loss == 0.5 and not lesson.found and not lesson.thinking
    lesson.next()
    lesson.attempt("a3")
    assert lesson.state.is_terminal() and lesson.found
    lesson.close()


def test_an_adviser_that_says_nothing_is_told_of(director):
    director.adviser = "random"
    lesson = GameLesson(director, (0, 1))
    lesson.attempt("b1")
    wait_until(lesson.tick)
    assert lesson.loss is None and lesson.trouble == "nothing was found out about this move"
    lesson.again()
    assert lesson.trouble == ""
    lesson.close()
