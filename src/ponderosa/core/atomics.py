"""Changes of array elements that several threads may make at once. Start at add_to_field.

As plain Python they are ordinary changes; compiled, core/atomic_code.py puts one instruction in the place of each.
"""

from __future__ import annotations

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
