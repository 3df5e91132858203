"""How games are played to their end."""

from __future__ import annotations

import numpy as np
import pytest

import ponderosa
from ponderosa import Game, Search, rule
from ponderosa.core.rng import new_rng
from ponderosa.errors import SettingError
from ponderosa.mcts.engines.phases import playout_params
from ponderosa.mcts.loops.endings import bound_to
from ponderosa.mcts.policies.playout.learned import mast
from ponderosa.mcts.policies.playout.playouts import decisive, informed, majority, random, several
from ponderosa.policies import PlayoutPolicy
from tests.helpers import EXAMPLES, examples, loaded, position, run_python, visits
from tests.plain_python import plain_and_compiled  # noqa: F401


class Walk(Game):
    """One step at a time to +5 or -5; `evaluate` says how far player 0 is, `playout_action` always goes up."""

    dtype = np.dtype([("place", "i1"), ("player", "i1")])

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        yield 0
        yield 1

    @rule
    def apply_action(s, a):
        s.place += 2 * a - 1
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return abs(s.place) == 5

    @rule
    def returns(s):
        return (1.0, -1.0) if s.place > 0 else (-1.0, 1.0)

    @rule
    def evaluate(s):
        return s.place / 5, -s.place / 5

    @rule
    def playout_action(s, rng):
        return 1


def play_out(game, policy, state=None, seed: int = 0) -> tuple[int, list[float], np.ndarray]:
    """One playout as plain Python: its length, the players' results, and where it ended."""
    state = (state or game.new_initial_state()).data.copy()
    spare, values = np.zeros((3, len(state)), np.uint8), np.zeros(game.players)
    params = playout_params(policy, game.longest)
    play = bound_to(game.build_rules(compiled=False), policy.function)
    plies = play(state, spare, np.zeros(game.max_actions, np.int32), params, new_rng(seed), values)
    return plies, values.tolist(), state


@pytest.mark.parametrize("name", examples())
@pytest.mark.parametrize("policy", [random(), informed(), decisive()], ids=lambda policy: policy.name)
def test_a_playout_ends_with_the_result_of_a_finished_game(name, policy):
    game = loaded(EXAMPLES[name])
    for seed in range(2):
        plies, values, state = play_out(game, policy, seed=seed)
        assert game.rules.is_terminal(state)
        assert 1 <= plies <= (game.max_game_length or plies)
        expected = np.zeros(game.players)
        game.rules.scores(state, expected)
        assert values == expected.tolist()


@pytest.mark.parametrize("length", [0, 1, 3])
def test_max_length_cuts_off_with_a_draw(length):
    assert play_out(Walk(), random(max_length=length))[:2] == (length, [0.5, 0.5])


@pytest.mark.parametrize("length", [0, 1, 3])
def test_a_cut_off_game_may_be_evaluated(length):
    plies, values, state = play_out(Walk(), random(max_length=length, at_cutoff="evaluate"), seed=5)
    place = int(state.view(Walk.dtype)[0]["place"])
    assert plies == length
    assert values == pytest.approx([0.5 + place / 10, 0.5 - place / 10])


def test_informed_plays_the_games_own_moves():
    assert play_out(Walk(), informed())[:2] == (5, [1.0, 0.0])
    assert play_out(Walk(), informed(max_length=2, at_cutoff="evaluate"))[:2] == (2, pytest.approx([0.7, 0.3]))


@pytest.mark.parametrize("rollouts", [2, 5])
def test_rollouts_are_averaged_from_the_same_position(rollouts):
    plies, values, _ = play_out(Walk(), informed(rollouts))
    assert (plies, values) == (5, [1.0, 0.0])
    _, values, _ = play_out(Walk(), random(rollouts), seed=2)
    assert sum(values) == 1.0
    assert values[0] * rollouts == int(values[0] * rollouts)
    report = Search(Walk(), playout=random(rollouts), seed=1).run(iterations=1)
    assert report.value * rollouts == int(report.value * rollouts)


def test_the_search_counts_an_iteration_with_many_rollouts_once():
    assert Search(loaded("connect4"), playout=random(rollouts=7)).run(iterations=10).iterations == 10


def test_a_policy_that_needs_a_rule_says_so():
    with pytest.raises(SettingError, match=r"random\(.*\) needs a game with the rule 'evaluate'"):
        Search(loaded("tictactoe"), playout=random(max_length=3, at_cutoff="evaluate"))


