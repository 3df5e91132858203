"""Alpha-beta against exhaustive minimax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ponderosa import rule
from ponderosa.alphabeta import alphabeta as ab
from ponderosa.alphabeta.deepening import Deepening
from ponderosa.connect.evaluations import EVALUATIONS, ThreatsConnect, WeighedConnect
from ponderosa.core.budget import Budget
from ponderosa.errors import GameError, SettingError
from ponderosa.games.connect import Connect
from ponderosa.games.connect4 import Connect4
from tests.helpers import Nim, others_slow, random_position, run_python

ENOUGH = Budget(iterations=10**7)


class HashedNim(Nim):
    """Nim with a static value that means nothing: it only has to be backed up rightly."""

    max_game_length = 12

    @rule
    def evaluate(s):
        mixed = 0
        for heap in range(8):
            mixed = (mixed * 31 + s.heaps[heap] * 7) % 101
        value = mixed / 101.0 - 0.5
        return value, -value


class ScoredConnect4(Connect4):
    """Connect Four with a static value that means nothing."""

    name = "scored"

    @rule
    def evaluate(s):
        mixed = 0
        for column in range(s.columns):
            mixed = (mixed * 5 + s.height[column] * (3 + s.player)) % 89
        value = mixed / 89.0 - 0.5
        return value, -value


class ScoredConnect(Connect):
    """A Connect game whose players may move several times in a row, with a static value that means nothing."""

    name = "scored_connect"

    @rule
    def evaluate(s):
        mixed = np.int64(0)
        for line in range(len(s.lines)):
            mixed = (mixed * 7 + s.lines[line]) % 97
        value = mixed / 97.0 - 0.5
        return value, -value


class Points(Nim):
    """Whoever takes the last stone gets as many points as it is worth."""

    min_utility, max_utility = -4.0, 4.0
    max_game_length = 12

    @rule
    def apply_action(s, a):
        s.heaps[a // 100] -= a % 100
        s.player = 1 - s.player
        s.heaps[7] = a % 100 if s.heaps[:7].sum() == 0 else 0

    @rule
    def legal_actions(s):
        for heap in range(7):
            for take in range(1, s.heaps[heap] + 1):
                yield heap * 100 + take

    @rule
    def is_terminal(s):
        return s.heaps[:7].sum() == 0

    @rule
    def returns(s):
        points = float(s.heaps[7])
        return (-points, points) if s.player == 0 else (points, -points)


def minimax(state: Any, depth: int, ply: int = 0) -> int:
    """The value of a state for its mover, as alphabeta.py counts, by looking at everything."""
    player, best, legal = state.current_player(), -ab.INFINITE, state.legal_actions()
    low, high = state.game.min_utility, state.game.max_utility
    for action in legal:
        after = state.child(action)
        left = depth - (len(legal) > 1)
        if after.is_terminal():
            value = ab.final_value((after.returns()[player] - low) / (high - low), ply + 1)
        elif left == 0:
            value = static(after, player)
        else:
            value = minimax(after, left, ply + 1)
            value = value if after.current_player() == player else -value
        best = max(best, value)
    return best


def static(state: Any, player: int) -> int:
    rules = state.game.own_rules()
    if "evaluate" not in rules:
        return 0
    values = [(value + 1.0) * 0.5 for value in rules["evaluate"](state.record)]
    value = int(ab.EVALUATED * (values[state.current_player()] - values[1 - state.current_player()]))
    return value if state.current_player() == player else -value


GAMES = {
    "nim": lambda: HashedNim((2, 3, 1)),
    "points": lambda: Points((2, 1, 2)),
    "connect4": lambda: ScoredConnect4(3, 4, 3),
    "connect": lambda: ScoredConnect(3, 3, 3),
    "three a turn": lambda: ScoredConnect(2, 4, 3, 3, 1),
    "two a turn": lambda: ScoredConnect(3, 3, 3, 2, 1),
    "exact": lambda: ScoredConnect(2, 4, 3, 1, 2, True),
}
made: dict[str, Any] = {}


def game_of(name: str) -> Any:
    return made.setdefault(name, GAMES[name]())


@pytest.mark.parametrize("table", [0, 2, 2**12])
@pytest.mark.parametrize("name", others_slow(GAMES, [name for name in GAMES if name != "connect4"]))
def test_values_are_those_of_exhaustive_minimax(name, table):
    game = game_of(name)

    @settings(max_examples=8)
    @given(st.integers(0, 10**9), st.integers(1, 4), st.integers(2, 8))
    def check(seed, depth, plies):
        state = random_position(game, seed, plies)
        assume(len(state.legal_actions()) < 8)
        search = Deepening(game, depth=depth, table=table)
        report = search.run(state, ENOUGH)
        value = int(search._room.frames[0]["best"])
        assert value == minimax(state, report.depth)
        after = state.child(report.best_action)
        if report.stopped == "depth":
            assert report.depth == min(depth, game.max_game_length)
        if not after.is_terminal() and len(state.legal_actions()) > 1 and report.depth > 1:
            reply = minimax(after, report.depth - 1, 1)
            assert value == (reply if after.current_player() == state.current_player() else -reply)

    check()


@pytest.mark.parametrize("table", [0, 2**12])
def test_as_many_of_the_best_moves_as_one_asks_for_have_exact_values(table):
    game = game_of("nim")

    @settings(max_examples=20)
    @given(st.integers(0, 10**9), st.integers(2, 4), st.integers(1, 7))
    def check(seed, depth, lines):
        state = random_position(game, seed, 2)
        legal = state.legal_actions()
        assume(len(legal) > 1)
        search = Deepening(game, depth=depth, table=table, lines=lines)
        report = search.run(state, ENOUGH)
        exact = {
            action: ab.final_value(0.5 + 0.5 * after.returns()[state.current_player()], 1)
            if after.is_terminal()
            else -minimax(after, report.depth - 1, 1)
            for action in legal
            for after in [state.child(action)]
        }
        found = [search._found[entry.action][0] for entry in report.actions]
        if report.stopped == "depth":
            assert found[:lines] == sorted(exact.values(), reverse=True)[:lines]
        assert all(exact[entry.action] <= value for entry, value in zip(report.actions, found, strict=True))

    check()


class NoisyNim(HashedNim):
    """Nim in which it means nothing which moves are noisy, and when something must be done at once."""

    name = "noisy_nim"

    @rule
    def noisy(s, actions):
        stones, count, pressed = 0, 0, s.heaps[0] == 1
        for heap in range(8):
            stones += s.heaps[heap]
            for take in range(1, s.heaps[heap] + 1):
                if pressed or (heap + take + stones) % 3 == 0:
                    actions[count] = heap * 100 + take
                    count += 1
        return -count if pressed else count


def quiescent(state: Any, left: int, noisy: int, ply: int = 0) -> int:
    """The value of a state for its mover when noisy moves are followed beyond the horizon."""
    player, best, moves, all_of_them = state.current_player(), -ab.INFINITE, state.legal_actions(), True
    if left <= 0:
        found = np.zeros(100, np.int32)
        count = int(state.game.own_rules()["noisy"](state.record, found)) if -left < noisy else 0
        moves, all_of_them = found[: abs(count)].tolist(), count < 0
        best = -ab.INFINITE if all_of_them else static(state, player)
    for action in moves:
        after = state.child(action)
        if after.is_terminal():
            value = ab.final_value((after.returns()[player] + 1.0) / 2.0, ply + 1)
        else:
            value = -quiescent(after, left - (len(moves) > 1 or not all_of_them), noisy, ply + 1)
        best = max(best, value)
    return best


@pytest.mark.parametrize("noisy", [0, 1, 5])
def test_noisy_moves_are_followed_beyond_the_depth(noisy):
    game = NoisyNim((1, 3, 2))

    @settings(max_examples=20)
    @given(st.integers(0, 10**9), st.integers(1, 3), st.integers(0, 2))
    def check(seed, depth, plies):
        state = random_position(game, seed, plies)
        search = Deepening(game, depth=depth, table=0, noisy=noisy)
        report = search.run(state, ENOUGH)
        assert int(search._room.frames[0]["best"]) == quiescent(state, report.depth, noisy)

    check()


def test_a_table_changes_no_result_of_noisy_moves_but_what_is_seen_deeper():
    game = NoisyNim((3, 4, 5))
    for table in (0, 2**12):
        assert Deepening(game, table=table).run(game.new_initial_state(), ENOUGH).proven == "win"


@pytest.mark.parametrize("kind", [ThreatsConnect, pytest.param(WeighedConnect, marks=pytest.mark.slow)])
@pytest.mark.parametrize("board", [(3, 3, 3), (3, 3, 3, 2, 2), (2, 4, 3, 1, 1, True)])
def test_a_weighed_twin_finds_the_same_results_as_the_plain_game(board, kind):
    plain, twin = Connect(*board), kind(*board)
    search = Deepening(twin, table=2**12)

    @settings(max_examples=12)
    @given(st.integers(0, 10**9), st.integers(2, 9))
    def check(seed, plies):
        state = random_position(plain, seed, plies)
        assume(len(state.legal_actions()) < 7)
        known = twin.state_after(state.history())
        if known.is_terminal():
            assert minimax(state, 20) == 0
            return
        report = search.run(known, ENOUGH)
        expected = minimax(state, 20)
        assert report.proven == ("win" if expected > 0 else "loss" if expected < 0 else "draw") or (
            report.stopped == "forced"
        )
        if report.proven in ("win", "loss"):
            assert search._room.frames[0]["best"] == expected

    check()


def test_a_faster_win_comes_first_and_a_slower_loss():
    assert ab.final_value(1.0, 3) > ab.final_value(1.0, 5) > ab.PROVEN > ab.PROVEN - ab.DOUBT > ab.EVALUATED
    assert ab.final_value(0.0, 5) > ab.final_value(0.0, 3)
    assert ab.final_value(0.0, 5) < -ab.PROVEN
    assert ab.final_value(0.75, 1) < ab.final_value(1.0, 4000) < ab.INFINITE
    assert ab.final_value(0.5, 7) == 0


@pytest.mark.slow
def test_a_win_is_only_believed_when_replies_were_left_out():
    game = ThreatsConnect(5, 6, 4)
    state = game.state_after([14, 0, 15, 5])
    narrow = Deepening(game, depth=5, branch=4).run(state, ENOUGH)
    assert narrow.value == 0.999 or narrow.proven == "win"
    assert Deepening(game, depth=5).run(state, ENOUGH).proven == "win"


def test_the_branch_limit_keeps_the_most_promising_moves():
    actions, weights = np.arange(6, dtype=np.int32), np.array([3.0, 9.0, 1.0, 9.0, 4.0, 5.0])
    ab.keep_best(actions, weights, 6, 4)
    assert actions[:4].tolist() == [1, 3, 5, 4]
    ab.bring_forward(actions, 4, 5)
    assert actions[:4].tolist() == [5, 1, 3, 4]
    ab.bring_forward(actions, 4, 77)
    assert actions[:4].tolist() == [5, 1, 3, 4]


def test_slices_of_any_size_give_the_same_answer():
    game = game_of("connect")
    state = game.new_initial_state()
    whole = Deepening(game, depth=6).run(state, ENOUGH)
    sliced = Deepening(game, depth=6)
    sliced._most = lambda size, budget: 1
    again = sliced.run(state, ENOUGH)
    assert (again.best_action, again.value, again.iterations) == (whole.best_action, whole.value, whole.iterations)
    assert [entry.visits for entry in again.actions] == [entry.visits for entry in whole.actions]


def test_positions_are_counted_exactly():
    game = game_of("connect")
    for most in (1, 2, 50, 777):
        report = Deepening(game).run(game.new_initial_state(), Budget(iterations=most))
        assert report.iterations == max(most, 2)  # at least one move is looked at
        assert report.stopped == "iterations"


WEIGHED = {name: kind(5, 6, 4, p) for p, (name, kind) in enumerate(EVALUATIONS.items(), 1)}


def found_in(*names: str) -> list[Any]:
    """What a narrow search of each game finds, with a table and without."""
    found = []
    for game in [WEIGHED.get(name) or game_of(name) for name in names]:
        for table in (0, 512):
            search = Deepening(game, depth=3, branch=5, table=table)
            report = search.run(random_position(game, 3, 4), Budget(iterations=400))
            found.append([report.best_action, report.value, report.iterations, report.proven, list(report.pv)])
    return found


@pytest.mark.parametrize(
    "names", [("nim", "connect", "two a turn"), pytest.param(("connect4", *WEIGHED), marks=pytest.mark.slow)]
)
def test_compiled_and_plain_agree(names):
    code = f"""
        import json
        from tests.alphabeta.test_alphabeta import found_in
        print(json.dumps(found_in(*{names!r})))
    """
    assert run_python(code, NUMBA_DISABLE_JIT="1") == found_in(*names)


def test_a_game_that_is_not_zero_sum_is_refused():
    class Friendly(HashedNim):
        @rule
        def returns(s):
            return 1.0, 1.0

    with pytest.raises(GameError, match="not zero-sum"):
        Deepening(Friendly((1, 1))).run(Friendly((1, 1)).new_initial_state(), ENOUGH)


def test_a_game_that_is_over_is_refused():
    game = game_of("nim")
    state = game.new_initial_state()
    for action in (2, 103, 201):
        state.apply_action(action)
    with pytest.raises(GameError, match="the game is over"):
        Deepening(game).run(state, ENOUGH)


@pytest.mark.parametrize(
    "settings",
    [
        {"lines": 0},
        {"depth": 0},
        {"depth": 2.5},
        {"depth": True},
        {"branch": 0},
        {"branch": "x"},
        {"table": -1},
        {"clock": 3},
    ],
)
def test_settings_that_cannot_be(settings):
    with pytest.raises(SettingError, match=next(iter(settings))):
        Deepening(game_of("nim"), **settings)
