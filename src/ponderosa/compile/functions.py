"""Functions as their authors know them: where they stand, and what they call. Start at place."""

from __future__ import annotations

import inspect
import types
from pathlib import Path
from typing import Any

from ponderosa.compile.fingerprint import reached_names


def place(code: Any, line: int | None = None) -> str:
    """Where something is, for its author."""
    return f"{Path(code.co_filename).name}, line {line or code.co_firstlineno}"


def reached_functions(function: Any, seen: tuple[Any, ...] = ()) -> list[Any]:
    """A function and the plain Python functions that it calls by name, those too."""
    reached = [function]
    for name in sorted(reached_names(function.__code__) & function.__globals__.keys()):
        value = function.__globals__[name]
        if inspect.isfunction(value) and value not in (*seen, function):
            reached += reached_functions(value, (*seen, function))
    return reached


def relinked(function: Any, **names: Any) -> Any:
    """A plain Python function, and those of its module that it calls, with other functions in the place of some."""
    linked = {**function.__globals__, **names}
    for name, value in function.__globals__.items():
        own = isinstance(value, types.FunctionType) and value.__globals__ is function.__globals__
        if own and name not in names:
            linked[name] = types.FunctionType(value.__code__, linked, name, value.__defaults__, value.__closure__)
            linked[name].__dict__.update(value.__dict__)  # its marks
    return linked[function.__name__]
