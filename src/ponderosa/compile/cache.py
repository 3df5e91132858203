"""The folder for machine code: whose it is, what is in it, and how large it may get. Start at cache_folder.

Machine code is run as it is, and what Numba keeps beside it is pickled: who can write the folder can run anything here.
No key could tell good content from bad, because it would have to lie where the content lies. So ownership is the guard:
the folder must be its user's own, nobody else may write it, and the same holds for every file that is read from it.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import stat
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ponderosa.errors import SettingError
from ponderosa.system.files import write_private

VARIABLE = "PONDEROSA_CACHE_DIR"
"""The environment variable that names another folder."""
BOUND = "PONDEROSA_CACHE_MB"
"""The environment variable that says how many megabytes are kept."""
MOST_MEGABYTES = 1024
"""How many are kept, unless said otherwise: all that comes with the package takes less than a tenth."""
LEFT = 0.8
"""What is left, as a part of the bound, when it was passed: the next time comes later."""
DAY = 86_400.0
"""Seconds after which a use is noted anew, and a file that nobody has finished is given up."""
CODE, LOCK = ".nbc", ".lock"
OUR_FOLDER = re.compile(r"native-\d[\w.+]*")
OUR_FILE = re.compile(r".+-[0-9a-f]{32}(-[0-9a-f]{8})?(\.\d+)?(\.nbi|\.nbc)?(\.lock|(\.tmp)?\.[0-9a-f]+(\.part)?)?")
"""What this and earlier versions have written; whatever else lies there belongs to somebody else."""
"""How names of files end; earlier versions had an index beside the code."""
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH


class CacheWarning(UserWarning):
    """The folder for machine code cannot be used as it is."""


class Kept(NamedTuple):
    """A file of the cache."""

    used: float
    """When, in seconds since 1970."""
    size: int
    path: Path


def cache_folder() -> Path | None:
    """The user's own folder for machine code, or None when there is none that can be written."""
    return _folder_below(os.environ.get(VARIABLE, ""))


@functools.cache
def _folder_below(named: str) -> Path | None:
    """The folder, a private one in its place if it cannot be trusted; that is said once."""
    base = Path(named) if named else _usual()
    folder = _made(base)
    fault = "" if folder is None else fault_of(folder)
    if not fault:
        return folder
    private = _made(_private())
    if private is not None and (fault_of(private) or _private().is_symlink()):
        private = None
    instead = "is not kept" if private is None else f"is kept in {private} instead"
    warnings.warn(
        f"{folder} {fault}, and whoever writes there could run code here: machine code {instead}. "
        f"Make it yours alone (chmod 700), or name another folder with {VARIABLE}",
        CacheWarning,
        stacklevel=2,
    )
    return private


def fault_of(folder: Path) -> str:
    """Why a folder cannot be trusted; empty, if only its user can write there."""
    if not hasattr(os, "geteuid"):  # Windows: a user's folder is the user's
        return ""
    found = folder.stat()
    if found.st_uid != os.geteuid():
        return "belongs to another user"
    if found.st_mode & _WRITABLE:
        return "can be written by others"
    for parent in folder.resolve().parents:
        mode = parent.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:  # sticky: nobody can rename what is another's
            return f"lies in {parent}, where everybody can put another in its place"
    return ""


def read_own(path: Path) -> bytes | None:
    """What is in a file of the cache; None, if there is none, or one that is not its user's alone."""
    with contextlib.suppress(OSError), os.fdopen(os.open(path, os.O_RDONLY | _SAFELY), "rb") as file:
        found = os.fstat(file.fileno())
        foreign = hasattr(os, "geteuid") and (found.st_uid != os.geteuid() or found.st_mode & _WRITABLE)
        if not stat.S_ISREG(found.st_mode) or foreign:
            return None
        if time.time() - found.st_mtime > DAY:
            os.utime(path)
        return file.read(found.st_size)
    return None


def write_own(path: Path, content: bytes) -> None:
    """Put a file into the cache, whole; now and then, what was used longest ago makes room for it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(path, content)
    _room.make(path.parent.parent, len(content))


class _Room:
    """Looks after the size of the cache: when a process first writes to it, and whenever it has grown."""

    def __init__(self) -> None:
        self._left = 0

    def make(self, base: Path, size: int) -> None:
        """Count what was written, and prune when it is time."""
        self._left -= size
        if self._left < 0:
            most = most_bytes()
            self._left = most // 16
            prune(base, most)


_room = _Room()
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def most_bytes() -> int:
    """How much is kept."""
    given = os.environ.get(BOUND, "") or str(MOST_MEGABYTES)
    if not (given.isdecimal() and given.isascii() and len(given) < 10):
        raise SettingError(f"{BOUND} must be a whole number of megabytes, not {given!r}")
    return int(given) * 2**20


def kept_in(base: Path) -> list[Kept]:
    """The machine code in all folders of a cache, that of other versions too; what was used longest ago comes first."""
    return sorted(found for found in _files(base) if found.path.suffix == CODE)


def prune(base: Path, most: int) -> int:
    """Remove what was used longest ago until there is room; how many bytes are left. Others may be at it, too."""
    files = kept_in(base)
    left = sum(found.size for found in files)
    for _, size, path in files if left > most else ():
        if left <= LEFT * most:
            break
        _remove(path)
        left -= size
    for used, _, path in _files(base):
        if path.suffix != CODE and time.time() - used > DAY:
            _remove(path)
    return left


def clear(base: Path) -> int:
    """Remove everything; how many bytes that were. A process that compiles meanwhile loses time, and nothing else."""
    files = [found for found in _files(base) if found.path.suffix != LOCK]
    for found in files:
        _remove(found.path)
    return sum(found.size for found in files)


def _files(base: Path) -> Iterator[Kept]:
    """Whatever this or an earlier version has put into the folders of a cache."""
    for folder in base.glob("native-*"):
        if folder.is_symlink() or not OUR_FOLDER.fullmatch(folder.name):
            continue
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder):
                with contextlib.suppress(OSError):
                    found = entry.stat(follow_symlinks=False)
                    if OUR_FILE.fullmatch(entry.name) and stat.S_ISREG(found.st_mode):
                        yield Kept(found.st_mtime, found.st_size, Path(entry.path))


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def _made(base: Path) -> Path | None:
    """The folder of this version of the compiler, if it can be written."""
    from importlib.metadata import version

    folder = base / f"native-{version('numba')}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        if error.errno != errno.EEXIST:
            return None
    return folder if folder.is_dir() and os.access(folder, os.W_OK) else None


def _usual() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("ponderosa", appauthor=False))


def _private() -> Path:
    """A folder of the user's own where everybody may make folders."""
    import tempfile

    base = Path(tempfile.gettempdir(), f"ponderosa-{os.geteuid() if hasattr(os, 'geteuid') else 'own'}")
    with contextlib.suppress(OSError):
        base.mkdir(mode=0o700)
    return base
