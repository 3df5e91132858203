"""Arrays in a file, with a description of them. Start at write_arrays and read_arrays.

An .npz archive of plain arrays and a JSON text that says what they are. Nothing in it is pickled, and a checksum covers
all of it. The checksum tells damage, not malice: what is read is checked by whoever uses it. Nothing is unpacked before
the sizes in the archive's directory and in the headers of its arrays are found to be right.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from ponderosa.errors import TreeFileError
from ponderosa.mcts.tree.node import NODE
from ponderosa.system.files import reading, writing
from ponderosa.system.memory_limits import most_memory

MOST_BYTES = 64 * 2**20
"""No array but that of the nodes is longer."""
MOST_SQUEEZED = 100
"""Nodes of a search are packed into one byte in ten; into one in this many, only what nobody has searched."""
PIECE = 2**24
"""How many bytes are unpacked at a time."""
MOST_FIELD = 8 * 2**7
"""Bytes of a number that a policy keeps in a node, for every player."""
_PLAIN = {"root": np.uint8, "rng": np.uint64, "about": np.uint8, "learned": np.float64}
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class Kind(NamedTuple):
    """A kind of file: what people call it, and what is in it."""

    name: str
    format: int | str
    arrays: tuple[str, ...]
    facts: tuple[str, ...]
    """What its description tells."""


class _WrongError(Exception):
    """What is wrong with an array, in words."""


def write_arrays(path: Path, about: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write arrays, a description of them and a checksum of all."""
    text = json.dumps(about | {"checksum": checksum(about, *arrays.values())})
    with writing(path, TreeFileError) as file:
        np.savez_compressed(file, **arrays, about=np.frombuffer(text.encode(), np.uint8))


def read_arrays(path: Path, kind: Kind) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays of a file and what it says about them, if it is whole and of the kind that is expected."""
    arrays = _read(path, kind)
    about = _about(path, arrays["about"], kind)
    if about.pop("checksum") != checksum(about, *(arrays[name] for name in kind.arrays)):
        raise TreeFileError(f"{path} is damaged: its checksum does not fit")
    return arrays, about


def checksum(about: dict[str, Any], *arrays: Any) -> str:
    """Of a description and of the arrays that it describes."""
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _read(path: Path, kind: Kind) -> dict[str, Any]:
    try:
        with reading(path) as file, zipfile.ZipFile(file) as archive:
            arrays = {name: _array(archive, name) for name in ("about", *kind.arrays)}
    except OSError as error:
        raise TreeFileError(f"cannot read {path}: {error.strerror or f'it is not {kind.name}'}") from None
    except _WrongError as error:
        raise TreeFileError(f"{path} is not {kind.name} of this version: {error}") from None
    except Exception as error:  # what is no archive, or a damaged one, fails in many ways
        raise TreeFileError(f"{path} is not {kind.name}, or it is damaged ({type(error).__name__})") from None
    if len(arrays["nodes"]) == 0 or ("rng" in arrays and arrays["rng"].shape != (1,)):
        raise TreeFileError(f"{path} is not {kind.name}: it is empty")
    return arrays


def _array(archive: zipfile.ZipFile, name: str) -> Any:
    """An array of the archive: never more than its headers say, and they say what is right."""
    packed = archive.getinfo(f"{name}.npy")
    with archive.open(packed) as file:
        length, kind = _header(name, file)
        size = length * kind.itemsize
        if file.tell() + size != packed.file_size:
            raise _WrongError(f"{name} has another size than its header says")
        _check_size(name, length, kind, packed.compress_size)
        array = np.empty(length, kind)
        _fill(name, array.view(np.uint8), file)
    return array


def _fill(name: str, room: Any, file: IO[bytes]) -> None:
    """Read an array to its end, where the archive's own checksum is looked at."""
    for begin in range(0, len(room), PIECE):
        content = file.read(min(PIECE, len(room) - begin))
        room[begin : begin + len(content)] = np.frombuffer(content, np.uint8)
        if len(content) != min(PIECE, len(room) - begin):
            raise _WrongError(f"{name} is not whole")
    if file.read(1):
        raise _WrongError(f"{name} is longer than it says")


def _header(name: str, file: IO[bytes]) -> tuple[int, np.dtype[Any]]:
    """How long an array is, and what it is made of."""
    shape, _, kind = _HEADERS[np.lib.format.read_magic(file)](file)
    fits = _holds_nodes(kind) if name == "nodes" else kind == _PLAIN[name]
    if not fits or len(shape) != 1 or not 0 <= shape[0] < 2**48:
        raise _WrongError(f"{name} has the wrong type")
    return int(shape[0]), _aligned(kind) if name == "nodes" else kind


def _holds_nodes(kind: np.dtype[Any]) -> bool:
    """Whether records are those of nodes, with some numbers more."""
    own, found = dict(NODE.fields or {}), dict(kind.fields or {})
    plain = all(field[0].base.kind in "iuf" and field[0].itemsize <= MOST_FIELD for field in found.values())
    return plain and _aligned(kind) == kind and all(found.get(name, ())[:2] == own[name][:2] for name in own)


def _aligned(kind: np.dtype[Any]) -> np.dtype[Any]:
    """The same fields as machine code wants them to lie."""
    return np.dtype([(name, kind[name]) for name in kind.names or ()], align=True)


def _check_size(name: str, length: int, kind: np.dtype[Any], packed: int) -> None:
    """Refuse what no search wrote, and what has no room here, before it is unpacked."""
    size = length * kind.itemsize
    if name != "nodes" and size > MOST_BYTES:
        raise _WrongError(f"{name} has {size:,} bytes, and never more than {MOST_BYTES:,}")
    if name == "nodes" and size > most_memory() // 2:
        raise _WrongError(f"it holds {length:,} nodes, which take more than half of the memory that there is here")
    if name == "nodes" and size > max(MOST_BYTES, MOST_SQUEEZED * packed):
        raise _WrongError(f"{size:,} bytes of nodes cannot come out of {packed:,}")


def _about(path: Path, text: Any, kind: Kind) -> dict[str, Any]:
    try:
        about = json.loads(text.tobytes())
    except (ValueError, RecursionError):
        raise TreeFileError(f"{path} is damaged: its description cannot be read") from None
    found = about.get("format") if isinstance(about, dict) else None
    if found != kind.format:
        raise TreeFileError(f"{path} has format {found}, and this version reads format {kind.format} ({kind.name})")
    missing = {*kind.facts, "checksum"} - about.keys()
    if missing:
        raise TreeFileError(f"{path} is damaged: its description lacks {sorted(missing)}")
    return dict(about)
