"""A search that is watched. Start at test_it_rests_after_few_iterations_and_then_after_more."""

from __future__ import annotations

import time
import xml.etree.ElementTree
from dataclasses import replace

from ponderosa import load_agent, load_game
from ponderosa.core.notation import position
from ponderosa.pictures.convergence import converging_svg
from ponderosa.pictures.places import layout
from ponderosa.pictures.poster import strip
from ponderosa.web.drawing.scores import scores_table, solver_words
from ponderosa.web.model.convergence import STEPS, Convergence
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.runner import Runner


def converged(game_name: str, moves: str) -> tuple[Convergence, Runner]:
    """A search after its first steps, which found a proof or are seven."""
    game, runner = load_game(game_name), Runner(Limits(max_seconds=20))
    search = Convergence(runner, game)
    search.look(position(game, moves))
    while search.job is not None and len(search.moments) < 7:
        search.poll()
        time.sleep(0.005)
    return search, runner


def test_it_rests_after_few_iterations_and_then_after_more() -> None:
    search, runner = converged("connect4", "4 4 4 4 3")
    assert [moment.iterations for moment in search.moments] == list(STEPS[: len(search.moments)])
    for moment in search.moments:
        assert sum(entry.visits for entry in moment.actions) <= moment.iterations
    assert sum(entry.visits for entry in search.moments[-1].actions) >= STEPS[len(search.moments) - 2]
    tree = search.tree()
    assert tree is not None and tree.root().visits >= STEPS[len(search.moments) - 1] - 1
    search.stop()
    search.close()
    runner.close()


def test_it_never_tells_of_more_visits_than_iterations_also_when_it_is_stopped() -> None:
    search, runner = converged("connect4", "4 4 4 4 3")
    while search.job is not None and search.iterations < 5_000:
        search.poll()
        time.sleep(0.005)
        assert search.report is None or sum(entry.visits for entry in search.report.actions) <= search.iterations
    search.stop()
    while search.job is not None:
        search.poll()
        time.sleep(0.005)
    assert 5_000 <= search.iterations == search.moments[-1].iterations < STEPS[-1]
    assert sum(entry.visits for entry in search.moments[-1].actions) <= search.iterations
    search.close()
    runner.close()


def test_a_proof_ends_it_and_the_animation_shows_every_step() -> None:
    search, runner = converged("tictactoe", "a1 b1 a2 b2")
    assert search.report is not None and search.report.proven == "win" and search.job is None
    state = position(load_game("tictactoe"), "a1 b1 a2 b2")
    moments = [(moment.iterations, moment.actions) for moment in search.moments]
    drawn = converging_svg("Three <in> a row", state, moments)
    xml.etree.ElementTree.fromstring(drawn)
    assert "Three &lt;in&gt; a row" in drawn and 'class="board' in drawn and "<script" not in drawn
    assert all(f">{iterations:,} iterations<" in drawn for iterations, _ in moments)
    runner.close()


def test_scores_tell_what_is_certain_beside_what_is_believed() -> None:
    game = load_game("connect4")
    state = position(game, "1 1 2 2 3 3 6 5 7 6 7 6 7 7 6 4 1 1 1 1 2 2 2 2")
    perfect = load_agent("perfect", game)
    perfect.step(state)
    exact = perfect.last_report
    assert exact is not None
    shown = scores_table(state, None, exact, solving=False)
    known = {entry.name: entry for entry in exact.actions}
    assert shown.count("<tr") == 1 + len(known)
    for entry in exact.actions:
        words = entry.proven if entry.proven == "draw" else f"{entry.proven} in {entry.moves_left}"
        assert f"{words}</span>" in shown
    found = layout(state)
    assert found is not None and strip(state, found, exact).count("<text") == len(known)
    assert "…" in scores_table(state, None, None, solving=True)
    assert "Exact" not in scores_table(state, None, None, solving=False)


def test_how_far_a_solver_is_is_said_in_words() -> None:
    game = load_game("connect4:rows=4,cols=4")
    state = position(game, "1")
    perfect = load_agent("perfect", game)
    perfect.step(state)
    exact = perfect.last_report
    assert exact is not None
    half = replace(exact, actions=(replace(exact.actions[0], proven="win", moves_left=None), *exact.actions[1:2]))
    begun = "exact: winner known in 0 of 4 columns, number of moves in 0; solving …"
    assert solver_words(state, None, True, False) == begun
    assert "winner known in 2 of 4 columns, number of moves in 1" in solver_words(state, half, True, False)
    assert "not solved in the time" in solver_words(state, half, False, True)
    assert solver_words(state, exact, False, False) == "exact: all columns solved"
