"""Changes of array elements that several threads may make at once. Start at add_to_field, and add_to_item.

As plain Python they are ordinary changes; compiled, compile/atomic_code.py puts one instruction in the place of each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def add_to_field(field: str) -> Callable[..., Any]:
    """A function `(nodes, node, amount)` that adds to a field of a record, and returns what was there before."""

    def add(nodes: Any, node: Any, amount: Any) -> Any:
        before = nodes[node][field] + 0
        nodes[node][field] = before + amount
        return before

    add.atomic = ("add", field)  # type: ignore[attr-defined]
    return add


def exchange_field(field: str) -> Callable[..., Any]:
    """A function `(nodes, node, expected, new)` that changes a field if it is as expected, and says whether it was."""

    def exchange(nodes: Any, node: Any, expected: Any, new: Any) -> Any:
        if nodes[node][field] != expected:
            return False
        nodes[node][field] = new
        return True

    exchange.atomic = ("exchange", field)  # type: ignore[attr-defined]
    return exchange


def add_to_item(array: Any, index: Any, amount: Any) -> Any:
    """Add to an item of an array of whole numbers, and return what was there before."""
    before = array[index] + 0
    array[index] = before + amount
    return before


add_to_item.atomic = ("add", "")  # type: ignore[attr-defined]


def exchange_item(array: Any, index: Any, expected: Any, new: Any) -> Any:
    """Change an item of an array of whole numbers if it is as expected, and say whether it was."""
    if array[index] != expected:
        return False
    array[index] = new
    return True


exchange_item.atomic = ("exchange", "")  # type: ignore[attr-defined]


def pause() -> None:
    """Let another thread run, if one wants to."""
    time.sleep(0)


pause.atomic = ("pause", "")  # type: ignore[attr-defined]
