"""Same seed, same iterations, same answer to the bit: run after run, process after process, compiled or plain."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ponderosa import Search, load_game
from tests.helpers import (
    EVERY_GAME,
    EXAMPLES,
    POLICIES,
    RULES_AND_POLICIES,
    LookAlike,
    examples,
    first_decision,
    games,
    grown,
    loaded,
    run_python,
    untimed,
    visits,
)

REPORT = """
    import json
    from ponderosa import Search, load_game
    report = Search(load_game({spec!r}), seed={seed}, **{phases!r}).run(iterations={iterations})
    plain = report.to_dict()
    plain["seconds"] = 0
    print(json.dumps(plain))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "phase", "policy"), RULES_AND_POLICIES)
def test_a_search_repeats_itself(name, phase, policy):
    runs = []
    for _ in range(2):
        search = Search(loaded(EXAMPLES[name]), seed=11, **{phase: policy})
        runs.append((untimed(search.run(iterations=200)), grown(search).tobytes()))
    assert runs[0] == runs[1]


def test_a_search_of_python_states_repeats_itself():
    reports = [untimed(Search(LookAlike(15), seed=4).run(iterations=500)) for _ in range(2)]
    assert reports[0] == reports[1]


def test_different_seeds_search_differently():
    counts = {tuple(visits(Search(loaded("connect4"), seed=seed).run(iterations=500)).values()) for seed in range(5)}
    assert len(counts) == 5


@pytest.mark.parametrize("spec", ["connect4", pytest.param("gomoku", marks=pytest.mark.slow)])
def test_a_new_process_gives_the_same_report(spec):
    code = REPORT.format(spec=spec, seed=5, phases={}, iterations=10_000)
    here = untimed(Search(loaded(spec), seed=5).run(iterations=10_000)).to_dict()
    assert run_python(code, PYTHONHASHSEED="1") == json.loads(json.dumps(here))


@pytest.mark.parametrize("name", examples())
def test_it_does_not_matter_how_a_budget_is_cut(name):
    """At once; in three runs; in slices that the clock makes tiny, and others that it makes huge."""
    now = iter(range(10**9))
    cuts = [
        ({}, [3_000]),
        ({}, [1, 999, 2_000]),
        ({"clock": lambda: next(now) * 10.0}, [3_000]),
        ({"clock": lambda: next(now) * 1e-9}, [3_000]),
    ]
    trees = []
    for options, runs in cuts:
        search = Search(loaded(EXAMPLES[name]), seed=9, **options)
        for iterations in runs:
            search.run(iterations=iterations)
        trees.append(grown(search))
    for tree in trees[1:]:
        assert np.array_equal(trees[0], tree)


def test_asking_for_reports_changes_nothing():
    quiet, asked = Search(loaded("connect4"), seed=2), Search(loaded("connect4"), seed=2)
    quiet.run(iterations=1_000)
    for _ in range(10):
        asked.run(iterations=100, progress=lambda report: report.pv)
        asked.report()
    assert np.array_equal(grown(quiet), grown(asked))


def found_with(spec, phases, iterations):
    """What a search finds out with each of some policies."""
    found = []
    for policies in phases:
        search = Search(load_game(spec), seed=1, **policies)
        report = search.run(first_decision(search.game), iterations=iterations)
        found.append([list(visits(report).values()), float(search.tree.nodes[0]["value"]), report.best_name])
    return found


def found_in_plain_python(*arguments):
    code = f"""
    import json
    from tests.mcts.test_determinism import found_with
    print(json.dumps(found_with(*{arguments!r})))
    """
    return run_python(code, NUMBA_DISABLE_JIT="1")


@pytest.mark.parametrize("name", games())
def test_plain_python_gives_the_same_visits_as_machine_code(name):
    search = EVERY_GAME[name], [{}], 300
    assert found_in_plain_python(*search) == found_with(*search)


@pytest.mark.parametrize(
    ("name", "iterations"), [("connect4", 40), pytest.param("connect", 150, marks=pytest.mark.slow)]
)
def test_every_policy_gives_the_same_visits_in_plain_python(name, iterations):
    searches = EXAMPLES[name], [{phase: policy} for phase, policy in POLICIES], iterations
    assert found_in_plain_python(*searches) == found_with(*searches)
