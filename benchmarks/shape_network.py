"""Trains the network of connect/shapes/shape_network.py on positions of benchmarks/shape_games.py. Start at main.

    python benchmarks/shape_network.py --positions positions --epochs 12 --out gomoku.npz

The network learns by how much the fitted weights are wrong: logistic loss of the value against what the search found,
mixed with how the game ended where that is known; Adam, a rate that falls to nothing, and at the end the mean of the
weights of the last epochs. Every twentieth game is kept apart, and its loss printed after each epoch. All of it is
compiled and runs on one core.
"""

from __future__ import annotations

import argparse
import time
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

from ponderosa import load_game
from ponderosa.connect.shapes.player import POINTS, ShapePlayer
from ponderosa.connect.shapes.pvs import static_value
from ponderosa.connect.shapes.shape_network import (
    HIDDEN,
    LAYER_SCALE,
    MOST_ACTIVE,
    MOST_LAYER,
    REACH,
    SUM_BITS,
    VECTOR_SCALE,
    WIDTH,
    ShapeNetwork,
    pattern_of,
    patterns,
    write_network,
)

SIDE = 15
CELLS = SIDE * SIDE
BATCH = 256
APART = 20
"""Every so many games, one is not learned from."""
RESULT = 0.4
"""What the result counts beside the value of the search."""
ACTIVE_SCALE = VECTOR_SCALE >> SUM_BITS
"""A sum that is kept of a cell is a whole number, so many for 1."""
MOST = MOST_ACTIVE / ACTIVE_SCALE
MOST_HIDDEN = MOST_LAYER / ACTIVE_SCALE
BLANK = patterns()[1]
FIRST_DECAY, SECOND_DECAY, LITTLE = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
MEAN_FROM = 0.7
"""After this share of the steps, the mean of the weights is taken."""


