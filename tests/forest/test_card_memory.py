"""A forest on a card whose memory is not the processor's. The card is a stand-in: it runs the tasks of the processor on
arrays of its own, so that whatever is not sent or not fetched is missing."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from ponderosa import Forest, Game, PonderosaError, Search, load_game, rule, sees_planes
from ponderosa.core.observation import shape_of
from ponderosa.core.rng import seed_of
from ponderosa.errors import RoomError
from ponderosa.forest import card_code, forest, run
from ponderosa.forest.card import Card
from ponderosa.forest.card_judging import enter_answer, standing
from ponderosa.forest.cores import Cores
from ponderosa.forest.grove import new_room
from ponderosa.forest.play_many import play_many
from ponderosa.mcts.engines.evaluator import as_numbers
from tests.helpers import Nim

pytestmark = pytest.mark.slow

TREES = 5


class CardArray(np.ndarray):
    """An array of the card's memory."""


class Exchange:
    """Reads only arrays of the card in place, as a card does."""

    copied: list[str] = []

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return StandIn().empty(shape, dtype)

    def fetch(self, card: Any, host: Any) -> None:
        StandIn().fetch(card, host)

    def wait(self) -> None:
        pass

    def read(self, what: str, given: Any) -> Any:
        if isinstance(given, CardArray):
            return given
        self.copied.append(what)
        return as_numbers(what, given).view(CardArray)

    def column(self, array: Any) -> Any:
        return array.reshape(-1, 1)

    def enter(self, trees: Any, priors: Any, values: Any, low: float, high: float) -> None:
        for tree in range(len(trees.over)):
            enter_answer(tree, trees, priors, values, low, high)

    def tally(self, trees: Any) -> Any:
        return np.bincount([standing(tree, trees) for tree in range(len(trees.over))], minlength=3)


class StandIn:
    """A card with memory of its own."""

    bytes = 2**30
    launches: list[str] = []
    exchange = Exchange()

    def free(self) -> int:
        return self.bytes

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        array = np.empty(shape, dtype)
        array.view(np.uint8)[...] = 0xA5  # as memory may be
        return array.view(CardArray)

    def empties(self, kinds: Any) -> list[Any]:
        return [self.empty(*kind) for kind in kinds]

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return np.zeros(shape, dtype)

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

    def wait(self) -> None:
        pass

    def clear(self, nodes: Any, counters: Any) -> None:
        for tree, used in enumerate(counters["used"]):
            nodes[tree, :used] = np.zeros(1, nodes.dtype)[0]

    def zero(self, card: Any) -> None:
        card.view(np.uint8)[...] = 0

    def spread(self, row: Any, card: Any) -> None:
        card[...] = row

    def copy(self, nodes: Any, larger: Any, counters: Any) -> None:
        for tree, used in enumerate(counters["used"]):
            larger[tree, :used] = nodes[tree, :used]

    def forget(self) -> None:
        pass


@pytest.fixture(autouse=True)
def card(monkeypatch: pytest.MonkeyPatch) -> type[StandIn]:
    monkeypatch.setattr(forest, "check_card", lambda: None)
    monkeypatch.setattr(card_code, "CudaDriver", StandIn)
    monkeypatch.setattr(StandIn, "launches", [])
    return StandIn


def same(one: Any, other: Any) -> None:
    for name in (
        "best_actions",
        "best_values",
        "iterations",
        "nodes",
        "child_visits",
        "child_values",
        "child_improved",
    ):
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


def opinion(states: Any) -> tuple[Any, Any]:
    """What an evaluator thinks of some records: little, and always the same."""
    marks = states["left"] + 3.0 * (states["height"] @ np.arange(states["height"].shape[1]))
    return np.abs(np.cos(np.outer(marks, np.arange(1, 8)))).astype(np.float32) + 0.1, np.sin(marks)


def on_card(found: Forest, answers: Any = opinion) -> Any:
    """The same on a card: it is shown all trees, as bytes of the card's memory, and answers with such."""

    def evaluator(states: Any) -> tuple[Any, Any]:
        assert isinstance(states, CardArray) and states.shape == (TREES, found.record.itemsize)
        return answers(np.asarray(states).view(found.record).reshape(-1))

    return evaluator


