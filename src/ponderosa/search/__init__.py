"""One tree search with replaceable phases. Start at loop.py for how it works, at search.py for how it is called.

The package can be called: `ponderosa.search(state, seconds=1)` is the one-liner on any state.
"""

from __future__ import annotations

import sys
import types
from typing import Any


class _CallablePackage(types.ModuleType):
    def __call__(self, state: Any, **options: Any) -> Any:
        """Search any state: `search(state, seconds=1)`. Options are those of Search and of Search.run."""
        from ponderosa.search.search import search

        return search(state, **options)


sys.modules[__name__].__class__ = _CallablePackage
