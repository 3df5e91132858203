"""What Numba has found out about calls of its own functions, remembered. Start at calls_remembered.

For every `a + b`, Numba looks through all that `+` can mean, strings, lists and dates among them, and again whenever it
comes back to the line: half of the time that compiling takes. What comes of it depends on the types of a and b alone.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from numba import types
from numba.core.types.functions import BaseFunction

PLAIN = (types.Number, types.Boolean, types.Array, types.Record, types.BaseTuple)
"""Types of data: they are all that there is to know of an argument."""


_busy = 0
"""How many compilations of ours are going on: Numba is as ever for everybody else."""


@contextlib.contextmanager
def calls_remembered() -> Iterator[None]:
    """Meanwhile, look up once what a function of Numba's own makes of arguments of certain types."""
    global _busy
    if not hasattr(BaseFunction.get_call_type, "__wrapped__"):
        BaseFunction.get_call_type = _remembering(BaseFunction.get_call_type)  # type: ignore[method-assign]
    with _changing:
        _busy += 1
    try:
        yield
    finally:
        with _changing:
            _busy -= 1


_changing = threading.Lock()


def _remembering(find: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(find)
    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if not _busy or kws or not all(isinstance(kind, PLAIN) for kind in args):
            return find(self, context, args, kws)
        known = vars(self).setdefault("_known_calls", {})
        key = context, tuple(args)
        if key not in known:
            signature = find(self, context, args, kws)
            if self.get_impl_key(signature) is not self.typing_key:
                return signature  # a function that is compiled itself, for the options of whoever calls it
            known[key] = signature
        return known[key]

    return get_call_type
