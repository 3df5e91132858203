"""Boards of coloured cells for SameGame, drawn from a seed or read from a text file. Start at read_board."""

from __future__ import annotations

import string
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ponderosa.core.rng import below, new_rng
from ponderosa.errors import SettingError
from ponderosa.system.files import read_text

LONGEST_SIDE = 32
COLOURS = string.ascii_uppercase
MOST_COLOURS = 62
MOST_BYTES = 100_000
"""No file of a board is longer."""

Cells = npt.NDArray[np.int8]
"""Colours from 1 on, 0 for an empty cell, by column and row from the bottom."""


def check_sides(rows: int, columns: int) -> None:
    """A board is neither empty nor too large."""
    if not (1 <= rows <= LONGEST_SIDE and 1 <= columns <= LONGEST_SIDE):
        raise SettingError(f"samegame boards have 1 to {LONGEST_SIDE} rows and columns, not {rows} x {columns}")


def drawn_board(rows: int, columns: int, colours: int, seed: int) -> Cells:
    """A board whose cells have random colours, every one as likely as any other: a column a row of the array."""
    check_sides(rows, columns)
    if not 1 <= colours <= len(COLOURS):
        raise SettingError(f"samegame has 1 to {len(COLOURS)} colours, not {colours}")
    if seed < 0:
        raise SettingError(f"samegame: seed must be 0 or more, not {seed}")
    rng = new_rng(seed)
    return np.array([[below(rng, colours) + 1 for _ in range(rows)] for _ in range(columns)], np.int8)


def read_board(path: str) -> tuple[str, Cells]:
    """The symbols of a text file's colours, and its board; what hangs in the air falls."""
    try:
        lines = read_text(Path(path).expanduser(), MOST_BYTES).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"samegame: the board {path!r} cannot be read: {error}") from None
    texts = [line for line in ("".join(line.split()) for line in lines) if line]
    symbols = "".join(sorted(set("".join(texts)) - {"."}))
    if len({len(text) for text in texts}) != 1 or not symbols.isalnum() or len(symbols) > MOST_COLOURS:
        raise SettingError(
            f"samegame: {path!r} is no board; write a line a row, all equally long, with a letter or digit a colour "
            "and a dot for an empty cell"
        )
    check_sides(len(texts), len(texts[0]))
    fallen = [[line for line in column if line != "."] for column in zip(*reversed(texts), strict=True)]
    board = np.zeros((len(texts[0]), len(texts)), np.int8)
    for place, column in enumerate(filter(None, fallen)):
        board[place, : len(column)] = [symbols.index(symbol) + 1 for symbol in column]
    return symbols, board
