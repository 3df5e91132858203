"""What compiled functions take and return, as readers and type checkers see it. Start at Record.

Compiled code has one kind of whole number; plain Python, which runs the same functions, meets two: its own and
NumPy's.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Int: TypeAlias = int | np.int64
Bool: TypeAlias = bool | np.bool_
StateBytes: TypeAlias = npt.NDArray[np.uint8]
"""A state: its record, as bytes."""
Actions: TypeAlias = npt.NDArray[np.int32]
Values: TypeAlias = npt.NDArray[np.float64]
"""One number a player, or one an action."""
Planes: TypeAlias = npt.NDArray[np.float32]
"""What a player sees of a state, as numbers for a network."""
Ints: TypeAlias = npt.NDArray[np.int64]
Records: TypeAlias = npt.NDArray[np.void]
"""Records side by side: a tree, a stack, a table."""


class Record(Protocol):
    """A record whose fields have names: what rules, and the searches of the Connect family, read and write."""

    def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None: ...