def both_judged(monkeypatch: pytest.MonkeyPatch, answers: Any, **settings: Any) -> tuple[Forest, Forest]:
    """Forests with an evaluator on the processor and on a card."""
    cores, card = both(load_game("connect4"), evaluator=answers, **settings)
    assert card._plan.asker is not None
    monkeypatch.setattr(card._plan.asker, "_evaluate", on_card(card, answers))
    return cores, card


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"select": "gumbel"},
        {"select": "puct", "noise": 0.25},
    ],
    ids=str,
)
def test_an_evaluator_judges_the_leaves_of_all_trees_of_a_card(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cores, card = both_judged(monkeypatch, opinion, **settings)
    same(cores.run(iterations=30), card.run(iterations=30))
    actions = cores.run(iterations=10).best_actions
    card.run(iterations=10)
    cores.advance(actions)
    card.advance(actions)
    same(cores.run(iterations=20), card.run(iterations=20))


@pytest.mark.parametrize("tall", [False, True])
def test_answers_that_are_on_the_card_are_read_there(tall: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(states: Any) -> tuple[Any, Any]:
        priors, values = opinion(states)
        return (priors if tall else None), (values[:, np.newaxis] if tall else values)

    def there(states: Any) -> tuple[Any, Any]:
        priors, values = answers(states)
        return (None if priors is None else priors.view(CardArray)), values.view(CardArray)

    monkeypatch.setattr(Exchange, "copied", [])
    cores, card = both_judged(monkeypatch, answers)
    monkeypatch.setattr(card._plan.asker, "_evaluate", on_card(card, there))
    same(cores.run(iterations=12), card.run(iterations=12))
    assert Exchange.copied == []


def test_planes_are_seen_in_the_place_of_records_on_both_devices_and_by_a_search() -> None:
    game, kinds = load_game("connect4"), set()

    @sees_planes
    def judge(planes: Any) -> tuple[Any, Any]:
        kinds.add(type(planes))
        assert planes.dtype == np.float32 and planes.shape[1:] == shape_of(game)
        marks = np.asarray(planes).reshape(len(planes), -1) @ (np.arange(np.prod(planes.shape[1:])) % 7 + 1.0)
        return np.abs(np.cos(np.outer(marks, np.arange(1, 8)))) + 0.1, np.sin(marks)

    cores, card = both(game, evaluator=judge)
    found = cores.run(iterations=20)
    same(found, card.run(iterations=20))
    assert kinds == {np.ndarray, CardArray}
    alone = Search(game, seed=seed_of(3, 1), evaluator=judge, batch=1).run(iterations=20)
    assert {entry.action: entry.visits for entry in alone.actions} == dict(enumerate(found.visits[1].tolist()))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda priors, values: (priors - 5.0, values), "at least 0: give logits through a softmax"),
        (lambda priors, values: (priors * np.nan, values), "at least 0"),
        (lambda priors, values: (priors, values + 3.0), "from -1 to 1; these go from"),
        (lambda priors, values: (priors, values * np.nan), "these go from nan"),
        (lambda priors, values: (priors[:, 0], values), "priors of the shape"),
        (lambda priors, values: (priors, values[1:]), "values of the shape"),
        (lambda priors, values: priors, "returns \\(priors, values\\)"),
    ],
)
@pytest.mark.parametrize("device", [0, 1], ids=["cpu", "cuda"])
def test_wrong_answers_are_told_in_the_same_words(
    wrong: Any, words: str, device: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = both_judged(monkeypatch, lambda states: wrong(*opinion(states)))[device]
    with pytest.raises(PonderosaError, match=words):
        found.run(iterations=20)


@pytest.mark.parametrize("device", [0, 1], ids=["cpu", "cuda"])
def test_a_run_that_is_ended_leaves_no_leaf_waiting(device: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = both_judged(monkeypatch, opinion)[device]
    monkeypatch.setattr(run, "PROGRESS_SECONDS", 0.0)
    calls = iter((True, True, True, False))
    report = found.run(iterations=30, progress=lambda done, todo: next(calls))
    assert report.stopped == "progress" and (report.iterations < 30).all()
    assert report.child_visits.sum(axis=1).tolist() == report.iterations.tolist()
    assert (found.run(iterations=5).child_visits.sum(axis=1) == report.iterations + 5).all()


def test_progress_is_told_between_slices_and_may_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Forest(load_game("tictactoe"), TREES, device="cuda", seed=1, solve=False)
    told: list[int] = []

    def progress(done: int, todo: int) -> bool:
        told.append(done)
        return False

    monkeypatch.setattr(run, "PROGRESS_SECONDS", 0.0)
    report = found.run(iterations=100_000, progress=progress)
    assert report.stopped == "progress" and told == [TREES * 32]
    assert report.iterations.tolist() == [32] * TREES == report.child_visits.sum(axis=1).tolist()


def test_the_next_forest_of_a_game_begins_with_slices_as_large_as_the_last_ones(card: type[StandIn]) -> None:
    game, launched = load_game("tictactoe"), []
    for _ in range(2):
        card.launches.clear()
        found = Forest(game, TREES, device="cuda", solve=False)
        assert isinstance(found._hands, Card)
        found._hands._clock = itertools.count(0, 0.01).__next__
        found.run(iterations=200)
        launched.append(card.launches.count("tend"))
    assert launched == [3, 2]  # of 32, 64 and 104 iterations; of 128 and 72


def test_nothing_is_fetched_between_slices_but_what_is_told(
    monkeypatch: pytest.MonkeyPatch, card: type[StandIn]
) -> None:
    fetched: list[int] = []
    fetch = card.fetch

    def noted(self: StandIn, there: Any, host: Any) -> None:
        fetched.append(len(self.launches))
        fetch(self, there, host)

    monkeypatch.setattr(card, "fetch", noted)
    Forest(load_game("tictactoe"), TREES, device="cuda", solve=False).run(iterations=200)
    tends = [index + 1 for index, name in enumerate(card.launches) if name == "tend"]
    assert len(tends) > 2 and not set(tends[:-1]) & set(fetched) and tends[-1] in fetched


def test_interrupts_leave_what_there_is(monkeypatch: pytest.MonkeyPatch, card: type[StandIn]) -> None:
    found = Forest(load_game("tictactoe"), TREES, device="cuda", seed=1, solve=False)

    def interrupted(self: Any, rows: Any) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr(run.Run, "_seconds_left", interrupted)
    report = found.run(iterations=100_000)
    assert report.stopped == "interrupted" and report.iterations.tolist() == [32] * TREES


def test_more_trees_than_fit_are_searched_in_rounds(monkeypatch: pytest.MonkeyPatch, card: type[StandIn]) -> None:
    cores, on_card = both(load_game("tictactoe"))
    monkeypatch.setattr(card, "bytes", 2 * cores._plan.layout.itemsize * (2 + 50 * 10) * 10 // 8)
    same(cores.run(iterations=50), on_card.run(iterations=50))
    assert card.launches.count("plant") == 3
    with pytest.raises(PonderosaError, match="fit into memory together"):
        on_card.advance(0)


class Widening(Game):
    """One choice at first, and one more every turn; it declares no number of actions."""

    dtype = np.dtype([("turn", "i1"), ("sum", "i2"), ("player", "i1")])

    def setup(self, s: Any) -> None:
        pass

    @rule
    def current_player(s: Any) -> Any:
        return s.player

    @rule
    def legal_actions(s: Any) -> Any:
        for action in range(s.turn + 1):  # noqa: UP028
            yield action

    @rule
    def apply_action(s: Any, a: Any) -> None:
        s.sum += a * (s.turn + 3)
        s.turn += 1
        s.player = 1 - s.player

    @rule
    def is_terminal(s: Any) -> Any:
        return s.turn == 8

    @rule
    def returns(s: Any) -> Any:
        return (1.0, -1.0) if s.sum % 7 < 3 else (-1.0, 1.0)


@pytest.mark.parametrize("nodes_a_tree", [4000, 400])
def test_trees_get_room_as_they_grow_where_all_that_there_might_be_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, card: type[StandIn], nodes_a_tree: int
) -> None:
    cores, on_card = both(Widening(), solve=False)
    enlarged: list[int] = []
    grow = Card.enlarged

    def noted(self: Card, trees: Any, capacity: int) -> Any:
        enlarged.append(capacity)
        return grow(self, trees, capacity)

    monkeypatch.setattr(Card, "enlarged", noted)
    monkeypatch.setattr(card, "bytes", TREES * nodes_a_tree * cores._plan.layout.itemsize * 10 // 8)
    same(cores.run(iterations=150), on_card.run(iterations=150))
    assert enlarged


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


def test_many_trees_of_one_position_are_the_same_on_a_card(card: type[StandIn]) -> None:
    game, found = load_game("connect4"), []
    for device in ("cpu", "cuda"):
        search = Search(game, trees=TREES, device=device, seed=2)
        first = search.run(iterations=300)
        search.advance(first.best_action)
        found.append((first.actions, search.run(iterations=150).actions))
    assert found[0] == found[1] and "gather" in card.launches


def test_leaves_are_judged_by_trees_on_a_card(card: type[StandIn]) -> None:
    game, settings = load_game("connect4"), {"trees": TREES, "parallel": "leaf", "seed": 2}
    found = [Search(game, device=device, **settings).run(iterations=40).actions for device in ("cpu", "cuda")]
    assert found[0] == found[1] and "gather" in card.launches