@pytest.mark.parametrize("moves", ["1 2 1 2 1 2", "4 3 4 2 4 3"])
def test_decisive_takes_the_win(moves):
    for seed in range(10):
        plies, values, _ = play_out(loaded("connect4"), decisive(), position(loaded("connect4"), moves), seed)
        assert (plies, values) == (1, [1.0, 0.0])


def test_decisive_stops_the_opponents_win():
    """X has three in the first column and O is to move: no playout ends with X there.

    . . . . . . .
    . . . . . . .
    . . . . . . .
    X . . . . . .
    X O . . . . .
    X O . . . . .
    1 2 3 4 5 6 7
    """
    game = loaded("connect4")
    state = position(game, "1 2 1 2 1")
    for seed in range(20):
        _, _, end = play_out(game, decisive(), state, seed)
        board = game.cells(type(state)(game, end, []).record)
        assert board[2][0] == "O"


def test_decisive_finds_wins_without_the_games_help():
    """Walk has no rule winning_action: from +4 the player to move steps to the end, from -4 only player 1 does."""
    game = Walk()
    for place, player, result in [(4, 0, [1.0, 0.0]), (-4, 1, [0.0, 1.0])]:
        state = game.new_initial_state()
        state.record.place, state.record.player = place, player
        assert play_out(game, decisive(), state)[:2] == (1, result)


def test_random_playouts_differ_and_depend_on_the_seed_alone():
    ends = [play_out(loaded("connect4"), random(), seed=seed)[2].tobytes() for seed in (1, 1, 2, 3)]
    assert ends[0] == ends[1]
    assert len(set(ends)) == 3


def test_a_playout_of_ones_own_is_used():
    def coin(game, state, spare, actions, params, rng, values):
        values[:] = 0.25
        return 0

    report = ponderosa.search(loaded("connect4").new_initial_state(), iterations=50, playout=coin, solve=False)
    assert all(entry.value == 0.25 for entry in report.actions)


def test_playouts_from_several_moves_begin_with_different_ones():
    """Every move of tic-tac-toe wins for one player by decree; two of each, whatever is drawn."""
    rules, drawn = loaded("tictactoe").rules, []

    def first_move(game, state, spare, actions, params, rng, values):
        count = game.legal_actions(state, actions)
        drawn.append(({*range(9)} - {int(action) for action in actions[:count]}).pop())
        values[:] = (1.0, 0.0) if drawn[-1] % 2 else (0.0, 1.0)
        return 0

    for leaves, expected in ((1, 1), (4, 4), (20, 9)):
        drawn.clear()
        policy, state = (
            several(leaves, PlayoutPolicy(first_move)),
            loaded("tictactoe").new_initial_state(),
        )
        spare, values = [state.data.copy() for _ in range(3)], np.zeros(2)
        play = policy.function
        plies = play(rules, state.data, spare, np.zeros(9, np.int32), np.array(policy.params), new_rng(leaves), values)
        assert (plies, len(drawn), len(set(drawn))) == (1, expected, expected)
        assert values[0] == pytest.approx(np.mean([move % 2 for move in drawn]))


def test_playouts_of_several_games_are_not_put_into_each_other():
    for outer in (several, majority):
        for inner in ("several", "majority", "epsilon:one=majority"):
            with pytest.raises(SettingError, match=f"{outer.__name__} is for a policy of one rollout"):
                outer(2, inner)


def test_a_majority_of_one_move_proves_nothing():
    """The second of two moves ends the game with less than a win: most of its games are no proof of one."""

    class Short(Game):
        dtype = np.dtype([("moves", "i1")])
        max_game_length = 2

        def setup(self, s):
            s.moves = 0

        @rule
        def current_player(s):
            return s.moves

        @rule
        def legal_actions(s):
            yield 0
            yield 1

        @rule
        def apply_action(s, a):
            s.moves += 1

        @rule
        def is_terminal(s):
            return s.moves == 2

        @rule
        def returns(s):
            return (-0.5, 0.5)

    report = Search(Short(), playout="majority").run(iterations=50)
    assert report.proven is None and 0.2 < report.value <= 0.25


def test_several_is_for_playouts_that_neither_learn_nor_are_several():
    with pytest.raises(SettingError, match="does not learn"):
        several(2, mast())
    with pytest.raises(SettingError, match="one rollout"):
        several(2, random(rollouts=3))


