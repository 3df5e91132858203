"""Runs of learning in a folder, for the page. Start at Learning; it knows no page."""

from __future__ import annotations

from pathlib import Path

from ponderosa.core.game import Game
from ponderosa.learning.judged import Judged, Shown
from ponderosa.learning.watching import Seen, run_of, runs
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.registry import load_game
from ponderosa.web.model.catalogue import Catalogue


class Learning:
    """A folder of runs."""

    def __init__(self, path: Path, catalogue: Catalogue) -> None:
        self.path, self.catalogue = path.expanduser(), catalogue

    def runs(self) -> list[Seen]:
        """All runs, the newest first."""
        return runs(self.path)

    def run(self, key: str) -> Seen:
        """One of them."""
        return run_of(self.path, key)

    def game(self, run: Seen) -> Game:
        """The game of a run, if it is offered here: a folder names no program to load."""
        self.catalogue.game(run.game)
        return load_game(run.game)

    def shown(self, run: Seen) -> Shown:
        """The newest game of a run."""
        return Shown(self.game(run), run)


def as_report(shown: Shown, ply: int, judged: Judged) -> Report:
    """What a network says of a position, as boards draw it: nothing was searched."""
    state = shown.states[ply]
    entries = [
        ActionReport(action, state.action_to_string(action), 0, None, None, (), prior=prior)
        for action, prior in sorted(judged.priors.items(), key=lambda pair: -pair[1])
    ]
    best = entries[0]
    return Report(
        shown.game.spec,
        state.to_move(),
        best.action,
        best.name,
        judged.value,
        None,
        0,
        0,
        0.0,
        "iterations",
        0,
        tuple(entries),
    )
