"""Ponderosa: Monte Carlo tree search for your own game.

Write rules and search them: Game, rule, State, check_game; search(), Search, SearchSettings, Budget, policies;
Report, ActionReport. Many trees at once: Forest, play_many.
Play by name: load_game, load_agent, Agent. Compare and improve: match, tournament, train, Conditions, sweep, tune,
Experiment. A network by self-play: learn.

Start at search(), Search and Game. Names are imported when they are first used, so that `import ponderosa` is quick and
does not load the compiler. It loads nothing else either: before system/leaving.py is there, Ctrl-C is a traceback.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ponderosa import policies as policies
    from ponderosa.agents.agent import Agent as Agent
    from ponderosa.arena.conditions import Conditions as Conditions
    from ponderosa.arena.match import match as match
    from ponderosa.arena.tournament import tournament as tournament
    from ponderosa.arena.training import train as train
    from ponderosa.core.budget import Budget as Budget
    from ponderosa.core.cell import Cell as Cell
    from ponderosa.core.checks.check_game import check_game as check_game
    from ponderosa.core.game import CHANCE as CHANCE
    from ponderosa.core.game import SIMULTANEOUS as SIMULTANEOUS
    from ponderosa.core.game import TERMINAL as TERMINAL
    from ponderosa.core.game import Game as Game
    from ponderosa.core.game import rule as rule
    from ponderosa.core.observation import observed as observed
    from ponderosa.core.rng import below as below
    from ponderosa.core.rng import uniform as uniform
    from ponderosa.core.state import State as State
    from ponderosa.errors import PonderosaError as PonderosaError
    from ponderosa.forest.forest import Forest as Forest
    from ponderosa.forest.play_many import play_many as play_many
    from ponderosa.lab.experiment import Experiment as Experiment
    from ponderosa.lab.sweeps.sweep import sweep as sweep
    from ponderosa.lab.tuning.tune import tune as tune
    from ponderosa.learning.learn import learn as learn
    from ponderosa.mcts.engines.evaluator import sees_planes as sees_planes
    from ponderosa.mcts.policies.base import Policy as Policy
    from ponderosa.mcts.report.report import ActionReport as ActionReport
    from ponderosa.mcts.report.report import Report as Report
    from ponderosa.mcts.search import Search as Search
    from ponderosa.mcts.search import search as search
    from ponderosa.mcts.settings import SearchSettings as SearchSettings
    from ponderosa.registry import load_agent as load_agent
    from ponderosa.registry import load_game as load_game

_HOMES = {
    "ActionReport": "mcts.report.report",
    "Agent": "agents.agent",
    "Budget": "core.budget",
    "CHANCE": "core.game",
    "Cell": "core.cell",
    "Conditions": "arena.conditions",
    "Experiment": "lab.experiment",
    "Forest": "forest.forest",
    "Game": "core.game",
    "Policy": "mcts.policies.base",
    "PonderosaError": "errors",
    "Report": "mcts.report.report",
    "SIMULTANEOUS": "core.game",
    "Search": "mcts.search",
    "SearchSettings": "mcts.settings",
    "State": "core.state",
    "TERMINAL": "core.game",
    "below": "core.rng",
    "check_game": "core.checks.check_game",
    "learn": "learning.learn",
    "load_agent": "registry",
    "load_game": "registry",
    "match": "arena.match",
    "observed": "core.observation",
    "play_many": "forest.play_many",
    "rule": "core.game",
    "search": "mcts.search",
    "sees_planes": "mcts.engines.evaluator",
    "sweep": "lab.sweeps.sweep",
    "tournament": "arena.tournament",
    "train": "arena.training",
    "tune": "lab.tuning.tune",
    "uniform": "core.rng",
}
__all__ = sorted(_HOMES)
__version__: str
"""Asked for when it is first used, like everything else."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "policies":
        return import_module("ponderosa.policies")
    if name == "__version__":
        from importlib.metadata import version

        return version("ponderosa")
    if name not in _HOMES:
        raise AttributeError(f"module 'ponderosa' has no attribute {name!r}")
    value = getattr(import_module(f"ponderosa.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
