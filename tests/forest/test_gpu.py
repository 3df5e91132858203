"""On a machine with a CUDA card: the trees there are those of the processor."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ponderosa import Forest, PonderosaError, load_game, observed, rule
from ponderosa.compile import cuda
from ponderosa.core.observation import shape_of
from tests.forest.test_card import COMPOSITIONS, SEARCHED, named
from tests.forest.test_card_memory import opinion
from tests.helpers import Nim, random_game

REASON = cuda.missing()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=str(REASON))]


class RatedNim(Nim):
    """With values that every machine computes alike."""

    @rule
    def evaluate(s: Any) -> Any:
        worth = (s.heaps.sum() % 5 - 2) / 4.0
        return (worth, -worth) if s.player == 0 else (-worth, worth)


def assert_same(game: Any, trees: int = 300, iterations: int = 200, **settings: Any) -> None:
    """Two runs and a move between, on both."""
    forests = [Forest(game, trees, device=device, seed=5, **settings) for device in ("cpu", "cuda")]
    for count in (iterations, iterations // 2):
        cores, card = (forest.run(iterations=count) for forest in forests)
        for name in ("best_actions", "iterations", "nodes", "child_visits", "child_proven"):
            assert np.array_equal(getattr(cores, name), getattr(card, name)), name
        assert np.array_equal(cores.child_values, card.child_values, equal_nan=True)
        for forest in forests:
            forest.advance(cores.best_actions)
        assert np.array_equal(forests[0].roots, forests[1].roots)


@pytest.mark.parametrize("spec", SEARCHED)
def test_trees_of_every_game_are_those_of_the_processor(spec: str) -> None:
    game = load_game(spec)
    if not game.chance:  # a forest begins where somebody chooses
        assert_same(game)


@pytest.mark.parametrize("settings", COMPOSITIONS, ids=named)
def test_with_other_policies_too(settings: dict[str, Any]) -> None:
    static = settings.get("playout") == "static"  # Connect Four's values have an `exp`, which is the card's own
    assert_same(RatedNim((2, 3, 4)) if static else load_game("connect4"), **settings)


def test_a_game_of_ones_own_runs_as_it_is_written() -> None:
    assert_same(Nim((2, 3, 4)))


@pytest.mark.parametrize("spec", ["connect4", "gomoku", "samegame:rows=5,columns=4,colours=3"])
def test_new_trees_in_old_memory_are_right_and_earlier_results_stay_what_they_were(spec: str) -> None:
    game = load_game(spec)
    state, reports = game.new_initial_state(), []
    forests = [Forest(game, 3000, device=device, seed=5) for device in ("cpu", "cuda")]
    for count in (150, 40, 100, 100):
        reports.append([forest.run(state, iterations=count) for forest in forests])
    for cores, card in reports:  # nobody has looked at the card's yet
        for name in ("best_actions", "nodes", "child_actions", "child_visits", "child_proven"):
            assert np.array_equal(getattr(cores, name), getattr(card, name)), name
        assert np.array_equal(cores.child_values, card.child_values, equal_nan=True)


APART = """
from numba.cuda import compiler
from ponderosa import Forest, load_game
made, compile_cuda = [], compiler.compile_cuda
def counted(*arguments, **options):
    made.append(arguments[0].__name__)
    return compile_cuda(*arguments, **options)