class Weights(NamedTuple):
    """The network's numbers as they are learned, or what belongs to each of them."""

    vectors: Any
    layer: Any
    last: Any


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--positions", type=Path, required=True, help="a folder of benchmarks/shape_games.py")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--decay", type=float, default=0.02, help="how fast weights shrink that nothing keeps up")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("gomoku.npz"))
    options = parser.parse_args()
    shape_player = ShapePlayer(load_game("gomoku"), table=2)
    stones, targets, games = read(options.positions)
    known = np.array([weighed(shape_player, board) for board in stones], np.float32)
    apart = games % APART == 0
    learn, check = np.flatnonzero(~apart), np.flatnonzero(apart)
    print(f"{len(learn):,} positions to learn from, {len(check):,} apart", flush=True)
    rng = np.random.default_rng(options.seed)
    weights = beginning(rng)
    alone = judge(weights, zeros(weights), stones[check], known[check], targets[check], pattern_of(), False)
    print(f"the fitted weights alone: loss apart {alone / max(len(check), 1):.4f}", flush=True)
    first, second, mean = zeros(weights), zeros(weights), zeros(weights)
    steps = options.epochs * (len(learn) // BATCH)
    step = averaged = 0
    for epoch in range(options.epochs):
        began, loss = time.monotonic(), 0.0
        order = rng.permutation(learn)
        for begin in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[begin : begin + BATCH]
            slopes = zeros(weights)
            loss += judge(weights, slopes, stones[chosen], known[chosen], targets[chosen], pattern_of(), True)
            rate = options.rate * min(1.0, (step + 1) / 200) * (1 - step / steps)
            for each in zip(weights, slopes, first, second, strict=True):
                adam(*(array.reshape(-1) for array in each), np.float32(rate), np.float32(options.decay), step + 1)
            weights.vectors[:BLANK] = 0.0
            step += 1
            if step > MEAN_FROM * steps:
                averaged += 1
                for total, now in zip(mean, weights, strict=True):
                    total += (now - total) / averaged
        used = mean if averaged else weights
        tested = judge(used, zeros(weights), stones[check], known[check], targets[check], pattern_of(), False)
        speed = len(order) / (time.monotonic() - began)
        learned, apart_loss = loss / max(len(order), 1), tested / max(len(check), 1)
        print(f"epoch {epoch + 1}: loss {learned:.4f}, apart {apart_loss:.4f}, {speed:,.0f} positions/s", flush=True)
        write_network(options.out, network_of(used))
    rounded = floats_of(network_of(mean))
    tested = judge(rounded, zeros(weights), stones[check], known[check], targets[check], pattern_of(), False)
    least = -np.mean(entropy(targets[check]))
    print(f"as whole numbers: loss apart {tested / len(check):.4f}; at least {least:.4f} with these values")


def read(folder: Path) -> tuple[Any, Any, Any]:
    """The stones of all positions (1 the mover's, 2 the other's), what is to be learned of them, and their games."""
    found = [np.load(file) for file in sorted(folder.glob("*.npz"))]
    own, other = (np.concatenate([each[name] for each in found]) for name in ("own", "other"))
    value, result, games = (np.concatenate([each[name] for each in found]) for name in ("value", "result", "game"))
    stones = np.unpackbits(own, axis=1)[:, :CELLS] + 2 * np.unpackbits(other, axis=1)[:, :CELLS]
    mixed = np.where(result < 0, value, (1 - RESULT) * value + RESULT * result)
    return stones, mixed.astype(np.float32).clip(0.002, 0.998), games


def weighed(shape_player: ShapePlayer, board: Any) -> float:
    """What the fitted weights say of a board for the player to move, in logits."""
    own, other = np.flatnonzero(board == 1).tolist(), np.flatnonzero(board == 2).tolist()
    mover = len(own) - len(other) != 0
    first, second = (other, own) if mover else (own, other)
    moves = [cell for pair in zip_longest(first, second) for cell in pair if cell is not None]
    shape_player.enter_stage(len(moves))
    shape_player.place(moves)
    return static_value(shape_player.record, int(mover), 1) / POINTS


def entropy(values: Any) -> Any:
    """The logarithmic loss that no judge can fall below, with its sign turned."""
    return values * np.log(values) + (1 - values) * np.log(1 - values)


def beginning(rng: Any) -> Weights:
    """Small random weights."""
    vectors = rng.normal(0, 0.1, (patterns()[0], WIDTH)).astype(np.float32)
    vectors[:BLANK] = 0.0
    layer = rng.normal(0, 0.03, (2 * WIDTH + 1, HIDDEN)).astype(np.float32)
    last = np.zeros(HIDDEN + 1, np.float32)  # at first it corrects nothing
    return Weights(vectors, layer, last)


def zeros(weights: Weights) -> Weights:
    return Weights(*(np.zeros_like(array) for array in weights))


def network_of(weights: Weights) -> ShapeNetwork:
    """The network as whole numbers."""
    vectors = np.rint(weights.vectors * VECTOR_SCALE).clip(-8000, 8000).astype(np.int16)
    scales = np.full((2 * WIDTH + 1, 1), LAYER_SCALE)
    scales[-1] *= ACTIVE_SCALE
    layer = np.rint(weights.layer * scales).clip(-32767, 32767).astype(np.int16)
    last = weights.last.copy()
    last[:-1] /= ACTIVE_SCALE
    return ShapeNetwork(vectors, layer, last)


def floats_of(network: ShapeNetwork) -> Weights:
    """What whole numbers stand for."""
    scales = np.full((2 * WIDTH + 1, 1), LAYER_SCALE, np.float32)
    scales[-1] *= ACTIVE_SCALE
    last = network.last.copy()
    last[:-1] *= ACTIVE_SCALE
    return Weights(network.vectors.astype(np.float32) / VECTOR_SCALE, network.layer.astype(np.float32) / scales, last)


@numba.njit(fastmath=True, cache=True)
def adam(weights: Any, slopes: Any, first: Any, second: Any, rate: Any, decay: Any, step: int) -> None:
    """A step of Adam (Kingma & Ba, 2015) with weights that decay (Loshchilov & Hutter, 2019)."""
    early = np.float32(1.0 / (1.0 - FIRST_DECAY**step))
    late = np.float32(1.0 / (1.0 - SECOND_DECAY**step))
    for index in range(len(weights)):
        slope = slopes[index]
        if slope == 0 and first[index] == 0:
            continue
        first[index] = FIRST_DECAY * first[index] + (np.float32(1.0) - FIRST_DECAY) * slope
        second[index] = SECOND_DECAY * second[index] + (np.float32(1.0) - SECOND_DECAY) * slope * slope
        step_there = first[index] * early / (np.sqrt(second[index] * late) + LITTLE)
        weights[index] -= rate * (step_there + decay * weights[index])


@numba.njit(fastmath=True, cache=True)
def judge(
    weights: Weights, slopes: Weights, boards: Any, known: Any, targets: Any, number_of: Any, learn: bool
) -> float:
    """The loss of some positions, summed; its mean's slopes are added where they are wanted."""
    total = 0.0
    found = np.zeros((CELLS, 4, 2), np.uint16)
    sums = np.zeros((2, CELLS, WIDTH), np.float32)
    inputs, into = np.zeros(2 * WIDTH, np.float32), np.zeros(2 * WIDTH, np.float32)
    hidden = np.zeros(HIDDEN, np.float32)
    vectors, layer, last = weights
    for number in range(len(boards)):
        list_patterns(boards[number], number_of, found)
        inputs[:] = 0
        for cell in range(CELLS):
            if boards[number, cell] != 0:
                continue
            for view in range(2):
                row = sums[view, cell]
                row[:] = 0
                for direction in range(4):
                    vector = vectors[found[cell, direction, view]]
                    for index in range(WIDTH):
                        row[index] += vector[index]
                for index in range(WIDTH):
                    inputs[view * WIDTH + index] += min(max(row[index], np.float32(0)), np.float32(MOST))
        for index in range(HIDDEN):
            hidden[index] = layer[2 * WIDTH, index]
        for row_number in range(2 * WIDTH):
            for index in range(HIDDEN):
                hidden[index] += inputs[row_number] * layer[row_number, index]
        logit = known[number] + last[HIDDEN]
        for index in range(HIDDEN):
            logit += min(max(hidden[index], np.float32(0)), np.float32(MOST_HIDDEN)) * last[index]
        target = targets[number]
        total += max(logit, 0.0) - logit * target + np.log1p(np.exp(-abs(logit)))
        if not learn:
            continue
        slope = np.float32((1.0 / (1.0 + np.exp(-logit)) - target) / len(boards))
        slopes.last[HIDDEN] += slope
        into[:] = 0
        for index in range(HIDDEN):
            if 0 < hidden[index] < MOST_HIDDEN:
                slopes.last[index] += slope * hidden[index]
                hidden[index] = slope * last[index]
            else:
                slopes.last[index] += slope * min(max(hidden[index], np.float32(0)), np.float32(MOST_HIDDEN))
                hidden[index] = 0
        for index in range(HIDDEN):
            slopes.layer[2 * WIDTH, index] += hidden[index]
        for row_number in range(2 * WIDTH):
            came = np.float32(0)
            for index in range(HIDDEN):
                slopes.layer[row_number, index] += inputs[row_number] * hidden[index]
                came += layer[row_number, index] * hidden[index]
            into[row_number] = came
        for cell in range(CELLS):
            if boards[number, cell] != 0:
                continue
            for view in range(2):
                row = sums[view, cell]
                for index in range(WIDTH):
                    kept = 0 < row[index] < MOST
                    row[index] = into[view * WIDTH + index] if kept else np.float32(0)
                for direction in range(4):
                    vector = slopes.vectors[found[cell, direction, view]]
                    for index in range(WIDTH):
                        vector[index] += row[index]
    return total


@numba.njit(cache=True)
def list_patterns(board: Any, number_of: Any, found: Any) -> None:
    """The patterns of every cell's four lines, as the player to move sees them and as the other does."""
    for cell in range(CELLS):
        if board[cell] != 0:
            continue
        row, column = cell // SIDE, cell % SIDE
        for direction in range(4):
            down, right = (0 if direction == 0 else 1), (1 if direction < 2 else 2 - direction)
            own = other = 0
            for place in range(2 * REACH):
                away = place - REACH if place < REACH else place - REACH + 1
                r, c = row + down * away, column + right * away
                stone = 3 if r < 0 or c < 0 or r >= SIDE or c >= SIDE else board[r * SIDE + c]
                own |= (stone & 1) << place
                other |= (stone >> 1) << place
            found[cell, direction, 0] = number_of[own | other << 2 * REACH]
            found[cell, direction, 1] = number_of[other | own << 2 * REACH]


if __name__ == "__main__":
    main()
