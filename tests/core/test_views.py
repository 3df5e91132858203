"""What a player is shown holds nothing that is hidden, in no form and in no corner of it, in every game.

Start at test_what_is_hidden_changes_nothing_that_a_player_is_shown.
"""

from __future__ import annotations

import gc
import random
import types
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import Game
from tests.helpers import EVERY_GAME, in_python, plain, random_game
from tests.small_games import BlindRow, HighCard

SEEDS = st.integers(0, 10**6)


class PlainHighCard(HighCard):
    """The same game with states of Python objects: a list of cards, a list of bets."""

    dtype = None

    def setup(self, s: Any) -> None:
        s.card, s.bet, s.step = [-1, -1], [0, 0], 0


VIEWED = [in_python(spec) for spec in EVERY_GAME.values() if in_python(spec).viewed]
HIDDEN: list[Any] = [game for game in VIEWED if game.hidden] + [plain(HighCard()), plain(BlindRow()), PlainHighCard()]
AT_ONCE = [game for game in VIEWED if game.simultaneous]


def named(game: Game) -> str:
    return type(game).__name__


def everything_told(seen: Any) -> dict[str, Any]:
    """All that can be asked of what a player is shown."""
    game = seen.game
    return {
        "bytes": seen.data.tobytes() if game.dtype is not None else vars(seen.record),
        "text": (str(seen), repr(seen), game.cells(seen.record), game.cell_actions(seen.record)),
        "picture": game.picture(seen.record),
        "won": game.winning_cells(seen.record),
        "turn": (seen.current_player(), seen.to_move(), seen.chosen(), seen.is_terminal(), seen.viewer),
        "history": seen.history(),
        "legal": [seen.legal_actions(), *(seen.legal_actions(player) for player in range(game.players))],
        "names": [seen.action_to_string(action) for action in seen.legal_actions()],
        "chance": seen.chance_outcomes(),
        "returns": seen.returns(),
        "hash": hash(seen),
    }


@pytest.mark.slow
@pytest.mark.parametrize("game", HIDDEN, ids=named)
@given(seed=SEEDS)
def test_what_is_hidden_changes_nothing_that_a_player_is_shown(game, seed):
    draw = random.Random(seed)
    for state in random_game(game, seed):
        for player in range(game.players):
            other = state.resample_from_infostate(player, draw.randrange(2**32))
            seen, same = state.observation(player), other.observation(player)
            assert everything_told(seen) == everything_told(same)
            assert seen == same
            if game.dtype is not None:
                views = [game.rules.look(one.data, player, np.zeros_like(one.data)) for one in (state, other, seen)]
                assert len(set(views)) == 1


@pytest.mark.parametrize("game", HIDDEN, ids=named)
def test_something_is_hidden_from_every_player(game):
    for player in range(game.players):
        states = [state for seed in range(10) for state in random_game(game, seed)]
        drawn = [state.resample_from_infostate(player, number) for number, state in enumerate(states)]
        assert sum(one != other for one, other in zip(states, drawn, strict=True)) > len(states) // 10


@pytest.mark.parametrize("game", AT_ONCE, ids=named)
@given(seed=SEEDS)
@settings(max_examples=5)
def test_what_others_have_chosen_changes_nothing_that_a_player_is_shown(game, seed):
    states = [state for state in random_game(game, seed) if state.is_simultaneous_node() and not state.chosen()]
    state, draw = random.Random(seed).choice(states), random.Random(seed)
    before = [everything_told(state.observation(player)) for player in range(game.players)]
    for _ in range(game.players - 1):
        state = state.child(draw.choice(state.legal_actions()))
        assert state.chosen() > 0
        assert [everything_told(state.observation(player)) for player in range(game.players)] == before


@pytest.mark.parametrize("game", HIDDEN + AT_ONCE, ids=named)
@given(seed=SEEDS)
@settings(max_examples=5)
def test_the_whole_state_is_in_no_corner_of_what_a_player_is_shown(game, seed):
    for state in random_game(game, seed):
        for player in range(game.players):
            seen = state.observation(player)
            assert not shared(seen, state)
            if game.dtype is not None and seen.data.tobytes() != state.data.tobytes():
                assert not holders(seen, state.data.tobytes())


@pytest.mark.parametrize("game", HIDDEN, ids=named)
def test_what_is_kept_of_a_state_is_found_in_every_corner(game):
    """The walk of the test above sees what it should."""
    state = random_game(game, seed=3)[-2]
    for keep in (lambda: state, lambda: [{"a": (state,)}], lambda: state._history, lambda: lambda: state):
        seen = state.observation(0)
        seen.corner = keep()
        assert shared(seen, state)
    if game.dtype is not None:
        whole = np.concatenate([state.data, state.data])
        for keep in (whole[:8], state.data.tobytes(), memoryview(whole)[:4], bytearray(whole)):
            seen = state.observation(0)
            seen.corner = keep
            assert holders(seen, state.data.tobytes())


def shared(seen: Any, state: Any) -> list[Any]:
    """The objects that can change and can be reached from both."""
    mine, theirs = reachable(seen), reachable(state)
    fixed = int | float | str | bytes | tuple | types.NoneType
    return [mine[key] for key in mine.keys() & theirs.keys() if not isinstance(mine[key], fixed)]


def holders(seen: Any, whole: bytes) -> list[Any]:
    """The pieces of memory that can be reached and hold these bytes."""
    memory = (bytes, bytearray, memoryview, np.ndarray, str)
    return [one for one in reachable(seen).values() if isinstance(one, memory) and whole in as_bytes(one)]


def as_bytes(one: Any) -> bytes:
    return one.encode() if isinstance(one, str) else one.tobytes() if hasattr(one, "tobytes") else bytes(one)


def reachable(root: Any) -> dict[int, Any]:
    """Every object that can be reached from one, but for the game, code, and what code keeps."""
    found: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if id(one) in found or isinstance(one, Game | type | types.ModuleType | types.BuiltinFunctionType | np.dtype):
            continue
        if isinstance(one, dict) and one and all(isinstance(value, types.FunctionType) for value in one.values()):
            continue  # the rules of a game by name
        if isinstance(one, types.FunctionType):
            waiting.extend(cell.cell_contents for cell in one.__closure__ or ())
            continue
        found[id(one)] = one
        waiting.extend(gc.get_referents(one))
        waiting.extend(getattr(one, name, None) for name in ("base", "obj"))  # what arrays and memory views look at
    return found
