"""Files that others may have planted or damaged: written whole or not at all, read with a bound. Start at writing.

Only a regular file is written beside its place and renamed. Devices and pipes are written to as they are, and of a link
the file that it leads to is replaced, so that the link stays a link.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ponderosa.errors import FileError, PonderosaError, SettingError, unknown

UNFINISHED = ".part"
"""How the names of files end that are being written."""
MOST_TEXT = 64 * 2**20
"""No text that people write is longer, in bytes."""
MOST_LINKS = 40
"""How many times a link that leads to a link is followed, as systems do."""
MOST_NAME = 50
"""How many characters of a name are found in that of the file beside it: systems take 255 bytes."""
_OPEN_FILES = ("/proc", "/dev/fd")
"""Where systems show what a process has open, /dev/stdout too: its owner goes on writing to it, whatever its name."""

Refusal = type[PonderosaError]


@dataclass(frozen=True)
class ValueKind:
    """What a key of a TOML file may have for a value."""

    words: str
    """For people."""
    types: tuple[type, ...]


TEXT = ValueKind("text", (str,))
LIST = ValueKind("a list", (list,))
TABLE = ValueKind("a table", (dict,))
WHOLE = ValueKind("a whole number", (int,))
NUMBER = ValueKind("a number", (int, float))
FLAG = ValueKind("true or false", (bool,))


@contextlib.contextmanager
def writing(path: Path, refusal: Refusal = FileError) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its place when all is written; what goes wrong with it is said in a sentence."""
    try:
        place = _place(path)
        with _replacing(place) if place is not None else _as_it_is(path) as file:
            yield file
    except OSError as error:
        raise refusal(f"cannot write {path}: {error.strerror or error}") from None


def write_text(path: Path, text: str, refusal: Refusal = FileError) -> None:
    """Write a text, whole or not at all."""
    write_bytes(path, text.encode(), refusal)


def write_bytes(path: Path, content: bytes, refusal: Refusal = FileError) -> None:
    """Write a file, whole or not at all."""
    with writing(path, refusal) as file:
        file.write(content)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that its owner alone may read and that can be made again: nobody waits for the disk."""
    with _renamed(path, path.name, 0o600) as file:
        file.write(content)


def read_text(path: Path, most: int = MOST_TEXT) -> str:
    """A text in UTF-8 of at most `most` bytes; more, as a device gives without end, is an OSError."""
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes")
    return content.decode()


def read_toml(path: str | Path, keys: Mapping[str, ValueKind] | None = None) -> dict[str, Any]:
    """What a TOML file says; the error says why it cannot be read, or what else it may say than `keys`."""
    try:
        values = tomllib.loads(read_text(Path(path).expanduser()))
    except OSError as error:
        raise SettingError(f"{str(path)!r} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:  # no TOML, or no UTF-8
        raise SettingError(f"{path} is not TOML: {error}") from None
    for key, value in values.items() if keys is not None else ():
        _check_key(path, key, value, keys or {})
    return values


def _check_key(path: str | Path, key: str, value: object, keys: Mapping[str, ValueKind]) -> None:
    if key not in keys:
        raise SettingError(f"{path}: {unknown('setting', key, keys)}")
    kind = keys[key]
    if not isinstance(value, kind.types) or (isinstance(value, bool) and bool not in kind.types):
        raise SettingError(f"{path}: {key} must be {kind.words}, not {value!r}")


@contextlib.contextmanager
def reading(path: Path) -> Iterator[IO[bytes]]:
    """A regular file to read from; anything else is an OSError, before it is waited for."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    with path.open("rb") as file:
        yield file


def _place(path: Path) -> Path | None:
    """The regular file, there already or not, that a path leads to; None: something that is written to as it is."""
    for _ in range(MOST_LINKS):
        path = Path(os.path.realpath(path.parent), path.name)
        if any(path.is_relative_to(folder) for folder in _OPEN_FILES):
            return None
        if not path.is_symlink():
            return path if path.is_file() or path.is_dir() or not path.exists() else None
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _as_it_is(path: Path) -> IO[bytes]:
    """A device or a pipe; of what this process has open, what it writes goes on where it is."""
    number = {"/dev/stdout": "1", "/dev/stderr": "2"}.get(str(path), path.name)
    if number.isdecimal() and str(path.parent) in ("/dev", "/dev/fd", "/proc/self/fd"):
        return os.fdopen(os.dup(int(number)), "wb")
    return path.open("wb")


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A new file beside the path, under a name that nobody can guess; at the end it is put there."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    with _renamed(path, path.name[:MOST_NAME], 0o666) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())  # else a machine that loses its power may keep the new name with nothing in it
        with contextlib.suppress(OSError):
            Path(file.name).chmod(stat.S_IMODE(path.stat().st_mode))  # who may read it stays as it is


@contextlib.contextmanager
def _renamed(path: Path, begin: str, mode: int) -> Iterator[IO[bytes]]:
    """A new file whose name begins so; it gets the path's name when all is written, and is removed if that fails."""
    beside = path.with_name(f"{begin}.{os.urandom(8).hex()}{UNFINISHED}")
    try:
        with open(beside, "xb", opener=functools.partial(os.open, mode=mode)) as file:
            yield file
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
