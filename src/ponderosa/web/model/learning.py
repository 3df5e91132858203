"""Runs of learning in a folder, for the page, and the door for new ones. Start at Learning; it knows no page."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from ponderosa.core.game import Game
from ponderosa.errors import LimitError, unknown
from ponderosa.learning.checkpoints import made
from ponderosa.learning.judged import Judged, Shown
from ponderosa.learning.showing import NOW
from ponderosa.learning.watching import Seen, begun_with, folder_name, run_of, runs
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.registry import load_game
from ponderosa.system.files import write_text
from ponderosa.web.model.arena import checked_number
from ponderosa.web.model.catalogue import Catalogue, checked_text
from ponderosa.web.model.learner import Learner, pause
from ponderosa.web.model.limits import Limits

GETTING_READY = "getting ready"
LEAST_MINUTES = 0.05


@dataclass(frozen=True)
class Wish:
    """A run that somebody asks for; nothing in it is checked yet."""

    game: object
    minutes: object = 10
    network: object = None
    """Its size; None: as the game asks for."""
    device: object = "cpu"


class Learning:
    """A folder of runs."""

    def __init__(self, path: Path, catalogue: Catalogue, limits: Limits) -> None:
        self.path, self.catalogue, self.limits = path.expanduser(), catalogue, limits
        self.learner = Learner()
        """The run that this server has started."""

    def runs(self) -> list[Seen]:
        """All runs, the newest first."""
        return [self._with_ours(run) for run in runs(self.path)]

    def run(self, key: str) -> Seen:
        """One of them."""
        return self._with_ours(run_of(self.path, key))

    def _with_ours(self, run: Seen) -> Seen:
        """A run that was started here goes on from then on, before its process says so."""
        return replace(run, running=True) if run.path == self.learner.running else run

    def trouble(self, run: Seen) -> str:
        """Why a run that was started here has ended before its time."""
        return self.learner.trouble if run.path == self.learner.path else ""

    def game(self, run: Seen) -> Game:
        """The game of a run, if it is offered here: a folder names no program to load."""
        self.catalogue.game(run.game)
        return load_game(run.game)

    def shown(self, run: Seen) -> Shown:
        """The newest game of a run."""
        return Shown(self.game(run), run)

    def start(self, wish: Wish) -> str:
        """Begin a run in a folder of its own; its key."""
        from ponderosa.learning.learn import DEVICES, check_game_fits
        from ponderosa.networks.residual import SIZES

        spec = checked_text("game", wish.game)
        self.catalogue.game(spec)
        game, minutes = load_game(spec), self._minutes(wish.minutes)
        device = checked_text("device", wish.device or DEVICES[0])
        check_game_fits(game, device)
        if wish.network and wish.network not in SIZES:
            raise unknown("size of a network", str(wish.network), SIZES)
        if self.learner.running is not None:  # said before a folder is made
            raise LimitError("a run is learning, and this server learns one game at a time: pause it, or wait")
        path = made(self._new_folder(game))
        plan = {"minutes": minutes, "games": None}
        figures = dict.fromkeys(("done", "seconds", "games", "positions", "games_a_second"), 0)
        told = {"game": game.spec, "device": device, "doing": GETTING_READY, "losses": None, "plan": plan} | figures
        write_text(path / NOW, json.dumps(told))
        self.learner.start(path, spec, minutes, device, {"network": wish.network or None})
        return path.name

    def go_on(self, key: str, minutes: object) -> None:
        """Go on with a run for so many minutes more, as it was begun; one without a checkpoint begins."""
        run, more = self.run(key), self._minutes(minutes)
        if run.running:
            raise LimitError(f"{run.path.name} is learning already")
        self.catalogue.game(run.game)
        device, settings = run.device, {}
        if run.seconds > 0:
            begun = begun_with(run.path)
            device, settings = begun["device"], begun["given"]
        self.learner.start(run.path, run.game, run.seconds / 60 + more, device, settings)

    def pause(self, key: str) -> None:
        """End a run, whoever started it, after its next move; nothing is lost."""
        run = self.run(key)
        if run.running:
            pause(run.path)

    def _minutes(self, minutes: object) -> float:
        return checked_number("minutes", minutes, LEAST_MINUTES, self.limits.max_minutes)

    def _new_folder(self, game: Game) -> Path:
        """A folder that is not there yet."""
        name = folder_name(game)
        names = [name, *(f"{name}-{number}" for number in range(2, 10_000))]
        return next(self.path / name for name in names if not (self.path / name).exists())


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
