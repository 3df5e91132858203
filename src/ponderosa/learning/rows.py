"""Rows of records and of numbers, copied as bytes: NumPy copies a record field by field. Start at joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def as_bytes(rows: Any) -> Any:
    """A table as bytes, a row each: a view, if its rows lie one behind the other."""
    return np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1) if len(rows) else np.zeros((0, 1), np.uint8)


def joined(parts: Sequence[Any]) -> Any:
    """Tables of one kind, one behind the other."""
    whole = np.empty((sum(map(len, parts)), *parts[0].shape[1:]), parts[0].dtype)
    begin = 0
    for part in parts:
        put(part, whole, begin)
        begin += len(part)
    return whole


def put(rows: Any, table: Any, begin: int) -> None:
    """Write rows into a table, from this place on."""
    if len(rows) > 0:
        as_bytes(table[begin : begin + len(rows)])[:] = as_bytes(rows)


def taken(table: Any, places: Any, room: Any) -> None:
    """Write the rows at these places of a table into room for as many."""
    if len(places) > 0:
        as_bytes(table).take(places, axis=0, out=as_bytes(room), mode="clip")  # other modes make a copy first
