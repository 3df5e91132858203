"""Pieces of a card's memory that are used again. Start at Blocks.

A card takes long to find and to give back large ones, and results are made at every run and dropped when the next one
has begun.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

APART = 256
"""Bytes, of which arrays in one piece begin at a multiple."""
LOOSE = 2
"""A piece is used for what needs at least one part in this many of it."""

Kind = tuple[tuple[int, ...], Any]
"""A shape and a dtype."""


class Blocks:
    """Arrays in pieces of memory, each of which is used again when nobody holds an array of it any more."""

    def __init__(self, empty: Callable[[tuple[int, ...], Any], Any]) -> None:
        """`empty` makes an array of a card."""
        self._empty = empty
        self._lent: list[tuple[Any, list[weakref.ref[Any]]]] = []

    def arrays(self, kinds: Sequence[Kind]) -> list[Any]:
        """Arrays of these shapes and dtypes, with anything in them."""
        sizes = [math.prod(shape) * np.dtype(dtype).itemsize for shape, dtype in kinds]
        places = np.cumsum([0, *(-(-size // APART) * APART for size in sizes)]).tolist()
        block = self._block(max(places[-1], APART))
        made = [
            block[begin : begin + size].view(dtype).reshape(*shape) if size else self._empty(shape, dtype)
            for (shape, dtype), begin, size in zip(kinds, places, sizes, strict=False)
        ]
        self._lent.append((block, [weakref.ref(array) for array in made]))
        return made

    def _block(self, size: int) -> Any:
        """A piece that nobody uses; those that nobody uses and that do not fit are given back."""
        free = [block for block, lent in self._lent if all(array() is None for array in lent)]
        self._lent = [(block, lent) for block, lent in self._lent if any(array() is not None for array in lent)]
        fitting = [block for block in free if size <= block.size <= LOOSE * size]
        return fitting[0] if fitting else self._empty((size,), np.uint8)

    def forget(self) -> None:
        """Give back what nobody uses."""
        self._lent.clear()
