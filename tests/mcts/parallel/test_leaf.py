"""Playouts of one leaf on several threads: as many as there should be, and always the same."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from ponderosa import Search, load_agent, load_game
from ponderosa.compile.atomics import add_to_item, exchange_item
from ponderosa.core.rng import new_rng, seed_of, uniform
from ponderosa.errors import PonderosaError
from ponderosa.mcts.policies.playout.playouts import random as random_playout
from ponderosa.policies import PlayoutPolicy
from tests.helpers import PlainNim, grown, loaded, position, run_python, untimed, visits


def one_number(game, state, spare, actions, params, rng, values):
    """A playout that is one random number: how far the generator got is how many there were."""
    values[0] = uniform(rng)
    values[1] = 1.0 - values[0]
    return 5


def after(seed: int, draws: int):
    rng = new_rng(seed)
    return [uniform(rng) for _ in range(draws)], rng


@pytest.mark.parametrize("rollouts", [1, 3])
@pytest.mark.parametrize("threads", [2, 4])
def test_there_are_as_many_playouts_as_iterations_times_threads_times_rollouts(threads, rollouts):
    playout = PlayoutPolicy(one_number, rollouts=rollouts)
    search = Search(loaded("connect4"), threads=threads, parallel="leaf", playout=playout, solve=False, seed=5)
    report = search.run(iterations=40)
    assert (report.iterations, report.threads, grown(search)[0]["visits"]) == (40, threads, 40)
    for helper in range(threads - 1):
        _, rng = after(seed_of(5, helper + 1), 40 * rollouts)
        assert search.engine.crew.rng(helper).tolist() == rng.tolist()


def test_a_visit_is_worth_the_mean_of_all_its_playouts():
    search = Search(
        loaded("connect4"), threads=3, parallel="leaf", playout=PlayoutPolicy(one_number), solve=False, seed=5
    )
    search.run(iterations=1)
    drawn = [after(seed_of(5, helper), 1)[0][0] for helper in (1, 2)]
    own = 3 * float(grown(search)[0]["value"]) - sum(drawn)
    search.reset()
    search.run(iterations=1)
    assert float(grown(search)[0]["value"]) == pytest.approx((own + sum(drawn)) / 3)
    alone = Search(loaded("connect4"), playout=PlayoutPolicy(one_number), solve=False, seed=5)
    alone.run(iterations=1)
    assert own == pytest.approx(float(grown(alone)[0]["value"]))


@pytest.mark.parametrize("playout", [random_playout(), random_playout(rollouts=3)])
def test_the_same_seed_gives_the_same_report(playout):
    first, again = (
        Search(loaded("connect4"), threads=3, parallel="leaf", playout=playout, seed=4).run(iterations=3_000)
        for _ in range(2)
    )
    assert untimed(first) == untimed(again)
    search = Search(loaded("connect4"), threads=3, parallel="leaf", playout=playout, seed=4)
    search.run(iterations=1_000)
    search.run(iterations=2_000)
    assert visits(search.report()) == visits(first)
    search.reset()
    assert untimed(search.run(iterations=3_000)) == untimed(first)


@pytest.mark.slow
def test_plain_python_plays_the_same_playouts_in_turn():
    code = """
        import json
        from ponderosa import Search, load_game
        from tests.helpers import visits
        report = Search(load_game("tictactoe"), threads=3, parallel="leaf", seed=2).run(iterations=200)
        print(json.dumps(list(visits(report).values())))
    """
    compiled = visits(Search(loaded("tictactoe"), threads=3, parallel="leaf", seed=2).run(iterations=200))
    assert run_python(code, NUMBA_DISABLE_JIT="1") == list(compiled.values())


def test_wins_are_proven_and_moves_kept():
    game = loaded("connect4")
    report = Search(game, threads=2, parallel="leaf").run(position(game, "4 3 4 3 4 3"), iterations=500)
    assert (report.best_name, report.proven) == ("4", "win")
    agent = load_agent("mcts:threads=2,parallel=leaf,iterations=300", game)
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(agent.step(state))
    assert agent.last_report.threads == 2 and agent.last_report.top()


def leaf_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("ponderosa-leaf")]


def test_helpers_go_home_after_every_run_whatever_ends_it():
    search, seen = Search(loaded("connect4"), threads=3, parallel="leaf", solve=False), []

    def complain(report):
        seen.append(len(leaf_threads()))
        raise ValueError("enough")

    with pytest.raises(PonderosaError, match="enough"):
        search.run(seconds=600, progress=complain)
    assert seen == [2] and not leaf_threads()
    assert search.run(iterations=10).iterations == 10 and not leaf_threads()


@pytest.mark.parametrize(
    ("game", "options", "words"),
    [
        (PlainNim(), {}, "compiled games"),
        (load_game("connect4"), {"select": "rave"}, "do not learn from moves"),
        (load_game("connect4"), {"playout": "mast"}, "do not learn from moves"),
        (load_game("samegame"), {}, "several players"),
        (load_game("connect4"), {"evaluator": print}, "threads=1"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(game, options, words):
    with pytest.raises(PonderosaError, match=words):
        Search(game, threads=2, parallel="leaf", **options)


def test_root_is_the_name_in_papers_for_what_is_merged():
    root, merge = (
        Search(loaded("connect4"), threads=2, parallel=name, seed=3).run(iterations=600) for name in ("root", "merge")
    )
    assert untimed(root) == untimed(merge)


def test_atomic_changes_of_items_are_ordinary_changes_for_one_thread():
    board = np.zeros(3, np.int64)
    assert add_to_item(board, 1, 5) == 0 and add_to_item(board, 1, -2) == 5
    assert exchange_item(board, 1, 3, 8) and not exchange_item(board, 1, 3, 9)
    assert board.tolist() == [0, 8, 0]
