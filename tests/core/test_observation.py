"""What a network sees of a state is the same for every state that is, at both speeds, for one tree or for many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ponderosa import Forest, Game, PonderosaError, load_game, rule
from ponderosa.core import fields_seen
from ponderosa.core.observation import cube_of, observed, shape_of
from ponderosa.mcts.tree.storage import rules_fingerprint
from tests.helpers import EVERY_GAME, Nim, PlainNim, in_python, loaded, plain, random_game, random_position, specs

SEEN = [spec for spec in EVERY_GAME.values() if not loaded(spec).viewed]
"""Games in which all see everything."""


def records_of(states: list[Any]) -> Any:
    """States of a game as an array of records."""
    return np.array([state.data for state in states]).view(states[0].game.dtype).reshape(-1)


@pytest.mark.parametrize("spec", [spec for spec in specs() if spec.values[0] in SEEN])
def test_machine_code_sees_what_python_sees(spec: str) -> None:
    game = loaded(spec)
    records = records_of(random_game(game, seed=1)[:60])
    seen = observed(game, records)
    assert seen.shape == (len(records), *shape_of(game)) and seen.dtype == np.float32
    assert np.isfinite(seen).all() and seen.any()
    assert np.array_equal(seen, observed(in_python(spec), records))


class Judge:
    """An evaluator that wants planes."""

    sees = "planes"

    def __call__(self, states: Any) -> Any:
        return None, np.zeros(len(states))


@pytest.mark.slow
def test_a_forest_fills_in_what_is_seen_of_its_roots() -> None:
    game = loaded("tictactoe")
    states = random_game(game, seed=1)[:5]
    forest = Forest(game, trees=len(states), evaluator=Judge())
    forest.begin(
        np.array([state.data for state in states]), np.ones((len(states), 1), np.uint64), capacity=50
    )  # plants, and searches nothing
    rows: Any = forest._rows
    rows.planes[:] = 7.0
    forest._do("observe", rows)
    assert np.array_equal(rows.planes.reshape(len(states), *shape_of(game)), observed(game, records_of(states)))


@pytest.mark.parametrize("spec", ["connect:m=4,n=3,k=3,p=1,q=1", "connect4:rows=4,cols=3,k=3"])
def test_stones_of_the_player_to_move_come_first(spec: str) -> None:
    state = random_position(in_python(spec), 2, plies=3)
    seen = observed(state.game, records_of([state]))[0]
    drawn = state.game.cells(state.record)[::-1]  # people see the first row below
    assert [[cell == "O" for cell in row] for row in drawn] == (seen[:, :, 0] == 1).tolist()
    assert [[cell == "X" for cell in row] for row in drawn] == (seen[:, :, 1] == 1).tolist()


def reached(game: Game) -> dict[Any, Any]:
    """Every state of a small game that is not over, by what tells it from others."""
    known: dict[Any, Any] = {}
    waiting: list[Any] = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if not state.is_terminal() and state._identity() not in known:
            known[state._identity()] = state
            waiting += [state.child(action) for action in state.legal_actions()]
    return known


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", ["connect:m=2,n=3,k=3,p=1,q=1", "connect:m=2,n=3,k=2,p=2,q=1", "connect4:rows=3,cols=3,k=3"]
)
def test_different_positions_look_different(spec: str) -> None:
    states = list(reached(in_python(spec)).values())
    seen = observed(loaded(spec), records_of(states))
    assert len({each.tobytes() for each in seen}) == len(states) > 20


@pytest.mark.slow
def test_without_a_rule_every_field_is_seen_and_who_is_to_move() -> None:
    game = Nim((1, 2))
    states = list(reached(game).values())
    seen = observed(game, records_of(states))
    assert shape_of(game) == (2 + 9 * (1 + fields_seen.LOW_BITS),)
    assert len({each.tobytes() for each in seen}) == len(states)
    for state, row in zip(states, seen, strict=True):
        assert row[:2].tolist() == [state.current_player() == 0, state.current_player() == 1]
        size, *bits = row[2 + 9 : 2 + 2 * 9]  # of the second heap
        assert np.expm1(size) == pytest.approx(state.record.heaps[1])
        assert sum(int(bit) << place for place, bit in enumerate(bits)) == state.record.heaps[1]


KINDS = np.dtype(
    [("floats", "f8", 2), ("word", "u8"), ("small", "u1", (2, 2)), ("yes", "?"), ("left", "i8"), ("fast", "i4", 50)]
)


class Kinds(Nim):
    """Nim with fields of every kind."""

    dtype = np.dtype([*Nim.dtype.descr, *KINDS.descr])
    scratch = ("fast",)

    def setup(self, s: Any) -> None:
        super().setup(s)
        s.floats[:] = np.nan, -np.inf
        s.word, s.left, s.yes, s.small[0, 1], s.fast[3] = 2**63 + 5, -3, True, 255, 9


@pytest.mark.parametrize("game", [Kinds(), plain(Kinds())], ids=["compiled", "plain"])
def test_fields_of_every_kind_are_seen_as_finite_numbers(game: Game) -> None:
    row = observed(game, records_of([game.new_initial_state()]))[0, 2 + 9 * (1 + fields_seen.LOW_BITS) :]
    assert len(row) == 2 + 64 + 4 * 8 + 1 + 65 and np.isfinite(row).all()
    floats, word, small, yes, left = np.split(row, [2, 66, 98, 99])
    assert floats[0] == 0.0 and floats[1] < -60.0
    assert np.flatnonzero(word).tolist() == [0, 2, 63]
    assert np.flatnonzero(small).tolist() == list(range(8, 16))
    assert yes[0] == 1.0 and left[0] == pytest.approx(-np.log(4))
    assert np.flatnonzero(left[1:] == 0).tolist() == [1]  # -3 is ...101


def test_records_side_by_side_are_seen_as_alone_whatever_was_in_the_array() -> None:
    game = loaded("connect4")
    records = records_of(random_game(game, seed=2))
    planes = np.full(cube_of(game), 5.0, np.float32)
    for record, row in zip(records, observed(game, records), strict=True):
        game.rules.observe(np.frombuffer(record.tobytes(), np.uint8).copy(), planes)
        assert np.array_equal(planes, row)


def test_what_cannot_be_seen_is_refused_in_words() -> None:
    with pytest.raises(PonderosaError, match="hidden things or choices at once"):
        shape_of(load_game("kuhn_poker"))
    with pytest.raises(PonderosaError, match="dtype of connect4"):
        observed(loaded("connect4"), np.zeros(3))
    with pytest.raises(PonderosaError, match="a Game with a dtype"):
        shape_of(PlainNim())


class Shapeless(Nim):
    @rule
    def observe(s, planes):
        planes[0] = 1.0


def test_a_rule_needs_a_shape_and_a_shape_a_rule() -> None:
    game = Shapeless()
    with pytest.raises(PonderosaError, match="must declare observation_shape"):
        game.new_initial_state().legal_actions()
    for shape in ((3, 3), (0,), [4], (2.0,)):
        game.observation_shape = shape  # type: ignore[assignment]
        with pytest.raises(PonderosaError, match="must declare observation_shape"):
            game.rules_at("plain")
    silent = Nim()
    silent.observation_shape = (4,)
    with pytest.raises(PonderosaError, match="no rule 'observe'"):
        silent.rules_at("plain")


def test_a_rule_observe_is_no_part_of_what_saved_trees_are_bound_to() -> None:
    assert rules_fingerprint(Shapeless()) == rules_fingerprint(Nim())
