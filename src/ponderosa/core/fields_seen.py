"""What is seen of a game without a rule `observe`: every field of its record, as numbers. Start at observer.

First whose turn it is: a one for the player to move. Then, number by number in the order of the record, without what is
scratch: a signed or floating one by its size, sign(x) * log(1 + |x|), which keeps large scores small; a whole one also
by its low bits, which tell what divides it and what a piece's number means. An unsigned one, and one of 64 bits, may be
a board of bits: all of them are told.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ponderosa.compile.annotations import Int, Planes, StateBytes

LOW_BITS = 8
"""How many bits are told of a signed number, unless it has 64."""
LARGEST = 1e30
"""The size of larger numbers, and of infinity."""


class Piece(NamedTuple):
    """Numbers of one kind that lie side by side in a record."""

    kind: np.dtype[Any]
    offset: int
    length: int

    @property
    def sized(self) -> bool:
        """Whether their size is told."""
        return self.kind.kind in "if"

    @property
    def bits(self) -> int:
        """How many bits of each are told."""
        all_bits = 8 * self.kind.itemsize
        return {"b": 1, "u": all_bits, "i": all_bits if all_bits == 64 else LOW_BITS}.get(self.kind.kind, 0)

    def dtype(self, record: np.dtype[Any]) -> np.dtype[Any]:
        """A record with these numbers alone, all signed: a bit is a bit."""
        kind = self.kind if self.sized else np.dtype(f"i{self.kind.itemsize}")
        known = {"names": ["numbers"], "formats": [(kind, (self.length,))], "offsets": [self.offset]}
        return np.dtype({**known, "itemsize": record.itemsize})  # type: ignore[call-overload,no-any-return]


def pieces_of(dtype: np.dtype[Any], scratch: tuple[str, ...] = ()) -> list[Piece]:
    """The numbers of a record that say something, in order."""
    pieces: list[Piece] = []
    for name in dtype.names or ():
        if name in scratch:
            continue
        field, offset = dtype.fields[name][:2]  # type: ignore[index]
        piece = Piece(field.base, offset, math.prod(field.shape))
        last = pieces[-1] if pieces else None
        if last and (last.kind, last.offset + last.length * last.kind.itemsize) == (piece.kind, offset):
            pieces[-1] = last._replace(length=last.length + piece.length)  # one loop for both
        else:
            pieces.append(piece)
    return pieces


def length(dtype: np.dtype[Any], scratch: tuple[str, ...], players: int) -> int:
    """How many numbers are seen of a record."""
    return players + sum(piece.length * (piece.sized + piece.bits) for piece in pieces_of(dtype, scratch))


def observer(
    dtype: np.dtype[Any],
    scratch: tuple[str, ...],
    players: int,
    current_player: Callable[..., Any],
    record_view: Callable[..., Any],
) -> Callable[..., None]:
    """observe(state, planes) for records of a dtype; `record_view` shows bytes as one."""
    write = _nothing
    for piece in pieces_of(dtype, scratch):
        write = _both(write, _writer(record_view(piece.dtype(dtype)), piece.sized, piece.bits))

    def observe(state: StateBytes, planes: Planes) -> None:
        seen = planes[0, 0]
        player = current_player(state)
        for seat in range(players):
            seen[seat] = 1.0 if seat == player else 0.0
        write(state, seen, players)

    return observe


def _nothing(state: StateBytes, seen: Planes, place: Int) -> Any:
    return place


def _both(first: Callable[..., Any], then: Callable[..., Any]) -> Callable[..., Any]:
    def write(state: StateBytes, seen: Planes, place: Int) -> Any:
        return then(state, seen, first(state, seen, place))

    return write


def _writer(record: Callable[..., Any], sized: bool, bits: int) -> Callable[..., Any]:
    """Write the numbers of a piece from a place on; returns the place behind them."""

    def write(state: StateBytes, seen: Planes, place: Int) -> Any:
        numbers = record(state).numbers
        for index in range(len(numbers)):
            if sized:
                seen[place] = size_of(float(numbers[index]))
                place += 1
            for bit in range(bits):
                seen[place] = (np.int64(numbers[index]) >> bit) & 1
                place += 1
        return place

    return write


def size_of(number: float) -> float:
    """A number on a scale on which large ones stay small."""
    if number != number:
        return 0.0
    size = math.log1p(min(abs(number), LARGEST))
    return size if number > 0.0 else -size
