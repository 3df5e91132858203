"""Values that an object works out once, and waits for no other object meanwhile. Start at once."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801  a decorator reads as a word
    """A property that is made when it is first asked for, by one thread, and is an attribute from then on.

    functools.cached_property of Python 3.11 has one lock for all objects of a class: while one game was compiled, every
    other had to wait.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__
        self._guard = threading.Lock()
        self._locks: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        """A lock for every object that makes its value now."""

    @overload
    def __get__(self, thing: None, owner: Any = None) -> once[T]: ...

    @overload
    def __get__(self, thing: object, owner: Any = None) -> T: ...

    def __get__(self, thing: object | None, owner: Any = None) -> once[T] | T:
        if thing is None:
            return self
        with self._guard:
            lock = self._locks.setdefault(id(thing), threading.RLock())
        with lock:
            if self._name not in vars(thing):
                vars(thing)[self._name] = self._make(thing)
            found: T = vars(thing)[self._name]
            return found
