"""Names to experiments: `bandits`, a class in a file `./mine.py:Mine`, a sweep as a file `mine.toml`. Start at find.

Adding an experiment is one file in lab/experiments and one line here.
"""

from __future__ import annotations

import importlib

from ponderosa.errors import SettingError, unknown
from ponderosa.lab.experiment import Experiment
from ponderosa.lab.reports.folder import check_name

EXPERIMENTS = {
    "exploration-constant": "ponderosa.lab.experiments.exploration_constant:ExplorationConstant",
    "visits": "ponderosa.lab.experiments.visits:Visits",
    "rollouts": "ponderosa.lab.experiments.rollouts:Rollouts",
    "iterations": "ponderosa.lab.experiments.iterations:Iterations",
    "three-seconds": "ponderosa.lab.experiments.three_seconds:ThreeSeconds",
    "thinking-time": "ponderosa.lab.experiments.thinking_time:ThinkingTime",
    "board-size": "ponderosa.lab.experiments.board_size:BoardSize",
    "strength-iterations": "ponderosa.lab.experiments.strength:StrengthIterations",
    "strength-time": "ponderosa.lab.experiments.strength:StrengthTime",
    "equal-iterations": "ponderosa.lab.experiments.equal_iterations:EqualIterations",
    "lazy-gomoku": "ponderosa.lab.experiments.lazy_gomoku:LazyGomoku",
    "threats-sequences": "ponderosa.lab.experiments.threats_sequences:ThreatsSequences",
    "interesting-board": "ponderosa.lab.experiments.threats_sequences:InterestingBoard",
    "connect6": "ponderosa.lab.experiments.connect6:SmallConnect6",
    "gomoku-ablation": "ponderosa.lab.experiments.gomoku_ablation:GomokuAblation",
    "learning-tictactoe": "ponderosa.lab.experiments.learning_tictactoe:LearningTicTacToe",
    "chess-values": "ponderosa.lab.experiments.chess_values:ChessValues",
    "bandits": "ponderosa.lab.experiments.bandits:Bandits",
}


def find(name: str) -> Experiment:
    """The experiment of a name or file."""
    if name.endswith(".toml"):
        from ponderosa.lab.experiment_file import read_experiment

        return read_experiment(name)
    if ".py" in name:
        from ponderosa.registry import class_in_file

        kind = class_in_file("experiment", name, lambda value: issubclass(value, Experiment))
        return _checked(kind(), name)
    if name not in EXPERIMENTS:
        raise unknown("experiment", name, EXPERIMENTS)
    module, _, title = EXPERIMENTS[name].partition(":")
    found: Experiment = getattr(importlib.import_module(module), title)()
    return found


def _checked(experiment: Experiment, file: str) -> Experiment:
    for needed in ("name", "title", "question"):
        if not isinstance(getattr(experiment, needed, None), str):
            raise SettingError(f"{file}: an experiment says its {needed}, a text")
    check_name(experiment.name)
    return experiment
