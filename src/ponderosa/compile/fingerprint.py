"""A hash of all that a compiled function depends on: no edit is answered by stale code. Start at fingerprint."""

from __future__ import annotations

import functools
import hashlib
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

OFFERED = "__offered__"
"""Under this name a module may have what it makes when it is asked for, as core/rules.py does: its own name must
tell what that is."""


def fingerprint(value: Any) -> str:
    """A hash of a function's code, its constants, and every function and constant that it reaches."""
    digest = hashlib.sha256()
    for piece in _describe(value, set()):
        digest.update(piece.encode())
        digest.update(b"\0")
    return digest.hexdigest()[:32]


def reached_names(code: types.CodeType) -> set[str]:
    """The names that a code object, and the code inside it, may look up in its globals."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= reached_names(constant)
    return names


def _describe(value: Any, seen: set[int]) -> Iterator[str]:
    value = getattr(value, "py_func", value)
    if isinstance(value, types.FunctionType):
        yield "function"
        if id(value) not in seen:
            seen.add(id(value))
            yield from _describe_function(value, seen)
    elif isinstance(value, types.CodeType):
        yield value.co_code.hex()
        yield repr(value.co_names + value.co_varnames)
        for constant in value.co_consts:
            yield from _describe(constant, seen)
    elif isinstance(value, types.ModuleType):
        yield from _describe_module(value, seen)
    elif isinstance(value, np.ndarray):
        yield f"array {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    elif isinstance(value, np.dtype):
        yield f"dtype {value.descr} {value.isalignedstruct}"
    elif isinstance(value, tuple | list | frozenset):
        yield type(value).__name__
        for item in value:
            yield from _describe(item, seen)
    else:
        yield f"{type(value).__qualname__} {re.sub(r'0x[0-9a-f]+', '', repr(value))}"


def _describe_function(function: types.FunctionType, seen: set[int]) -> Iterator[str]:
    yield from _describe(function.__code__, seen)
    yield from _describe(function.__defaults__, seen)
    yield from _describe(tuple(sorted((function.__kwdefaults__ or {}).items())), seen)
    for cell in function.__closure__ or ():
        yield from _describe(cell.cell_contents, seen)
    names = sorted(reached_names(function.__code__))
    for name in names:
        if name in function.__globals__:
            value = function.__globals__[name]
            yield name
            yield from _describe(value, seen)
            if isinstance(value, types.ModuleType):
                yield from _describe_attributes(value, names, seen)


def _describe_attributes(module: types.ModuleType, names: list[str], seen: set[int]) -> Iterator[str]:
    """What a function may take from a module that it names: the module's file does not say what it imports itself."""
    for name in names:
        value = vars(module).get(name)
        if isinstance(value, types.ModuleType):
            if id(value) not in seen:
                seen.add(id(value))
                yield from _describe_module(value, seen)
                yield from _describe_attributes(value, names, seen)
        elif hasattr(value, "py_func") or isinstance(value, bool | int | float | str | tuple | np.ndarray | np.dtype):
            yield name
            yield from _describe(value, seen)


def _describe_module(module: types.ModuleType, seen: set[int]) -> Iterator[str]:
    yield f"module {module.__name__} {getattr(module, '__version__', '')}"
    file = getattr(module, "__file__", None)
    if file is not None:
        yield _file_hash(file)
    else:
        offered = vars(module).get(OFFERED, ())
        for name, value in sorted(vars(module).items()):
            if not name.startswith("__") and name not in offered:
                yield name
                yield from _describe(value, seen)


@functools.cache
def _file_hash(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""
