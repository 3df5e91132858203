"""Functions as their authors know them: where they stand, and what they call. Start at place."""

from __future__ import annotations

import inspect
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
