"""A small network that corrects the value of a board by the patterns around its empty cells. Start at ShapeNetwork.

What lies around an empty cell on a line, four cells either way, is one of a few thousand patterns. Each has a vector,
once as player 0 sees it and once as player 1 does; a cell adds up those of its four lines and keeps what is positive;
the board adds up its cells. These sums of both players go through a small layer to a number, which is added to what the
weights of connect/shapes/shape_weights.py say. Which layer depends on the stones on the board, and on those left in the
turn. All but the last step is in whole numbers, so that a stone changes the sums of the few cells around it and what it
adds can be taken away exactly (Nasu, Efficiently Updatable Neural-Network-based Evaluation Functions for Computer
Shogi, 2018). benchmarks/shape_network.py trains them; connect/shapes/learned_values.py counts with them.
"""

from __future__ import annotations

import functools
import io
import itertools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ponderosa.compile.annotations import Int
from ponderosa.errors import FileError, SettingError
from ponderosa.games.connect import Connect
from ponderosa.system.files import reading, writing

REACH = 4
"""How many cells either way a pattern shows: as far as a stone matters where five in a row win."""
CODES = 1 << 4 * REACH
"""What can lie around a cell: a bit a cell for stones of player 0, then as many for player 1; the border is both."""
WIDTH = HIDDEN = 32
"""Numbers in a vector, and in the layer."""
LAYERS, STAGE = 4, 12
"""How many layers there are, and with how many stones more the next one takes over."""
VECTOR_SCALE, SUM_BITS, MOST_ACTIVE = 64, 2, 127
"""Vectors are whole numbers, 64 for 1; a cell's sum is divided by 2^SUM_BITS and kept between 0 and MOST_ACTIVE."""
LAYER_SCALE, LAYER_BITS, MOST_LAYER = 256, 8, 1 << 13
"""The weights of the layer, 256 for 1; what comes out is divided by 2^LAYER_BITS and kept between 0 and MOST_LAYER."""
MOST_FILE = 2**24
"""No file of a network has more bytes."""
FOLDER = Path(__file__).parent / "shipped"
"""The networks that come with the package."""
OWN = {1: "gomoku.npz", 2: "connect6.npz"}
"""Their files, by the stones of a turn."""


class ShapeNetwork(NamedTuple):
    """The numbers of a network."""

    vectors: npt.NDArray[np.int16]
    """A row for each pattern."""
    layer: npt.NDArray[np.int16]
    """For each layer: a row for each sum of the player to move, then of the other; and one that is always added."""
    last: npt.NDArray[np.float32]
    """For each layer: what each of its numbers adds to the value, in logits; and a number that is always added."""


def layer_of(p: Int, placed: Int, stones: Int) -> Int:
    """The number of the layer: with `placed` stones on the board, and so many left to the player to move."""
    if p == 1:
        return min(placed // STAGE, np.int64(LAYERS - 1))
    return 2 * (stones - 1) + min(placed // (2 * STAGE), np.int64(1))


@functools.cache
def pattern_of() -> npt.NDArray[np.uint16]:
    """The number of the pattern for every code; 0 for what cannot be. A line has the same one from either end.

    Patterns without a stone come first.
    """
    number: dict[tuple[tuple[int, ...], ...], int] = {}
    found = np.zeros(CODES, np.uint16)
    for one, other in sorted(itertools.product(_halves(), repeat=2), key=_stones):
        ends = min((one, other), (other, one))
        found[_code(one, other)] = number.setdefault(ends, len(number))
    found.flags.writeable = False
    return found


def _halves() -> list[tuple[int, ...]]:
    """All that can lie on one side of a cell, the nearest first: 0 empty, 1 and 2 stones of either player, 3 border."""
    return [
        (*cells, *[3] * (REACH - len(cells)))
        for length in range(REACH + 1)
        for cells in itertools.product(range(3), repeat=length)
    ]


def _stones(halves: tuple[tuple[int, ...], ...]) -> int:
    return sum(cell in (1, 2) for half in halves for cell in half)


def _code(before: tuple[int, ...], after: tuple[int, ...]) -> int:
    """What lies before a cell and after it, as the board has it."""
    cells = [*reversed(before), *after]
    return sum((cell & 1) << place | (cell >> 1) << place + 2 * REACH for place, cell in enumerate(cells))


@functools.cache
def swapped() -> npt.NDArray[np.uint16]:
    """For every pattern the one with the players exchanged."""
    codes, numbers = np.arange(CODES), pattern_of()
    found = np.zeros(patterns()[0], np.uint16)
    found[numbers] = numbers[codes >> 2 * REACH | (codes & (1 << 2 * REACH) - 1) << 2 * REACH]
    found[0] = 0  # what cannot be is not turned into anything
    return found


def patterns() -> tuple[int, int]:
    """How many patterns there are, and how many of those have no stone: their vectors are zero."""
    halves = sum(3**length for length in range(REACH + 1))
    return halves * (halves + 1) // 2, (REACH + 1) * (REACH + 2) // 2


def suits(game: Connect) -> bool:
    """Whether there can be a network for the game."""
    return (game.p, game.k) in ((1, REACH + 1), (2, REACH + 2)) and not game.exact


def check_fits(game: Connect) -> None:
    """Refuse what patterns of this length do not describe."""
    if not suits(game):
        suited = f"one stone a turn and {REACH + 1} in a row, or two and {REACH + 2}"
        raise SettingError(f"a network of shapes is for {suited}, not for {game}")


def shipped_for(game: Connect) -> Path | None:
    """The network that comes with the package for a game, if there is one."""
    path = FOLDER / OWN.get(game.p, "")
    return path if suits(game) and path.is_file() else None


def write_network(path: Path, network: ShapeNetwork) -> None:
    """Write a network, whole or not at all."""
    with writing(path) as file:
        np.savez_compressed(file, **network._asdict())


def read_network(path: Path) -> ShapeNetwork:
    """A network from a file; anything else is refused."""
    try:
        with reading(path) as file:
            content = file.read(MOST_FILE + 1)
        if len(content) > MOST_FILE:
            raise ValueError("it is too large")
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            network = ShapeNetwork(*(found[name] for name in ShapeNetwork._fields))
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:  # what is no archive of arrays fails in many ways
        raise FileError(f"{path} is no network of shapes: {error}") from None
    _check(path, network)
    return network


def _check(path: Path, network: ShapeNetwork) -> None:
    """Refuse arrays of other shapes and kinds, and numbers that are none."""
    wanted: dict[str, tuple[Any, tuple[int, ...]]] = {
        "vectors": (np.int16, (patterns()[0], WIDTH)),
        "layer": (np.int16, (LAYERS, 2 * WIDTH + 1, HIDDEN)),
        "last": (np.float32, (LAYERS, HIDDEN + 1)),
    }
    for name, (kind, shape) in wanted.items():
        array = getattr(network, name)
        if array.dtype != kind or array.shape != shape or not np.isfinite(array).all():
            found = f"{array.dtype} of shape {array.shape}"
            raise FileError(f"{path}: {name} must be finite, {np.dtype(kind)} of shape {shape}, not {found}")
    if network.vectors[: patterns()[1]].any():
        raise FileError(f"{path}: patterns without a stone must have vectors of zeros")
