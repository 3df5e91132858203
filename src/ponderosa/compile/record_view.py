"""The bytes of a state as a record with named fields, compiled or plain. Start at record_view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ponderosa.compile.annotations import Record, StateBytes
from ponderosa.compile.enabled import Speed

View = Callable[[StateBytes], Record]


def record_view(dtype: np.dtype[Any], compiled: bool | Speed) -> View:
    """A function that shows the bytes of a state as a record; `compiled`: to be called by machine code, or where."""
    if compiled == "cuda":
        return _cuda_view(dtype)
    return _compiled_view(dtype) if compiled and compiled != "plain" else _plain_view(dtype)


def _plain_view(dtype: np.dtype[Any]) -> View:
    def record(state: StateBytes) -> Record:
        return PlainRecord(state, dtype)

    return record


def _compiled_view(dtype: np.dtype[Any]) -> View:
    from ponderosa.compile.record_code import record_of

    def record(state: StateBytes) -> Any:
        return record_of(state, dtype)

    return record


def _cuda_view(dtype: np.dtype[Any]) -> View:
    from ponderosa.compile.cuda_code import record_of

    def record(state: StateBytes) -> Any:
        return record_of(state, dtype)

    return record


class PlainArray(npt.NDArray[Any] if TYPE_CHECKING else np.ndarray):  # type: ignore[misc]
    """An array whose single elements are Python numbers: arithmetic does not overflow, as in compiled code."""

    def __getitem__(self, index: Any) -> Any:
        value = super().__getitem__(index)
        return value.item() if isinstance(value, np.generic) else value

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))


class PlainRecord:
    """A state record for plain Python: fields by name, single numbers as Python numbers."""

    __slots__ = ("_row",)

    def __init__(self, state: StateBytes, dtype: np.dtype[Any]) -> None:
        object.__setattr__(self, "_row", state[: dtype.itemsize].view(dtype)[0])

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._row[name]
        except (ValueError, KeyError):
            raise AttributeError(f"the state has no field {name!r}; its dtype has {self._row.dtype.names}") from None
        return value.view(PlainArray) if isinstance(value, np.ndarray) else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            self._row[name] = value
        except ValueError:
            if name in (self._row.dtype.names or ()):
                raise
            raise AttributeError(f"the state has no field {name!r}; its dtype has {self._row.dtype.names}") from None
