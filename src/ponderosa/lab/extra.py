"""The packages of the extra `lab`. Start at need."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from ponderosa.errors import PonderosaError

INSTALL = 'pip install "ponderosa[lab]"'


def need(package: str, what: str) -> Any:
    """A package of the extra, or the error that says how to get it; `what` needs it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a package thinks of a notebook's widgets is no news here
            return importlib.import_module(package)
    except ImportError:
        raise PonderosaError(f"{what} need more packages: {INSTALL}") from None


def check_extra() -> None:
    """Reports can be written here: asked before hours of work, not after."""
    for package, what in (("matplotlib", "figures"), ("polars", "Parquet files"), ("statsmodels", "ratings")):
        need(package, what)
