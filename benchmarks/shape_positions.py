"""Files of positions of Gomoku or Connect6, with values and results. Start at Position.

benchmarks/shape_games.py writes them and benchmarks/shape_network.py learns from them: about 7 bytes a position.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ponderosa.system.files import writing

VALUES = 65_535
"""Values are written as whole numbers from 0 to this."""
UNKNOWN = -1.0
"""The result for a position that was not played on from."""


class Position(NamedTuple):
    """What is kept of a position, for the player to move."""

    own: Any
    """A bit for each cell with a stone of theirs."""
    other: Any
    known: int
    """What the fitted weights say of it, in points."""
    value: float
    """What the search says, from 0 to 1."""
    result: float
    """What came of it, from 0 to 1, or UNKNOWN."""
    game: int


def save(file: Path, found: list[Position]) -> None:
    """Write positions, an array for each of their facts."""
    arrays = {
        "own": np.array([each.own for each in found], np.uint8),
        "other": np.array([each.other for each in found], np.uint8),
        "known": np.array([each.known for each in found], np.int16),
        "value": np.rint(np.array([each.value for each in found]) * VALUES).astype(np.uint16),
        "result": np.rint(np.array([each.result for each in found]) * 2).astype(np.int8),
        "game": np.array([each.game for each in found], np.int64),
    }
    with writing(file) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array)


def read(folder: Path) -> Position:
    """The positions of all files in a folder, an array for each of their facts."""
    files = [dict(np.load(file)) for file in sorted(folder.rglob("*.npz"))]
    found = Position(*(np.concatenate([each[name] for each in files]) for name in Position._fields))
    value, result = found.value.astype(np.float32) / VALUES, found.result.astype(np.float32) / 2
    return found._replace(value=value, result=np.where(result < 0, np.float32(UNKNOWN), result))


def stones_of(found: Position, cells: int) -> Any:
    """The cells of each position: 1 is a stone of the player to move, 2 one of the other's."""
    own, other = (np.unpackbits(bits, axis=1)[:, :cells] for bits in (found.own, found.other))
    return own + 2 * other
