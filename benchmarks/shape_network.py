"""Trains the network of connect/shapes/shape_network.py on positions of benchmarks/shape_games.py. Start at main.

    python benchmarks/shape_network.py --positions positions --epochs 12 --threads 2 --out gomoku.npz

The network learns by how much the fitted weights are wrong: logistic loss of the value against what the search found,
mixed with how the game ended where that is known; Adam, a rate that falls to nothing, and at the end the mean of the
weights of the last steps. Patterns that make the same shapes, or look the same on one side, share a part of their
vectors while they are learned, so that rare ones know something, too. Every twentieth game is kept apart, and its loss
printed after each epoch. All of it is compiled; the positions of a batch are shared among threads.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from shape_positions import Position, read, stones_of

from ponderosa import load_game
from ponderosa.connect.shapes.player import POINTS
from ponderosa.connect.shapes.shape_network import (
    CODES,
    HIDDEN,
    LAYER_SCALE,
    LAYERS,
    MOST_ACTIVE,
    MOST_LAYER,
    REACH,
    SUM_BITS,
    VECTOR_SCALE,
    WIDTH,
    ShapeNetwork,
    layer_of,
    pattern_of,
    patterns,
    read_network,
    write_network,
)
from ponderosa.connect.shapes.shape_table import reach_of, shapes_of

BATCH, JUDGED = 1024, 65_536
"""Positions of a step, and of a look at those kept apart."""
APART = 20
"""Every so many games, one is not learned from."""
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
    shared: Any
    """What is added to the vectors of all patterns of a class."""


class Lessons(NamedTuple):
    """What is to be learned."""

    found: Position
    known: Any
    """What the fitted weights say, in logits."""
    targets: Any
    side: int
    """Of the board."""
    p: int
    """Stones a turn."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--positions", type=Path, required=True, help="a folder of benchmarks/shape_games.py")
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--decay", type=float, default=0.02, help="how fast weights shrink that nothing keeps up")
    parser.add_argument("--later", type=float, default=0.4, help="what came later counts, beside the search's value")
    parser.add_argument("--patience", type=float, default=1.0, help="1: the result came later; less: values before it")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--begin", type=Path, help="a network to begin with, instead of small random weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("gomoku.npz"))
    options = parser.parse_args()
    numba.set_num_threads(options.threads)
    game = load_game(options.game)
    lessons = lessons_of(game, read(options.positions), options.later, options.patience)
    apart = lessons.found.game % APART == 0
    learn, check = np.flatnonzero(~apart), np.flatnonzero(apart)
    print(f"{len(learn):,} positions to learn from, {len(check):,} apart", flush=True)
    rng = np.random.default_rng(options.seed)
    classes = classes_of(game)
    weights = beginning(rng, int(classes.max()) + 1)
    if options.begin:
        weights = floats_of(read_network(options.begin))._replace(shared=np.zeros_like(weights.shared))
    slopes = Weights(*(np.zeros((options.threads, *array.shape), np.float32) for array in weights))
    print(f"where it begins: loss apart {loss_of(weights, lessons, check):.4f}", flush=True)
    first, second, mean = zeros(weights), zeros(weights), zeros(weights)
    steps = options.epochs * (len(learn) // BATCH)
    step = averaged = 0
    for epoch in range(options.epochs):
        began, loss = time.monotonic(), 0.0
        order = rng.permutation(learn)
        for begin in range(0, len(order) - BATCH + 1, BATCH):
            loss += judged(whole(weights, classes), slopes, lessons, order[begin : begin + BATCH], True)
            share_out(slopes.vectors, slopes.shared, classes)
            rate = options.rate * min(1.0, (step + 1) / 200) * (1 - step / steps)
            for now, slope, one, two in zip(weights, slopes, first, second, strict=True):
                flat = now.reshape(-1), slope.reshape(len(slope), -1), one.reshape(-1), two.reshape(-1)
                adam(*flat, np.float32(rate), np.float32(options.decay), step + 1)
            step += 1
            if step > MEAN_FROM * steps:
                averaged += 1
                for total, now in zip(mean, weights, strict=True):
                    total += (now - total) / np.float32(averaged)
        used = whole(mean if averaged else weights, classes)
        speed = len(order) / (time.monotonic() - began)
        apart_loss = loss_of(used, lessons, check)
        learned = loss / max(len(order) // BATCH * BATCH, 1)
        print(f"epoch {epoch + 1}: loss {learned:.4f}, apart {apart_loss:.4f}, {speed:,.0f} positions/s", flush=True)
        write_network(options.out, network_of(used))
    rounded = floats_of(network_of(whole(mean, classes)))
    least = -np.mean(entropy(lessons.targets[check]))
    print(
        f"as whole numbers: loss apart {loss_of(rounded, lessons, check):.4f}; at least {least:.4f} with these values"
    )


def lessons_of(game: Any, found: Position, later: float, patience: float) -> Lessons:
    """What is to be learned of positions, where what came of them counts so much."""
    placed = np.bitwise_count(found.own).sum(1, np.int64) + np.bitwise_count(found.other).sum(1, np.int64)
    movers = placed % 2 if game.p == 1 else (placed + 1) // 2 % 2
    came = came_later(found.value, found.result, found.game, placed, movers, patience)
    mixed = np.where(found.result < 0, found.value, (1 - later) * found.value + later * came)
    known = found.known.astype(np.float32) / np.float32(POINTS)
    return Lessons(found, known, mixed.astype(np.float32).clip(0.002, 0.998), game.n, game.p)


@numba.njit(cache=True)
def came_later(value: Any, result: Any, game: Any, placed: Any, movers: Any, patience: float) -> Any:
    """What came of each position of a game: its next value counts 1 - patience, what came of that one the rest."""
    came = result.copy()
    later = -1
    for row in range(len(value) - 1, -1, -1):
        if result[row] < 0:
            continue
        if later >= 0 and game[later] == game[row]:
            kept = patience ** (placed[later] - placed[row])
            then = (1 - kept) * value[later] + kept * came[later]
            came[row] = then if movers[later] == movers[row] else 1 - then
        later = row
    return came


def judged(weights: Weights, slopes: Weights, lessons: Lessons, chosen: Any, learn: bool) -> float:
    """The loss of the chosen positions, summed."""
    boards = stones_of(Position(*(array[chosen] for array in lessons.found)), lessons.side**2)
    known, targets, layers = lessons.known[chosen], lessons.targets[chosen], layers_of(boards, lessons.p)
    return judge(
        weights, slopes, boards.reshape(-1, lessons.side, lessons.side), known, targets, layers, pattern_of(), learn
    )


def layers_of(boards: Any, p: int) -> Any:
    """Which layer each board goes through."""
    placed = np.count_nonzero(boards, axis=1)
    left = np.where((placed % 2 == 1) & (p == 2), 2, 1)  # the first turn of two has a single stone
    return np.array([layer_of(p, *each) for each in zip(placed.tolist(), left.tolist(), strict=True)], np.int64)


def loss_of(weights: Weights, lessons: Lessons, chosen: Any) -> float:
    """The mean loss of the chosen positions."""
    slopes = Weights(*(np.zeros((numba.get_num_threads(), *array.shape), np.float32) for array in weights))
    parts = [chosen[begin : begin + JUDGED] for begin in range(0, len(chosen), JUDGED)]
    return sum(judged(weights, slopes, lessons, part, False) for part in parts) / max(len(chosen), 1)


def entropy(values: Any) -> Any:
    """The logarithmic loss that no judge can fall below, with its sign turned."""
    return values * np.log(values) + (1 - values) * np.log(1 - values)


def classes_of(game: Any) -> Any:
    """The classes of each pattern: which shapes a stone makes there for both players, and what is on either side."""
    codes = np.zeros(patterns()[0], np.int64)
    codes[pattern_of()] = np.arange(CODES)  # of each pattern, one of the codes that have it
    wider = reach_of(game.k, game.exact) - REACH
    own, other = codes & (1 << 2 * REACH) - 1, codes >> 2 * REACH
    around = own << wider | other << wider << 2 * (REACH + wider)
    low = (1 << REACH) - 1
    one, two = own & low | (other & low) << REACH, own >> REACH | other >> REACH << REACH
    mirror = np.array([int(f"{half:0{REACH}b}"[::-1], 2) for half in range(1 << REACH)])
    one = mirror[one & low] | mirror[one >> REACH] << REACH
    shapes = shapes_of(game.k, game.exact)[around].astype(np.int64) + (1 << 2 * REACH)
    columns = np.stack([shapes, one, two], axis=1)
    return np.unique(columns, return_inverse=True)[1].reshape(columns.shape).astype(np.int64)


def beginning(rng: Any, classes: int) -> Weights:
    """Small random weights."""
    vectors = np.zeros((patterns()[0], WIDTH), np.float32)
    shared = rng.normal(0, 0.1, (classes, WIDTH)).astype(np.float32)
    layer = np.tile(rng.normal(0, 0.03, (2 * WIDTH + 1, HIDDEN)).astype(np.float32), (LAYERS, 1, 1))
    last = np.zeros((LAYERS, HIDDEN + 1), np.float32)  # at first it corrects nothing
    return Weights(vectors, layer, last, shared)


@numba.njit(fastmath=True, cache=True, parallel=True)
def add_shared(vectors: Any, shared: Any, classes: Any) -> Any:
    """The vectors with what they share."""
    result = vectors.copy()
    for row in numba.prange(len(classes)):
        for column in range(classes.shape[1]):
            for index in range(WIDTH):
                result[row, index] += shared[classes[row, column], index]
    return result


def whole(weights: Weights, classes: Any) -> Weights:
    """The weights as the network has them: those of patterns without a stone are zero."""
    vectors = add_shared(weights.vectors, weights.shared, classes)
    vectors[:BLANK] = 0.0
    return weights._replace(vectors=vectors)


@numba.njit(fastmath=True, cache=True, parallel=True)
def share_out(vectors: Any, shared: Any, classes: Any) -> None:
    """The slopes of what patterns share, from those of the patterns."""
    for thread in numba.prange(len(vectors)):
        vectors[thread, :BLANK] = 0
        for row in range(BLANK, len(classes)):
            for column in range(classes.shape[1]):
                for index in range(WIDTH):
                    shared[thread, classes[row, column], index] += vectors[thread, row, index]


def zeros(weights: Weights) -> Weights:
    return Weights(*(np.zeros_like(array) for array in weights))


def network_of(weights: Weights) -> ShapeNetwork:
    """The network as whole numbers."""
    vectors = np.rint(weights.vectors * VECTOR_SCALE).clip(-8000, 8000).astype(np.int16)
    scales = np.full((2 * WIDTH + 1, 1), LAYER_SCALE)
    scales[-1] *= ACTIVE_SCALE
    layer = np.rint(weights.layer * scales).clip(-32767, 32767).astype(np.int16)
    last = weights.last.copy()
    last[:, :-1] /= ACTIVE_SCALE
    return ShapeNetwork(vectors, layer, last)


def floats_of(network: ShapeNetwork) -> Weights:
    """What whole numbers stand for."""
    scales = np.full((2 * WIDTH + 1, 1), LAYER_SCALE, np.float32)
    scales[-1] *= ACTIVE_SCALE
    last = network.last.copy()
    last[:, :-1] *= ACTIVE_SCALE
    vectors, layer = network.vectors.astype(np.float32) / VECTOR_SCALE, network.layer.astype(np.float32) / scales
    return Weights(vectors, layer, last, np.zeros((1, WIDTH), np.float32))


@numba.njit(fastmath=True, cache=True, parallel=True)
def adam(weights: Any, slopes: Any, first: Any, second: Any, rate: Any, decay: Any, step: int) -> None:
    """A step of Adam (Kingma & Ba, 2015) with weights that decay (Loshchilov & Hutter, 2019); slopes are used up."""
    early = np.float32(1.0 / (1.0 - FIRST_DECAY**step))
    late = np.float32(1.0 / (1.0 - SECOND_DECAY**step))
    for index in numba.prange(len(weights)):
        slope = np.float32(0)
        for thread in range(len(slopes)):
            slope += slopes[thread, index]
            slopes[thread, index] = 0
        if slope != 0 or first[index] != 0:
            first[index] = FIRST_DECAY * first[index] + (np.float32(1.0) - FIRST_DECAY) * slope
            second[index] = SECOND_DECAY * second[index] + (np.float32(1.0) - SECOND_DECAY) * slope * slope
            step_there = first[index] * early / (np.sqrt(second[index] * late) + LITTLE)
            weights[index] -= rate * (step_there + decay * weights[index])


@numba.njit(fastmath=True, cache=True, parallel=True)
def judge(
    weights: Weights, slopes: Weights, boards: Any, known: Any, targets: Any, layers: Any, number_of: Any, learn: bool
) -> float:
    """The loss of some positions, summed; its mean's slopes are added, thread by thread, where they are wanted."""
    threads = len(slopes.last)
    totals = np.zeros(threads)
    for thread in numba.prange(threads):
        totals[thread] = judge_share(weights, slopes, boards, known, targets, layers, number_of, learn, thread, threads)
    return totals.sum()


@numba.njit(fastmath=True, cache=True)
def judge_share(
    weights: Weights,
    all_slopes: Weights,
    boards: Any,
    known: Any,
    targets: Any,
    layers: Any,
    number_of: Any,
    learn: bool,
    thread: int,
    threads: int,
) -> float:
    """The part of one thread."""
    vector_slopes, vectors = all_slopes.vectors[thread], weights.vectors
    side = boards.shape[1]
    cells = side * side
    total = 0.0
    found = np.zeros((cells, 4, 2), np.uint16)
    sums = np.zeros((2, cells, WIDTH), np.float32)
    inputs, into = np.zeros(2 * WIDTH, np.float32), np.zeros(2 * WIDTH, np.float32)
    hidden = np.zeros(HIDDEN, np.float32)
    for number in range(thread, len(boards), threads):
        layer, last = weights.layer[layers[number]], weights.last[layers[number]]
        layer_slopes, last_slopes = all_slopes.layer[thread, layers[number]], all_slopes.last[thread, layers[number]]
        board = boards[number].reshape(-1)
        list_patterns(board, side, number_of, found)
        inputs[:] = 0
        for cell in range(cells):
            if board[cell] != 0 or found[cell, :, 0].max() < BLANK:
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
        last_slopes[HIDDEN] += slope
        into[:] = 0
        for index in range(HIDDEN):
            if 0 < hidden[index] < MOST_HIDDEN:
                last_slopes[index] += slope * hidden[index]
                hidden[index] = slope * last[index]
            else:
                last_slopes[index] += slope * min(max(hidden[index], np.float32(0)), np.float32(MOST_HIDDEN))
                hidden[index] = 0
        for index in range(HIDDEN):
            layer_slopes[2 * WIDTH, index] += hidden[index]
        for row_number in range(2 * WIDTH):
            came = np.float32(0)
            for index in range(HIDDEN):
                layer_slopes[row_number, index] += inputs[row_number] * hidden[index]
                came += layer[row_number, index] * hidden[index]
            into[row_number] = came
        for cell in range(cells):
            if board[cell] != 0 or found[cell, :, 0].max() < BLANK:
                continue
            for view in range(2):
                row = sums[view, cell]
                for index in range(WIDTH):
                    kept = 0 < row[index] < MOST
                    row[index] = into[view * WIDTH + index] if kept else np.float32(0)
                for direction in range(4):
                    vector = vector_slopes[found[cell, direction, view]]
                    for index in range(WIDTH):
                        vector[index] += row[index]
    return total


@numba.njit(cache=True)
def list_patterns(board: Any, side: int, number_of: Any, found: Any) -> None:
    """The patterns of every cell's four lines, as the player to move sees them and as the other does."""
    for cell in range(side * side):
        if board[cell] != 0:
            continue
        row, column = cell // side, cell % side
        for direction in range(4):
            down, right = (0 if direction == 0 else 1), (1 if direction < 2 else 2 - direction)
            own = other = 0
            for place in range(2 * REACH):
                away = place - REACH if place < REACH else place - REACH + 1
                r, c = row + down * away, column + right * away
                stone = 3 if r < 0 or c < 0 or r >= side or c >= side else board[r * side + c]
                own |= (stone & 1) << place
                other |= (stone >> 1) << place
            found[cell, direction, 0] = number_of[own | other << 2 * REACH]
            found[cell, direction, 1] = number_of[other | own << 2 * REACH]


if __name__ == "__main__":
    main()
