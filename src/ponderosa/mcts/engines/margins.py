"""Room around what rules write on: what they write beside it does no harm, and is noticed. Start at Margins.

Machine code looks at no index. An array that lies in the middle of a longer one, whose rest is never used, keeps a rule
that goes a little too far from the memory of others; and since nobody else writes there, a look now and then is enough.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

MARGIN = 1024
"""Bytes before and behind an array that are looked at."""
BEHIND = 16 * MARGIN
"""Bytes behind an array: lists get too long more often than anything begins too early."""


class Margins:
    """The margins of several arrays."""

    def __init__(self) -> None:
        self._margins: list[Any] = []

    def around(self, shape: Any, kind: Any) -> Any:
        """A new array of zeros with margins."""
        size = math.prod(np.atleast_1d(shape).tolist()) * np.dtype(kind).itemsize
        room = np.zeros(MARGIN + size + BEHIND, np.uint8)
        inner = room[MARGIN : MARGIN + size]
        self._margins += [room[:MARGIN].view(np.uint64), room[MARGIN + size :][:MARGIN]]
        return inner.view(kind).reshape(shape)

    def written(self) -> bool:
        """Whether anything was written into a margin."""
        return any(margin.any() for margin in self._margins)