def decreed(results):
    """A playout policy whose games end with these results of player 0, one after the other, after two plies."""
    coming = iter(results)

    def play(game, state, spare, actions, params, rng, values):
        values[0] = next(coming)
        values[1] = 1.0 - values[0]
        return 2

    return PlayoutPolicy(play)


@pytest.mark.parametrize(
    ("results", "winner"),
    [
        ([1], 1.0),
        ([0], 0.0),
        ([0.5], 0.5),
        ([1, 0, 1], 1.0),
        ([0, 1, 0], 0.0),
        ([1, 0, 0, 1], 0.5),  # as many each: nobody has won
        ([1, 0.5, 0.5, 0.5, 0.5], 1.0),
        ([1, 0, 0.5], 0.5),
        ([1, 1, 0, 0, 0], 0.0),
    ],
)
def test_most_of_the_playouts_decide_who_has_won(results, winner):
    plies, values, _ = play_out(Walk(), majority(len(results), decreed(results)))
    assert (plies, values) == (2, [winner, 1.0 - winner])


@pytest.mark.slow
@pytest.mark.parametrize("rollouts", [1, 3, 5])
def test_a_majority_is_that_of_the_games_whose_mean_would_be_backed_up(rollouts):
    game = loaded("connect4")
    for seed in range(30):
        _, mean, _ = play_out(game, random(rollouts), seed=seed)
        _, values, _ = play_out(game, majority(rollouts), seed=seed)
        assert values == ([0.5, 0.5] if mean[0] == mean[1] else [float(mean[0] > 0.5), float(mean[1] > 0.5)])


def test_three_players_share_a_tie():
    results = iter([(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)])

    def play(game, state, spare, actions, params, rng, values):
        values[:] = next(results)
        return 1

    game, params, values = loaded("tictactoe").rules, np.array([2.0]), np.zeros(3)
    spare = [loaded("tictactoe").new_initial_state().data for _ in range(4)]
    majority(2, PlayoutPolicy(play)).function(game, spare[3], spare, None, params, None, values)
    assert values.tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize("moves", ["1 2 1 2 1 2", "4 3 4 2 4 3"])
def test_a_win_at_once_is_the_result_where_it_comes_first(moves):
    game = loaded("connect4")
    for seed in range(10):
        plies, values, state = play_out(game, majority(3, win_first=True), position(game, moves), seed)
        assert (plies, values) == (1, [1.0, 0.0]) and game.rules.is_terminal(state)
    lost = [play_out(game, majority(3), position(game, moves), seed)[1] for seed in range(30)]
    assert [0.0, 1.0] in lost  # nobody looks


def test_where_nobody_wins_at_once_win_first_changes_nothing():
    game = loaded("connect4")
    for seed in range(10):
        looking, blind = (play_out(game, majority(3, win_first=first), seed=seed)[:2] for first in (True, False))
        assert looking == blind


def test_a_majority_of_quick_games_is_no_proof():
    """Three games of two plies are won, two of one ply lost: their mean length, cut off, would be one."""
    lengths = iter([2, 2, 2, 1, 1])

    def play(game, state, spare, actions, params, rng, values):
        plies = next(lengths)
        values[:] = (1.0, 0.0) if plies == 2 else (0.0, 1.0)
        return plies

    assert play_out(Walk(), majority(5, PlayoutPolicy(play)))[:2] == (2, [1.0, 0.0])


def majority_visits():
    game = loaded("connect4")
    options = {"playout": majority(4, win_first=True), "choose": "decisive", "expand": "all", "solve": False}
    reports = [
        Search(game, seed=1, **options).run(position(game, moves), iterations=150) for moves in ("4", "4 3 4 2 4")
    ]
    return [[*visits(report).values(), report.value, report.best_name] for report in reports]


@pytest.mark.slow
def test_majorities_are_the_same_in_plain_python():
    code = (
        "import json; from tests.mcts.policies.test_playout import majority_visits as found; print(json.dumps(found()))"
    )
    assert run_python(code, NUMBA_DISABLE_JIT="1") == majority_visits()


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: majority(0), "rollouts must be a whole number from 1 to 10000"),
        (lambda: majority(2, mast()), "does not learn"),
        (lambda: majority(2, random(rollouts=3)), "one rollout"),
        (lambda: majority(2, win_first=1), "win_first must be True or False"),
    ],
)
def test_a_majority_that_cannot_be_is_refused(made, words):
    with pytest.raises(SettingError, match=words):
        made()
