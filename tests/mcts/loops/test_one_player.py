"""One player: the best line is kept, and can be played to its end."""

from __future__ import annotations

import functools

import pytest

from ponderosa import PonderosaError, Search
from ponderosa.mcts.policies.playout.playouts import epsilon, majority, random, several
from tests.games.test_samegame import blocks, without
from tests.helpers import first_decision, loaded


def replayed(game, report):
    """The score of a game in which the report's best line is played."""
    state = game.new_initial_state()
    for name in report.best_line:
        state.apply_action(game.parse_action(name, state))
    assert state.is_terminal()
    return state.returns()[0]


@pytest.mark.parametrize(
    "options", [{}, {"select": "ucb1"}, {"playout": "informed"}, {"playout": "decisive"}, {"restarts": 3}]
)
@pytest.mark.parametrize("seed", range(3))
def test_the_best_line_brings_the_best_score(options, seed):
    game = loaded("samegame:rows=6,columns=6,seed=4")
    report = Search(game, seed=seed, **options).run(iterations=500)
    assert replayed(game, report) == report.best_score
    assert report.best_name == report.best_line[0]


@pytest.mark.parametrize(
    "playout",
    [random(rollouts=2), several(2), majority(2), epsilon(0.5, several(2), "random")],
    ids=lambda policy: str(policy),
)
def test_one_result_of_several_games_has_no_line_and_is_refused(playout):
    with pytest.raises(PonderosaError, match="the best line of one player is one game"):
        Search(loaded("samegame:rows=6,columns=6,seed=4"), playout=playout)


def test_following_the_best_line_never_loses_it():
    game = loaded("samegame:rows=6,columns=6,seed=9")
    search, state = Search(game, seed=1), game.new_initial_state()
    best = 0.0
    while not state.is_terminal():
        report = search.run(state, iterations=200)
        assert report.best_score >= best
        best = report.best_score
        search.advance(report.best_action)
        state.apply_action(report.best_action)
    assert state.returns()[0] == best


def test_restarts_share_the_iterations_and_keep_the_best_of_all():
    game = loaded("samegame:rows=6,columns=6,seed=4")
    report = Search(game, restarts=4, seed=3).run(iterations=1003)
    assert report.iterations == 1003
    assert report.best_score == replayed(game, report)


def test_a_game_of_dice_has_a_best_line_too():
    game = loaded("2048:size=3")
    state = first_decision(game)
    report = Search(game).run(state, iterations=300)
    for name in report.best_line:
        state.apply_action(game.parse_action(name, state))
    assert state.is_terminal()
    assert state.returns()[0] == report.best_score
    expected = [entry.expected for entry in report.actions if entry.visits]
    assert all(0 <= value <= report.best_score for value in expected)


@pytest.mark.parametrize(
    ("spec", "options", "words"),
    [
        ("tictactoe", {"select": "sp_ucb"}, "one player"),
        ("tictactoe", {"choose": "best_line"}, "one player"),
        ("tictactoe", {"restarts": 2}, "one player"),
        ("2048", {"restarts": 2}, "without dice"),
        ("samegame", {"paranoid": True}, "several players"),
        ("samegame", {"restarts": -1}, "restarts"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(spec, options, words):
    with pytest.raises(PonderosaError, match=words):
        Search(loaded(spec), **options)


def test_several_threads_keep_the_best_line_of_all():
    game = loaded("samegame:rows=6,columns=6,seed=4")
    report = Search(game, threads=2, seed=1).run(iterations=600)
    assert replayed(game, report) == report.best_score
    assert report.best_score == max(
        Search(game, seed=tree.seed).run(iterations=300).best_score for tree in Search(game, threads=2, seed=1).trees
    )


def test_a_tree_with_more_in_its_nodes_is_saved_and_read_again(tmp_path):
    game = loaded("samegame:rows=6,columns=6,seed=4")
    search = Search(game, seed=1)
    search.run(iterations=300)
    search.save(tmp_path / "tree.npz")
    again = Search.load(tmp_path / "tree.npz")
    assert again.tree.nodes.dtype == search.tree.nodes.dtype
    assert again.tree.nodes[: again.tree.used].tobytes() == search.tree.nodes[: search.tree.used].tobytes()


BOARD = "AABBCC\nCBABAC\nCCABBA\nBAACCB\n"


def test_a_board_made_by_hand_is_solved(tmp_path):
    """The best of all games, by brute force; one random game in hundreds empties the board."""
    path = tmp_path / "board.txt"
    path.write_text(BOARD)
    rows = BOARD.split()
    columns = tuple("".join(row[column] for row in reversed(rows)) for column in range(len(rows[0])))

    @functools.cache
    def best(board):
        points = ((len(block) - 2) ** 2 + best(without(board, block)) for block in blocks(board))
        return max(points, default=0) if board else 1000

    report = Search(loaded(f"samegame:board={path}"), restarts=100).run(iterations=20_000)
    assert report.best_score == best(columns)
