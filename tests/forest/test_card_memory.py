"""A forest on a card whose memory is not the processor's. The card is a stand-in: it runs the tasks of the processor on
arrays of its own, so that whatever is not sent or not fetched is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ponderosa import Forest, PonderosaError, load_game
from ponderosa.errors import RoomError
from ponderosa.forest import card_code, forest
from ponderosa.forest.card import Card
from ponderosa.forest.cores import Cores
from ponderosa.forest.grove import new_room
from ponderosa.forest.play_many import play_many
from tests.helpers import Nim

TREES = 5


class StandIn:
    """A card with memory of its own."""

    bytes = 2**30
    launches: list[str] = []

    def free(self) -> int:
        return self.bytes

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        array = np.empty(shape, dtype)
        array.view(np.uint8)[...] = 0xA5  # as memory may be
        return array

    def send(self, host: Any, card: Any) -> None:
        assert card.shape == host.shape and card.dtype == host.dtype and not np.shares_memory(host, card)
        card[...] = host

    def fetch(self, card: Any, host: Any) -> None:
        assert card.shape == host.shape and card.dtype == host.dtype and not np.shares_memory(host, card)
        host[...] = card

    def task(self, name: str, plan: Any) -> Any:
        cores, room = Cores(plan, 1), new_room(plan, 1)

        def run(trees: Any, found: Any, orders: Any) -> None:
            self.launches.append(name)
            cores.run(name, trees, room, found, orders)

        return run

    def clear(self, nodes: Any, columns: int) -> None:
        nodes[:, :columns] = np.zeros(1, nodes.dtype)[0]

    def copy(self, nodes: Any, larger: Any, counters: Any) -> None:
        for tree, used in enumerate(counters["used"]):
            larger[tree, :used] = nodes[tree, :used]


@pytest.fixture(autouse=True)
def card(monkeypatch: pytest.MonkeyPatch) -> type[StandIn]:
    monkeypatch.setattr(forest, "check_card", lambda: None)
    monkeypatch.setattr(card_code, "CudaDriver", StandIn)
    monkeypatch.setattr(StandIn, "launches", [])
    return StandIn


def same(one: Any, other: Any) -> None:
    for name in ("best_actions", "best_values", "iterations", "nodes", "child_visits", "child_values", "child_proven"):
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name.endswith("values")), name


def both(game: Any, **settings: Any) -> tuple[Forest, Forest]:
    found = [Forest(game, TREES, device=device, seed=3, **settings) for device in ("cpu", "cuda")]
    assert isinstance(found[1]._hands, Card) and found[1].device == "cuda"
    return found[0], found[1]


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("connect4", {}),
        ("tictactoe", {"select": "rave"}),
        ("samegame:rows=5,columns=4,colours=3", {}),
        ("connect4", {"select": "puct", "playout": "decisive"}),
        (Nim((2, 3)), {}),
    ],
    ids=str,
)
def test_a_forest_on_a_card_grows_the_same_trees(game: Any, settings: dict[str, Any]) -> None:
    cores, card = both(load_game(game) if isinstance(game, str) else game, **settings)
    same(cores.run(iterations=100), card.run(iterations=100))
    same(cores.run(iterations=300), card.run(iterations=300))  # the same trees go on, and need more room
    for _ in range(2):
        actions = cores.run(iterations=50).best_actions
        assert np.array_equal(card.run(iterations=50).best_actions, actions)
        cores.advance(actions)
        card.advance(actions)
        assert np.array_equal(cores.roots, card.roots) and card.roots.dtype == card.game.dtype
    same(cores.run(iterations=70), card.run(iterations=70))
    state = cores.game.new_initial_state()
    same(cores.run(state, iterations=20), card.run(state, iterations=20))


def test_an_evaluator_judges_the_leaves_of_all_trees_of_a_card() -> None:
    seen: list[int] = []

    def evaluator(states: Any) -> Any:
        assert states.dtype == load_game("connect4").dtype
        seen.append(len(states))
        return None, np.sin(states.view(np.uint8).reshape(len(states), -1).sum(axis=1))

    cores, card = both(load_game("connect4"), evaluator=evaluator)
    same(cores.run(iterations=30), card.run(iterations=30))
    assert set(seen[: len(seen) // 2]) == set(seen[len(seen) // 2 :]) and max(seen) == TREES
    cores, card = both(load_game("connect4"), evaluator=evaluator, select="gumbel")
    same(cores.run(iterations=30), card.run(iterations=30))


def test_progress_is_told_between_slices_and_may_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Forest(load_game("tictactoe"), TREES, device="cuda", seed=1, solve=False)
    told: list[int] = []

    def progress(done: int, todo: int) -> bool:
        told.append(done)
        return False

    monkeypatch.setattr(forest, "PROGRESS_SECONDS", 0.0)
    report = found.run(iterations=100_000, progress=progress)
    assert report.stopped == "progress" and told == [TREES * 32]
    assert report.iterations.tolist() == [32] * TREES == report.child_visits.sum(axis=1).tolist()


def test_interrupts_leave_what_there_is(monkeypatch: pytest.MonkeyPatch, card: type[StandIn]) -> None:
    found = Forest(load_game("tictactoe"), TREES, device="cuda", seed=1, solve=False)

    def interrupted(self: Any, rows: Any) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(forest._Run, "_goes_on", interrupted)
    report = found.run(iterations=100_000)
    assert report.stopped == "interrupted" and report.iterations.tolist() == [32] * TREES


def test_more_trees_than_fit_are_searched_in_rounds(monkeypatch: pytest.MonkeyPatch, card: type[StandIn]) -> None:
    cores, on_card = both(load_game("tictactoe"))
    monkeypatch.setattr(card, "bytes", 2 * cores._plan.layout.itemsize * (2 + 50 * 10) * 10 // 8)
    same(cores.run(iterations=50), on_card.run(iterations=50))
    assert card.launches.count("plant") == 3
    with pytest.raises(PonderosaError, match="fit into memory together"):
        on_card.advance(0)


def test_a_tree_that_does_not_fit_is_told_before_anything_is_reserved(
    monkeypatch: pytest.MonkeyPatch, card: type[StandIn]
) -> None:
    found = Forest(load_game("tictactoe"), TREES, device="cuda")
    monkeypatch.setattr(card, "bytes", 1000)
    with pytest.raises(RoomError, match="0 would fit on the card"):
        found.run(iterations=1000)


def test_whole_games_are_the_same_on_a_card() -> None:
    players = [{"iterations": 30}, {"iterations": 20, "c": 0.5}]
    found = [play_many(load_game("connect4"), players, games=6, seed=2, device=device) for device in ("cpu", "cuda")]
    assert np.array_equal(found[0].moves, found[1].moves) and len(found[0].moves) == 6


def test_a_full_tree_is_the_same_on_a_card() -> None:
    cores, card = both(load_game("connect4"))
    same(cores.run(iterations=500, max_nodes=60), card.run(iterations=500, max_nodes=60))
