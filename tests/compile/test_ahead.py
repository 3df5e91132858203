"""Compiling in a second process: what it makes is found, and nothing of it is left behind."""

from __future__ import annotations

import pytest

from ponderosa import Search
from ponderosa.compile import ahead
from ponderosa.compile.enabled import jit_enabled
from ponderosa.mcts.engines import kernels
from ponderosa.policies import SelectPolicy
from tests.helpers import PATIENCE, loaded, run_python


@pytest.fixture
def allowed(monkeypatch):
    """Tests compile in their own process, except where they ask for another."""
    monkeypatch.delenv(ahead.VARIABLE, raising=False)
    monkeypatch.setattr(ahead, "_cores", lambda: 2)
    monkeypatch.setattr(ahead, "_asked", set())


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_what_another_process_compiles_is_found_on_disk(allowed, monkeypatch, tmp_path):
    monkeypatch.setenv("PONDEROSA_CACHE_DIR", str(tmp_path / "cache"))
    code = f"""
        import json
        from numba import types
        from ponderosa.compile import ahead, native
        from tests.compile.small_functions import FUNCTIONS

        ahead._cores = lambda: 2

        def ready():
            return [native.is_ready(function, types.int64(types.int64)) for function in FUNCTIONS]

        before = ready()
        ahead.compile_ahead("tests.compile.small_functions:answers").wait({PATIENCE})
        print(json.dumps([any(before), all(ready())]))
    """
    assert run_python(code) == [False, True]


@pytest.mark.slow
@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_the_loop_of_a_search_that_another_process_compiles_is_found_on_disk(allowed, monkeypatch, tmp_path):
    monkeypatch.setenv("PONDEROSA_CACHE_DIR", str(tmp_path / "cache"))
    code = f"""
        import json
        from ponderosa.compile import ahead, native
        from ponderosa.mcts.engines import kernels
        from ponderosa.mcts.tree.node import NODE

        ahead._cores = lambda: 2
        function, signature = kernels._loop_code(kernels.LOOPS["usual"], NODE)

        def ready():
            return native.is_ready(function, signature, scope="", **kernels.OPTIONS)

        before = ready()
        process = ahead.compile_ahead("ponderosa.mcts.engines.kernels:compile_here", "usual", [], 2, "ucb1")
        process.wait({PATIENCE})
        print(json.dumps([before, ready()]))
    """
    assert run_python(code) == [False, True]
    assert any(file.name.startswith("select-") for file in (tmp_path / "cache").rglob("*"))


def test_a_search_asks_for_its_loop_once(allowed, monkeypatch):
    asked = []
    monkeypatch.setattr(ahead, "compile_ahead", lambda *task: asked.append(task))
    monkeypatch.setattr("ponderosa.compile.native.is_ready", lambda *function, **options: False)
    monkeypatch.setattr(kernels, "_seen_to", set())
    for _ in range(2):
        Search(loaded("tictactoe"))
    expected = [("ponderosa.mcts.engines.kernels:compile_here", "usual", (), 2, "ucb1")]
    assert asked == (expected if jit_enabled() else [])


def test_a_process_that_nobody_needs_any_more_ends(allowed):
    waiting = ahead.compile_ahead("time:sleep", PATIENCE)
    assert waiting is not None and waiting.poll() is None
    assert ahead.compile_ahead("time:sleep", PATIENCE) is None  # it was asked for already
    waiting.stdin.close()  # as the end of this process would
    assert waiting.wait(PATIENCE) == 0


def test_no_process_is_left_at_the_end(allowed):
    waiting = ahead.compile_ahead("time:sleep", PATIENCE)
    ahead._end(waiting)
    assert waiting.poll() is not None


@pytest.mark.parametrize("why", ["switched off", "one core"])
def test_where_it_cannot_help_nothing_is_started(allowed, monkeypatch, why):
    if why == "switched off":
        monkeypatch.setenv(ahead.VARIABLE, "0")
    else:
        monkeypatch.setattr(ahead, "_cores", lambda: 1)
    assert ahead.compile_ahead("time:sleep", 1) is None


def test_a_policy_of_ones_own_may_have_a_name_of_ours(allowed, monkeypatch):
    asked = []
    monkeypatch.setattr(ahead, "compile_ahead", lambda *task: asked.append(task))
    monkeypatch.setattr("ponderosa.compile.native.is_ready", lambda *function, **options: False)
    monkeypatch.setattr(kernels, "_seen_to", set())
    mine = SelectPolicy(lambda nodes, parent, params, rng: nodes[parent]["first"], name="ucb1", settings={"x": 1})
    Search(loaded("tictactoe"), select=mine)
    assert [task[-1] for task in asked] == ([None] if jit_enabled() else [])
