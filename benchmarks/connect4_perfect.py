"""How often the strong agent of Connect Four plays a move that keeps the position's value. Start at main.

    pip install "ponderosa[bench]"
    python benchmarks/connect4_perfect.py --positions 500 --seconds 1
    python benchmarks/connect4_perfect.py --first 50        # games as first player, which is to win

Positions of random play, not over, with more than one legal move, nothing to win at once and nothing that must be
blocked. A perfect solver, the package `bitbully`, says what every move is worth: a win, a draw or a loss. Printed is
the share of moves as good as the best one with its 95 % interval (Wilson); then the same of the positions where some
move is worse, for elsewhere every move is right.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from bitbully import BitBully, Board

from ponderosa import load_agent, load_game
from ponderosa.agents.connect.connect4 import StrongConnectFour

STAGES = {"opening": (4, 13), "middle": (14, 27), "end": (28, 39)}
"""Each stage's plies, first and last."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=500, help="how many of each stage")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long the agent may think")
    parser.add_argument("--iterations", type=int, help="so much work instead of time: the same figures everywhere")
    parser.add_argument("--stages", nargs="+", default=list(STAGES), choices=list(STAGES))
    parser.add_argument("--first", type=int, metavar="GAMES", help="games as first player instead of positions")
    parser.add_argument("--agent", help="another agent than the strong one, as in mcts:playout=decisive")
    parser.add_argument("--jobs", type=int, default=1, help="positions at once")
    parser.add_argument("--cpu", action="store_true", help="count seconds of the processor: for a busy machine")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    effort = f"{options.seconds:g} {'processor seconds' if options.cpu else 's'}"
    if options.iterations is not None:
        effort = f"{options.iterations:,} iterations"
    if options.first:
        clock = time.process_time if options.cpu else time.perf_counter
        game = load_game("connect4")
        won = sum(wins(agent_of(options, game, number, clock), game, number) for number in range(options.first))
        print(f"{won} of {options.first} games won as first player against a perfect one, {effort} a move")
        return
    print(f"| stage, {effort} a move, seed {options.seed} | value kept | where it matters | proven |")
    print("| --- | ---: | ---: | ---: |", flush=True)
    for stage in options.stages:
        tasks = [(options, stage, index) for index in range(options.positions)]
        with ProcessPoolExecutor(options.jobs) as pool:
            results = list(pool.map(judge, tasks, chunksize=5))
        kept = [right for right, _, _ in results]
        hard = [right for right, matters, _ in results if matters]
        proven = sum(known for _, _, known in results)
        print(f"| {stage} | {share(kept)} | {share(hard)} | {100 * proven / len(results):.1f} % |", flush=True)


def judge(task: tuple[Any, str, int]) -> tuple[bool, bool, bool]:
    """Whether the move in one position was right, whether there was a wrong one, and whether the result was proven."""
    options, stage, index = task
    game = load_game("connect4")
    moves, worth = position(random.Random(f"{options.seed} {stage} {index}"), *STAGES[stage])
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(move)
    clock = time.process_time if options.cpu else time.perf_counter
    agent = agent_of(options, game, index, clock)
    right = worth[agent.step(state)] == max(worth.values())
    return right, min(worth.values()) < max(worth.values()), agent.last_report.proven is not None


def wins(agent: Any, game: Any, seed: int) -> bool:
    """Whether an agent wins as first player against a perfect one, who draws among the moves that are best."""
    state, board, luck = game.new_initial_state(), Board(), random.Random(seed)
    while not state.is_terminal():
        if state.to_move() == 0:
            move = agent.step(state)
        else:
            scores = solver().score_all_moves(board)
            move = luck.choice([each for each, score in scores.items() if score == max(scores.values())])
        state.apply_action(move)
        board.play(move)
    return bool(state.returns()[0] > 0)


def agent_of(options: Any, game: Any, seed: int, clock: Callable[[], float]) -> Any:
    """A new agent: what another position taught is no help."""
    name, number = "seconds", options.seconds
    if options.iterations is not None:
        name, number = "iterations", options.iterations
    if options.agent is None:
        return StrongConnectFour(game, seed=seed, clock=clock, **{name: number})
    joint = "," if ":" in options.agent else ":"
    return load_agent(f"{options.agent}{joint}{name}={number},seed={seed}", game)


def position(draw: random.Random, first: int, last: int) -> tuple[list[int], dict[int, int]]:
    """The moves to a random position, and what each move there is worth: 1, 0 or -1."""
    while True:
        moves, board = random_game(draw, draw.randint(first, last))
        if moves and len(board.legal_moves()) > 1 and not is_forced(board):
            scores = solver().score_all_moves(board)
            return moves, {move: (score > 0) - (score < 0) for move, score in scores.items()}


def random_game(draw: random.Random, plies: int) -> tuple[list[int], Board]:
    """Random moves for so many plies; none when the game ends before."""
    moves: list[int] = []
    board = Board()
    for _ in range(plies):
        if board.is_game_over():
            return [], board
        moves.append(draw.choice(sorted(board.legal_moves())))
        board.play(moves[-1])
    return ([] if board.is_game_over() else moves), board


def is_forced(board: Board) -> bool:
    """Whether there is a win to take, or one of the opponent's to stop: it stands whatever else is played."""
    legal = board.legal_moves()
    return board.can_win_next() or any(
        board.play_on_copy(move).can_win_next(win) for move in legal for win in legal if win != move
    )


def solver(known: list[BitBully] = []) -> BitBully:  # noqa: B006  one a process, with its opening book
    """The perfect player."""
    if not known:
        known.append(BitBully())
    return known[0]


def share(right: list[bool]) -> str:
    """A share with its 95 % interval (Wilson 1927)."""
    n, z = len(right), 1.96
    if n == 0:
        return "-"
    p = sum(right) / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return f"{100 * p:.1f} % ({100 * (middle - half):.1f} .. {100 * (middle + half):.1f}), n = {n}"


if __name__ == "__main__":
    main()
