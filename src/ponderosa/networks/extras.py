"""The packages of the extras `net` and `learn`. Start at need."""

from __future__ import annotations

import importlib
from typing import Any

from ponderosa.errors import PonderosaError

PURPOSES = {"net": "to play with a trained network", "learn": "to train a network"}


def need(package: str, extra: str) -> Any:
    """A package of one of the extras, or the error that says how to get it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        purpose = PURPOSES[extra]
        raise PonderosaError(f'{purpose}, more packages are needed: pip install "ponderosa[{extra}]"') from None
