"""Experiments as files: a sweep in TOML, for a game of one's own. Start at read_experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ponderosa.errors import SettingError
from ponderosa.lab.experiment import SCALES, Experiment, Work
from ponderosa.lab.reports.folder import check_name
from ponderosa.lab.reports.report import Findings
from ponderosa.lab.sweeps.ranges import read_vary
from ponderosa.lab.sweeps.sweep import EACH_OTHER
from ponderosa.system.files import FLAG, NUMBER, TABLE, TEXT, WHOLE, ValueKind, read_toml

GAMES = {"tiny": 4, "quick": 100, "full": 1000}
"""How many games a pairing has by default."""
COUNTS = ValueKind("a whole number, or { tiny = 4, quick = 100, full = 1000 }", (int, dict))
KEYS = {
    "name": TEXT,
    "title": TEXT,
    "question": TEXT,
    "original": TEXT,
    "game": TEXT,
    "agent": TEXT,
    "vary": TABLE,
    "against": TEXT,
    "games": COUNTS,
    "openings": TEXT,
    "iterations": WHOLE,
    "seconds": NUMBER,
    "count_repeats": FLAG,
}
NEEDED = {"name": 'name = "nim-rollouts"', "game": 'game = "./nim.py:Nim"', "agent": 'agent = "mcts:iterations=100"'}


class SweepExperiment(Experiment):
    """A sweep that a file describes."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.name = values["name"]
        self.title = values.get("title", self.name)
        self.question = values.get("question", f"Which settings of {values['agent']} are best at {values['game']}?")
        self.original = values.get("original", "")
        self._values = values

    def run(self, work: Work) -> Findings:
        """Play the sweep at the scale's number of games."""
        said = self._values
        games = said.get("games", GAMES) if work.wanted is None else work.wanted
        conditions = ("openings", "iterations", "seconds", "count_repeats")
        result = work.sweep(
            said["game"],
            said["agent"],
            said["vary"],
            said.get("against", EACH_OTHER),
            games if isinstance(games, int) else (GAMES | games)[work.scale],
            **{name: said[name] for name in conditions if name in said},
        )
        return result.findings()


def read_experiment(path: str | Path) -> SweepExperiment:
    """The experiment of a file, checked; the error says what would be right."""
    values = read_toml(path, KEYS)
    for key, example in NEEDED.items() | {("vary", '[vary] and under it c = "0.5:2.0:4"')}:
        if key not in values:
            raise SettingError(f"{path} has no {key!r}: write {example}")
    games = values.get("games", {})
    if isinstance(games, dict) and not (set(games) <= set(SCALES) and all(type(n) is int for n in games.values())):
        raise SettingError(f"{path}: games must be {COUNTS.words}, not {games!r}")
    check_name(values["name"])
    read_vary(values["vary"])
    return SweepExperiment(values)