compiler.compile_cuda = counted
report = Forest(load_game("tictactoe"), 100, device="cuda", seed=3).run(iterations=50)
print(report.child_visits.tolist(), len(made), sep="\\n")
"""


def test_another_process_takes_kernels_from_disk_and_grows_the_same_trees(tmp_path: Path) -> None:
    environment = os.environ | {"PONDEROSA_CACHE_DIR": str(tmp_path / "cache")}
    told = []
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, "-c", APART], env=environment, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0 and "cannot be loaded" not in ran.stderr, ran.stderr
        told.append(ran.stdout.splitlines())
    assert told[0][0] == told[1][0]
    assert int(told[0][1]) > 0 and told[1][1] == "0"


JUDGED: list[dict[str, Any]] = [{}, {"select": "gumbel"}, {"select": "puct", "noise": 0.25}]


@pytest.mark.parametrize("settings", JUDGED, ids=named)
@pytest.mark.parametrize("there", [False, True], ids=["numpy", "device"])
def test_an_evaluator_is_handed_arrays_of_the_card(settings: dict[str, Any], there: bool) -> None:
    game, forests = load_game("connect4"), []

    def on_card(states: Any) -> Any:
        assert states.shape == (100, forests[1].record.itemsize)
        answer = opinion(states.copy_to_host().view(forests[1].record).reshape(-1))
        return tuple(cuda_code.card.to_device(np.ascontiguousarray(part)) for part in answer) if there else answer

    from ponderosa.compile import cuda_code

    for device, evaluator in (("cpu", opinion), ("cuda", on_card)):
        forests.append(Forest(game, 100, device=device, seed=5, evaluator=evaluator, **settings))
    for _ in range(2):
        cores, card = (forest.run(iterations=40) for forest in forests)
        assert np.array_equal(cores.child_visits, card.child_visits)
        assert np.allclose(cores.improved, card.improved)
        for forest in forests:
            forest.advance(cores.best_actions)


def test_jax_reads_leaves_and_is_read_without_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no card here")
    game = load_game("connect4")

    @jax.jit
    def network(rows: Any) -> Any:
        size = forest._plan.game.state_bytes  # behind it is room that nobody fills in
        marks = (rows[:, :size].astype(np.int32) * (np.arange(size) % 7 + 1)).sum(axis=1)
        for _ in range(200):  # long enough that whoever does not wait reads what is not there yet
            marks = marks * 1664525 + 1013904223
        bits = (marks[:, None] >> np.arange(8)) & 15
        return bits[:, :7].astype(np.float32) + 1.0, bits[:, 7].astype(np.float32) / 15.0

    def by_processor(states: Any) -> Any:
        rows = np.zeros((len(states), forest.record.itemsize), np.uint8)
        table = rows.view(forest.record).reshape(-1)
        for name in table.dtype.names:
            table[name] = states[name]
        return tuple(np.asarray(part) for part in network(rows))

    forest = Forest(
        game, 2000, device="cuda", seed=2, evaluator=lambda states: network(jax.numpy.asarray(states)), select="puct"
    )
    found = forest.run(iterations=60)
    expected = Forest(game, 2000, seed=2, evaluator=by_processor, select="puct").run(iterations=60)
    assert np.array_equal(found.child_visits, expected.child_visits)


def test_a_wrong_answer_is_told_on_a_card_too() -> None:
    found = Forest(load_game("connect4"), 50, device="cuda", evaluator=lambda states: (None, np.full(50, 3.0)))
    with pytest.raises(PonderosaError, match="from -1 to 1; these go from 3 to 3"):
        found.run(iterations=20)


class SeesPlanes:
    """An evaluator that is handed what `observe` fills in."""

    sees = "planes"

    def __call__(self, states: Any) -> Any:
        return None, np.zeros(len(states))


@pytest.mark.parametrize("spec", [spec for spec in SEARCHED if load_game(spec).max_utility < math.inf])
def test_what_is_seen_there_is_what_the_processor_sees(spec: str) -> None:
    game = load_game(spec)
    states = random_game(game, seed=3)[:200]
    forest = Forest(game, len(states), device="cuda", evaluator=SeesPlanes())
    forest.begin(np.array([state.data for state in states]), np.ones((len(states), 1), np.uint64), capacity=50)
    forest._do("observe", forest._rows)
    forest._hands._fetch(forest._rows, ("planes",))
    records = np.array([state.data for state in states]).view(game.dtype).reshape(-1)
    seen = forest._rows.planes.reshape(len(states), *shape_of(game))
    assert np.allclose(seen, observed(game, records), rtol=1e-6)
