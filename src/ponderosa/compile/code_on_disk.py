"""Machine code on disk, a file a function. Start at kept_code.

Numba's own cache never hits for functions that close over other compiled functions, and does not notice an edit in
another file; here the key is a fingerprint of all reached. A file begins with a checksum of what it is of and of all
that follows: a damaged file, and one that was put in another's place, is as good as none. compile/cache.py is the guard
against files of others: what is read here is unpickled and run.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import sys
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from ponderosa.compile.cache import CODE, cache_folder, read_own, write_own

DIGEST = hashlib.sha256().digest_size


def kept_code(function: Any, mark: str, dispatcher: Any) -> Path | None:
    """Let a dispatcher find its machine code in the cache, and put it there; the file, or None without a cache."""
    path, identity = place_of(function, mark)
    if path is not None:
        dispatcher._cache = _FingerprintCache(function, _KeptFile(path, identity))
    return path


def place_of(function: Any, mark: str) -> tuple[Path | None, bytes]:
    """The file for the machine code of a function, None without a cache; and what its checksum covers besides."""
    folder = cache_folder()
    machine = cpu_target.target_context.codegen().magic_tuple()  # the processor: homes are shared by several machines
    identity = repr((function.__name__, mark, machine, numba.__version__, sys.version_info[:2])).encode()
    name = f"{function.__name__}-{mark}-{hashlib.sha256(identity).hexdigest()[:8]}{CODE}"
    return None if folder is None else folder / name, identity


class OwnFile:
    """One file of the cache: a checksum, and what it is of."""

    def __init__(self, path: Path, identity: bytes) -> None:
        self._path, self._identity = path, identity

    def read(self) -> bytes | None:
        """What was written, if this file is whole and of this identity; else None."""
        content = read_own(self._path)
        if content is None or content[:DIGEST] != self._digest(content[DIGEST:]):
            return None
        return content[DIGEST:]

    def write(self, content: bytes) -> None:
        """Keep it."""
        write_own(self._path, self._digest(content) + content)

    def remove(self) -> None:
        """Forget it."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _digest(self, content: bytes) -> bytes:
        return hashlib.sha256(hashlib.sha256(self._identity).digest() + content).digest()


class _KeptFile(OwnFile):
    """One file in the place of Numba's index and its files of data."""

    def load(self, key: Any) -> Any:
        """What was saved, if this file is whole and this function's; else None."""
        content = self.read()
        return None if content is None else pickle.loads(content)

    def save(self, key: Any, data: Any) -> None:
        """Keep what Numba gives."""
        content = dumps(data)
        if b".numba.unresolved$" in content:
            raise ValueError("functions that call each other in a circle cannot be linked again")
        self.write(content)

    def flush(self) -> None:
        """Forget it, as Numba calls that."""
        self.remove()


class _Locator:
    def __init__(self, file: str) -> None:
        self._py_file = file

    def ensure_cache_path(self) -> None:
        """The folder is made when something is written."""


class _Serializer(CompileResultCacheImpl):  # type: ignore[misc]
    def __init__(self, function: Any) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Locator(function.__code__.co_filename)


class _FingerprintCache(FunctionCache):  # type: ignore[misc]
    """Numba's function cache with our file, whose name and checksum are the key."""

    def __init__(self, function: Any, file: _KeptFile) -> None:
        self._name = repr(function)
        self._py_func = function
        self._impl = _Serializer(function)
        self._cache_path = str(file._path.parent)
        self._cache_file = file
        self.enable()

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        return None

    def load_overload(self, signature: Any, context: Any) -> Any:
        try:
            return super().load_overload(signature, context)
        except Exception:  # of another version of something, for one: compile again
            self._cache_file.flush()
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)
        except Exception:  # a full or vanished disk costs time, not the answer
            self.disable()
