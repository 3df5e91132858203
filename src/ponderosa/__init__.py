"""Ponderosa: Monte Carlo tree search for your own game. Start at search(), Search and Game.

Names are imported when they are first used, so that `import ponderosa` is quick and does not load the compiler. It
loads nothing else either: before core/leaving.py is there, Ctrl-C is a traceback.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ponderosa.arena.match import match as match
    from ponderosa.arena.tournament import tournament as tournament
    from ponderosa.arena.training import train as train
    from ponderosa.core.check import check_game as check_game
    from ponderosa.core.errors import PonderosaError as PonderosaError
    from ponderosa.core.game import CHANCE as CHANCE
    from ponderosa.core.game import SIMULTANEOUS as SIMULTANEOUS
    from ponderosa.core.game import TERMINAL as TERMINAL
    from ponderosa.core.game import Game as Game
    from ponderosa.core.game import rule as rule
    from ponderosa.core.rng import below as below
    from ponderosa.core.rng import uniform as uniform
    from ponderosa.core.state import State as State
    from ponderosa.registry import load_agent as load_agent
    from ponderosa.registry import load_game as load_game
    from ponderosa.search.policy import Policy as Policy
    from ponderosa.search.report import Report as Report
    from ponderosa.search.search import Search as Search
    from ponderosa.search.search import search as search

_HOMES = {
    "CHANCE": "core.game",
    "Game": "core.game",
    "Policy": "search.policy",
    "PonderosaError": "core.errors",
    "Report": "search.report",
    "SIMULTANEOUS": "core.game",
    "Search": "search.search",
    "State": "core.state",
    "TERMINAL": "core.game",
    "below": "core.rng",
    "check_game": "core.check",
    "load_agent": "registry",
    "load_game": "registry",
    "match": "arena.match",
    "rule": "core.game",
    "tournament": "arena.tournament",
    "train": "arena.training",
    "uniform": "core.rng",
}
__all__ = sorted([*_HOMES, "search"])


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "search":  # the package is the function too
        return import_module("ponderosa.search")
    if name not in _HOMES:
        raise AttributeError(f"module 'ponderosa' has no attribute {name!r}")
    value = getattr(import_module(f"ponderosa.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
