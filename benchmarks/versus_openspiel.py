"""Iterations a second of processor time against OpenSpiel's MCTS bots, in one process and one thread. Start at main.

    pip install ".[bench]" && python benchmarks/versus_openspiel.py [hex] [go(] ...   # rows that begin so; none: all

Same exploration constant, one random rollout a leaf, solver off, the same number of simulations from the start; where
dice begin, from the first decision after them.
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np
import open_spiel.python.games  # noqa: F401  registers python_tic_tac_toe
import pyspiel
from open_spiel.python.algorithms import mcts as python_mcts
from own_tictactoe import OwnTicTacToe
from rounds import compare, print_table

from ponderosa import Game, Search, load_game

C = math.sqrt(2)
SEED = 1
MEGABYTES = 4000


def first_decision(game):
    """The start of a game, after the dice that come before it."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    return state


def ours(game, simulations):
    """A search from scratch; the compiled code is there already."""
    search = Search(game, solve=False, seed=SEED)
    state = first_decision(game) if isinstance(game, Game) else None

    def run():
        search.reset()
        return search.run(state, iterations=simulations).iterations

    return run


def cpp_bot(name, simulations):
    """OpenSpiel's C++ bot; on a game written in Python it crashes, so that one meets the Python bot."""
    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, SEED)

    def run():
        bot = pyspiel.MCTSBot(game, evaluator, C, simulations, MEGABYTES, False, SEED, False)
        bot.step(first_decision(game))
        return simulations

    return run


def python_bot(name, simulations):
    """OpenSpiel's bot written in Python."""
    game = pyspiel.load_game(name)
    rng = np.random.RandomState(SEED)
    bot = python_mcts.MCTSBot(
        game, C, simulations, python_mcts.RandomRolloutEvaluator(1, rng), solve=False, random_state=rng
    )

    def run():
        bot.step(game.new_initial_state())
        return simulations

    return run


def main():
    """Print the table of ratios."""
    pyspiel_state = pyspiel.load_game("connect_four").new_initial_state()
    contests = [
        ("connect_four", load_game("connect4"), cpp_bot, "connect_four", 20_000, 10),
        ("gomoku(size=15)", load_game("gomoku"), cpp_bot, "gomoku(size=15)", 20_000, 18),
        ("othello", load_game("othello"), cpp_bot, "othello", 5_000, 10),
        ("hex(board_size=7)", load_game("hex:size=7,swap=false"), cpp_bot, "hex(board_size=7)", 5_000, 6),
        ("hex(board_size=11)", load_game("hex:swap=false"), cpp_bot, "hex(board_size=11)", 5_000, 6),
        ("go(board_size=9)", load_game("go:max_moves=162"), cpp_bot, "go(board_size=9)", 1_000, 10),
        ("breakthrough", load_game("breakthrough"), cpp_bot, "breakthrough", 5_000, 10),
        ("tic_tac_toe", load_game("tictactoe"), cpp_bot, "tic_tac_toe", 20_000, 2),
        (
            "checkers, a draw 40 turns after the last capture",
            load_game("checkers:draw_after=20"),
            cpp_bot,
            "checkers",
            5_000,
            8,
        ),
        (
            "lines_of_action(max_game_length=200)",
            load_game("lines_of_action"),
            cpp_bot,
            "lines_of_action(max_game_length=200)",
            100,
            10,
        ),
        ("chess", load_game("chess"), cpp_bot, "chess", 300, 5),
        ("backgammon", load_game("backgammon"), cpp_bot, "backgammon", 300, 5),
        (
            "own game in Python, compiled, against python_tic_tac_toe",
            OwnTicTacToe(),
            python_bot,
            "python_tic_tac_toe",
            500,
            100,
        ),
        (
            "plain path on pyspiel connect_four against OpenSpiel's Python bot",
            pyspiel_state,
            python_bot,
            "connect_four",
            500,
            1,
        ),
    ]
    rows = []
    wanted = tuple(sys.argv[1:]) or ("",)
    for title, game, bot, name, simulations, target in contests:
        if not title.startswith(wanted):
            continue
        many = 20_000 if simulations < 1000 and not isinstance(game, type(pyspiel_state)) else simulations
        rows.append((title, compare(ours(game, many), bot(name, simulations), time.process_time), target))
    print_table("game", rows)


if __name__ == "__main__":
    main()
