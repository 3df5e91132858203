"""Marks on functions for the compiler. Start at inlined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


def inlined(function: AnyFunction) -> AnyFunction:
    """Marks a small function that rules and phases call often: its machine code stands in the place of every call."""
    function.inlined = True  # type: ignore[attr-defined]
    return function


def instruction(name: str) -> Callable[[AnyFunction], AnyFunction]:
    """Marks a function of one integer that compiled code replaces by an instruction of LLVM."""

    def mark(function: AnyFunction) -> AnyFunction:
        function.instruction = name  # type: ignore[attr-defined]
        return function

    return mark


def few_numbers(count: int) -> Any:
    """Zeros, as many as a game has players, for a function to work with; on a card, in memory of the thread."""
    return np.zeros(count)


few_numbers.few_numbers = True  # type: ignore[attr-defined]
