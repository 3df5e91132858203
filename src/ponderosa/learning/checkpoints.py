"""What a run of learning has come to, on disk, so that it goes on after any end. Start at Folder.save.

Files are written beside those of the last checkpoint, and count from the moment that state.json names them; then the
old ones go. Positions are written once, in pieces, until they have left the window. Arrays are NumPy's own files, read
without pickle.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa.errors import FileError, PonderosaError
from ponderosa.learning.replay import Replay
from ponderosa.learning.selfplay import Lessons
from ponderosa.system.files import read_text, reading, write_text, writing

FORMAT = 1
STATE = "state.json"
MOST_STATE = 256 * 2**20
"""No state is longer, in bytes."""

Arrays = Mapping[str, Any]


class Folder:
    """The folder of a run."""

    def __init__(self, path: Path) -> None:
        self.path = made(path)
        self.state: dict[str, Any] | None = self._read_state()
        """What the last checkpoint said; None: there is none."""

    def _read_state(self) -> dict[str, Any] | None:
        place = self.path / STATE
        if not place.exists():
            return None
        try:
            state: dict[str, Any] = json.loads(read_text(place, MOST_STATE))
            if state["format"] != FORMAT:
                raise FileError(f"{place} has format {state['format']!r}, and this version reads format {FORMAT}")
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise FileError(f"{place} cannot be read: {error}") from None
        return state

    def save(self, told: Mapping[str, Any], parts: Mapping[str, Arrays], replay: Replay) -> None:
        """Write a checkpoint: what is told goes to state.json, and each part has a file of arrays."""
        before = self.state or {"number": 0, "pieces": []}
        number = before["number"] + 1
        files = {name: f"{name}-{number}.npz" for name in parts}
        for name, arrays in parts.items():
            write_arrays(self.path / files[name], arrays)
        pieces = [piece for piece in before["pieces"] if piece["end"] > replay.total - replay.reach]
        last = max((piece["end"] for piece in before["pieces"]), default=0)
        if replay.total > last:
            name = f"positions-{number}.npz"
            write_arrays(self.path / name, replay.since(last)._asdict())
            pieces.append({"file": name, "end": replay.total})
        state = {"format": FORMAT, "number": number, "files": files, "pieces": pieces, **told}
        write_text(self.path / STATE, json.dumps(state))
        self.state = state
        self._sweep()

    def _sweep(self) -> None:
        """Remove what no checkpoint names."""
        assert self.state is not None
        named = {*self.state["files"].values(), *(piece["file"] for piece in self.state["pieces"])}
        for path in self.path.glob("*-*.npz"):
            if path.name not in named:
                with contextlib.suppress(OSError):
                    path.unlink()

    @classmethod
    def begun(cls, path: Path) -> Folder:
        """The folder of a run that has a checkpoint; of another one, nothing is made."""
        if not (path / STATE).is_file():
            raise FileError(f"{path} has no {STATE}: it is no folder of a run, or its run has not come to a checkpoint")
        return cls(path)

    def part(self, name: str) -> dict[str, Any]:
        """The arrays of a part of the last checkpoint."""
        assert self.state is not None
        return read_arrays(self.path / self.state["files"][name])

    def fill(self, replay: Replay) -> None:
        """Put the positions that are kept into a new window."""
        assert self.state is not None
        for piece in self.state["pieces"]:
            lessons = Lessons(**read_arrays(self.path / piece["file"]))
            replay.total = piece["end"] - len(lessons.records)  # there were more, which have left the window
            replay.add(lessons)


def made(path: Path) -> Path:
    """A folder, made if it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from None
    return path


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays by name."""
    with writing(path) as file:
        named: dict[str, Any] = {name: np.asarray(array) for name, array in arrays.items()}
        np.savez(file, **named)


def read_arrays(path: Path) -> dict[str, Any]:
    """Read arrays by name; a file that is damaged is an error in words."""
    try:
        with reading(path) as file, np.load(file, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except PonderosaError:
        raise
    except Exception as error:  # a damaged archive fails in many ways
        raise FileError(f"{path} cannot be read: {error}") from None
