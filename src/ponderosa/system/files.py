"""Files that others may have planted or damaged: written whole or not at all, read with a bound. Start at writing.

Only a regular file is written beside its place and renamed. Devices and pipes are written to as they are, and of a link
the file that it leads to is replaced, so that the link stays a link.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ponderosa.errors import FileError, PonderosaError, SettingError

UNFINISHED = ".part"
"""How the names of files end that are being written."""
MOST_TEXT = 64 * 2**20
"""No text that people write is longer, in bytes."""
MOST_LINKS = 40
"""A link that leads to a link, and so on, is followed so many times, as systems do."""
MOST_NAME = 50
"""So much of a name is found in that of the file beside it: systems take 255 bytes."""
_OPEN_FILES = ("/proc", "/dev/fd")
"""Where systems show what a process has open, /dev/stdout too: its owner goes on writing to it, whatever its name."""

Refusal = type[PonderosaError]


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


def read_text(path: Path, most: int = MOST_TEXT) -> str:
    """A text in UTF-8 of at most so many bytes; more, as a device gives without end, is an OSError."""
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes")
    return content.decode()


def read_toml(path: str | Path) -> dict[str, Any]:
    """What a TOML file says; the error says why it cannot be read."""
    try:
        return tomllib.loads(read_text(Path(path).expanduser()))
    except OSError as error:
        raise SettingError(f"{str(path)!r} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:  # no TOML, or no UTF-8
        raise SettingError(f"{path} is not TOML: {error}") from None


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
    beside = path.with_name(f"{path.name[:MOST_NAME]}.{os.getpid()}-{os.urandom(4).hex()}{UNFINISHED}")
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # else a machine that loses its power may keep the new name with nothing in it
        with contextlib.suppress(OSError):
            beside.chmod(stat.S_IMODE(path.stat().st_mode))  # who may read it stays as it is
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
