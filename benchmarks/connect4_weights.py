"""Fits the weights of games/boards/connect4_weights.py to solved positions. Start at main.

    python benchmarks/connect4_weights.py --positions 50000 --slips 1 --seed 1 --out solved.npy
    python benchmarks/connect4_weights.py --positions 25000 --slips 0.25 --seed 2 --out solved.npy

Positions come from games that begin at random and go on with the moves that the present weights prefer, or with slips.
The exact solver says who wins, and a logistic regression explains it by the open lines. Positions are added to the
file; --positions 0 fits to those that are there. Those of the package are fitted to 53,600 positions of the first kind,
with plies up to 24, and 23,300 of the second, with the weights of the first.
"""

from __future__ import annotations

import argparse
import base64
import random
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa.connect.connect4_solver import NO, OPEN, YES, Board, Question, new_table, safe_moves, winning_cells
from ponderosa.games.boards import connect4_weights as present

BOARD = Board.of(present.ROWS, present.COLUMNS)
BITS = [[column * (BOARD.rows + 1) + row for row, column in window.cells] for window in present.WINDOWS]
NOISE = 0.15
"""How much, in units of the present weights' lead, chance has to say in the choice of a move."""
MOST_POSITIONS = 2_000_000
"""What the solver does not answer by looking at so many is left out."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--positions", type=int, default=25_000)
    parser.add_argument("--slips", type=float, default=0.25, help="the share of random moves after the opening")
    parser.add_argument("--plies", type=int, nargs=2, default=(12, 20), help="the first and the last to be solved")
    parser.add_argument("--ridge", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("solved.npy"))
    options = parser.parse_args()
    known = np.load(options.out) if options.out.exists() else np.zeros((0, 3), np.int64)
    added = solved(random.Random(options.seed), options)
    known = np.concatenate([known, np.array(added, np.int64).reshape(-1, 3)])
    np.save(options.out, known)
    print_weights(*fit(known[:, 0], known[:, 1], known[:, 2] / 2, options.ridge))


def solved(draw: random.Random, options: Any) -> list[tuple[int, int, int]]:
    """Positions: the stones of the first player and of the second, and 2, 1 or 0 if the first wins, draws or loses."""
    table, found = new_table(), []
    while len(found) < options.positions:
        plies = draw.randint(*options.plies)
        stones = play(draw, plies, options.slips)
        result = None if stones is None else result_of(stones[plies % 2], stones[0] | stones[1], table)
        if stones is not None and result is not None:
            found.append((*stones, result if plies % 2 == 0 else 2 - result))
            if len(found) % 1000 == 0:
                print(f"{len(found):,} positions", flush=True)
    return found


def play(draw: random.Random, plies: int, slips: float) -> tuple[int, int] | None:
    """The stones of both players after so many plies in which nobody could win; None if somebody could."""
    stones, opening = [0, 0], draw.randint(4, 8)
    for ply in range(plies + 1):
        own, other = stones[ply % 2], stones[1 - ply % 2]
        moves = each(safe_moves(own | other, winning_cells(other, BOARD.rows), BOARD))
        possible = ((own | other) + BOARD.bottom) & BOARD.full
        if not moves or winning_cells(own, BOARD.rows) & possible:
            return None
        if ply < plies:
            at_random = ply < opening or draw.random() < slips
            stones[ply % 2] |= draw.choice(moves) if at_random else preferred(draw, stones, moves, ply % 2)
    return stones[0], stones[1]


def preferred(draw: random.Random, stones: list[int], moves: list[int], player: int) -> int:
    """The move after which the present weights like the board best, nearly."""
    boards = [np.array([stones[side] | (move if side == player else 0) for move in moves]) for side in (0, 1)]
    places = np.arange(len(BITS))
    leads = present.WEIGHTS[1 - player][places, codes(*boards)].sum(axis=1) * (1 - 2 * player)
    return moves[int(np.argmax(leads + [draw.gauss(0, NOISE) for _ in moves]))]


def each(bits: int) -> list[int]:
    """The bits that are set, one by one."""
    return [1 << place for place in range(bits.bit_length()) if bits >> place & 1]


def result_of(own: int, mask: int, table: Any) -> int | None:
    """2, 1 or 0 if the player to move wins, draws or loses; None if that takes too long."""
    for attacks, result in ((True, 2), (False, 0)):
        answer = Question(BOARD, own, mask, attacks).work(MOST_POSITIONS, table)
        if answer != NO:
            return result if answer == YES else None
    assert answer != OPEN
    return 1


def codes(first: Any, second: Any) -> Any:
    """By position and window, the bits of the first player's stones and above them those of the second's."""
    found = np.zeros((len(first), len(BITS)), np.int64)
    for number, bits in enumerate(BITS):
        for place, bit in enumerate(bits):
            found[:, number] |= ((first >> bit) & 1) << place | ((second >> bit) & 1) << (place + present.K)
    return found


def fit(first: Any, second: Any, results: Any, ridge: float, steps: int = 400) -> tuple[Any, Any]:
    """The weights by logistic regression (Adam, Kingma & Ba 2015), and what a turn alone is worth."""
    size = int(np.prod(present.SHAPE))
    numbers = present.spread(np.arange(2, size + 2).reshape(present.SHAPE))
    turn = np.array([mask.bit_count() % 2 for mask in (first | second).tolist()])
    places = numbers[turn[:, None], np.arange(len(BITS)), codes(first, second)]
    places[places == 0] = size + 2  # a window that does not count
    places = np.column_stack([turn, places])
    weights, slope, curve = np.zeros((3, size + 3))
    for step in range(1, steps + 1):
        error = 1 / (1 + np.exp(-weights[places].sum(axis=1))) - results
        gradient = np.bincount(places.ravel(), np.repeat(error, places.shape[1]), size + 3) / len(results)
        gradient[2:] += ridge * weights[2:]
        slope = 0.9 * slope + 0.1 * gradient
        curve = 0.99 * curve + 0.01 * gradient**2
        size_of_step = 0.1 * (1 - step / steps)
        weights -= size_of_step * slope / (1 - 0.9**step) / (np.sqrt(curve / (1 - 0.99**step)) + 1e-9)
        weights[-1] = 0
    likely = weights[places].sum(axis=1) > 0
    decided = results != 0.5
    print(
        f"{len(results):,} positions; of those decided, {np.mean((likely == results)[decided]):.1%} are guessed right"
    )
    return weights[2:-1].reshape(present.SHAPE), weights[:2]


def print_weights(weights: Any, turns: Any) -> None:
    """As the package has them."""
    whole = np.clip(np.round(weights / present.UNIT), -127, 127).astype(np.int8)
    text = base64.b85encode(whole.tobytes()).decode()
    print(f"BEFORE = ({turns[0]:.3f}, {turns[1]:.3f})")
    print("\n".join(text[start : start + 116] for start in range(0, len(text), 116)))


if __name__ == "__main__":
    main()
