"""A run of learning: self-play and training by turns, checkpoints and gates, until the plan is done. Start at Run.go.

One turn of the loop is one move at every table. All that decides the next one is in the checkpoint, so that a run that
was stopped, by whatever, goes on as if it had not been; what was done since the last checkpoint is done again.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ponderosa.core.game import Game
from ponderosa.errors import SettingError
from ponderosa.learning.checkpoints import Folder
from ponderosa.learning.cluster import ClusterPlay, Task
from ponderosa.learning.gate import Gate, Measured, as_json
from ponderosa.learning.judging import Judge
from ponderosa.learning.replay import Replay
from ponderosa.learning.selfplay import SelfPlay
from ponderosa.learning.settings import LearnSettings, network_of
from ponderosa.learning.showing import DONE, Window, gate_file
from ponderosa.learning.training import Losses, Trainer, named_arrays, with_arrays
from ponderosa.learning.watching import LOG, NETWORK
from ponderosa.networks.conduct import conduct
from ponderosa.networks.file import About, shape_for
from ponderosa.networks.file import save as save_network
from ponderosa.networks.network import Exports, Parameters
from ponderosa.system.files import write_text
from ponderosa.system.interrupts import interrupts_waiting

CHECKPOINT_SECONDS, CHECKPOINT_SHARE = 30.0, 0.05
"""After so long, what there is is written; later, where that takes more than such a share of the time."""
LOG_SECONDS = 5.0
"""A line of the log is about so long."""
LAST_RATE = 0.02
"""The learning rate at the end of the plan, as a share of the highest."""
FIRST_BATCHES = 4
"""Training begins when there are so many batches of positions."""


@dataclass(frozen=True)
class Plan:
    """How long to learn: until there are so many minutes, or games, together with those of earlier runs."""

    minutes: float | None = None
    games: int | None = None

    def done(self, seconds: float, games: int) -> float:
        """The part of it that is done, from 0 to 1."""
        parts = [seconds / (60.0 * self.minutes)] if self.minutes else []
        parts += [games / self.games] if self.games else []
        return min(1.0, max(parts))


@dataclass(frozen=True)
class Now:
    """How far a run is, for whoever watches it."""

    doing: str
    done: float
    """The part of the plan."""
    seconds: float
    games: int
    positions: int
    steps: int
    games_a_second: float
    positions_a_second: float
    losses: Losses | None
    measured: Measured | None
    """What the last gate has shown."""


Watch = Callable[[Now], Any]


class Run:
    """A game, a network that learns it, and a folder."""

    def __init__(
        self,
        game: Game,
        given: LearnSettings,
        settings: LearnSettings,
        device: str,
        folder: Folder,
        watch: Watch = lambda now: None,
        clock: Callable[[], float] = time.monotonic,
        players: Callable[[Task, Judge], ClusterPlay] | None = None,
    ) -> None:
        """`settings` are those that were given, with nothing left open; a folder with a checkpoint is gone on with.

        `players` make the self-play on a cluster; None: it is here.
        """
        assert settings.actions is not None and settings.window is not None
        self.game, self.given, self.settings, self.device, self.folder = game, given, settings, device, folder
        self._watch, self._clock = watch, clock
        self._window = Window(folder.path, {"game": game.spec, "device": device}, clock)
        self._plan = Plan(games=1)
        self.shape = shape_for(game, settings.actions)
        self.network: Exports = network_of(settings, self.shape)
        self._trainer = Trainer(self.network, self.shape, game, settings)
        self.best: Parameters = self._trainer.playing()
        self._judge, *judges = (Judge(self.network, self.best, game) for _ in range(3))
        self._play: SelfPlay | ClusterPlay = (
            SelfPlay(game, self._judge, settings, device)
            if players is None
            else players(Task(game, settings, device), self._judge)
        )
        self._replay = Replay(game, settings.actions, settings.window)
        self._gate = Gate(game, judges, settings, device)
        self.log: list[dict[str, Any]] = []
        """What log.jsonl has, a line each."""
        self.seconds = 0.0
        """How long was learned in all."""
        self._before: dict[str, float] = {}
        """What the runs have come to whose weights this one began with."""
        self._owed = 0.0
        """Steps of training that are due, with a part of one that is not yet."""
        self._since = dict.fromkeys(("seconds", "games", "positions"), 0.0)
        """What there was at the last line of the log."""
        self._losses: Losses | None = None
        self._measured: Measured | None = None
        if folder.state is not None:
            self._restore(folder.state)

    @property
    def games(self) -> int:
        """Games that have ended."""
        return self._play.games

    @property
    def positions(self) -> int:
        """Positions that were learned from."""
        return self._replay.total

    @property
    def groups(self) -> int:
        """How many groups of tables a cluster plays at; 0: none does."""
        return self._play.groups if isinstance(self._play, ClusterPlay) else 0

    @property
    def done(self) -> float:
        """The part of the plan that is done."""
        return self._plan.done(self.seconds, self._play.games)

    def go(self, plan: Plan) -> None:
        """Learn until the plan is done. Ctrl-C ends it between two moves, and loses nothing."""
        self._plan = plan
        if self._gate.number == 0:
            self._export(self.best, gate_file(self.folder.path, 0))
        with interrupts_waiting():
            self._turn()  # compiles, which nobody is to lose their minutes with
        begun, saved, took = self._clock() - self.seconds, self._clock(), 0.0
        while self.done < 1.0:
            if self._window.asked_to_end:
                raise KeyboardInterrupt
            with interrupts_waiting():
                self._turn()
                self.seconds = self._clock() - begun
                if (now := self._clock()) - saved > max(CHECKPOINT_SECONDS, took / CHECKPOINT_SHARE):
                    self.save()
                    saved = self._clock()
                    took = saved - now
            if self.done >= self._next_gate():
                self._measure()
                self.seconds = self._clock() - begun
        self.save()
        self._tell(DONE)

    def _turn(self) -> None:
        """One move at every table; after some of them, training."""
        self._tell("playing")
        self._play.step()
        if self._play.moves % self.settings.moves == 0:
            lessons = self._play.harvest()
            self._replay.add(lessons)
            self._train(len(lessons.records))

    def _train(self, new: int) -> None:
        batch = self.settings.batch or 1
        if self._replay.total < FIRST_BATCHES * batch:
            return
        self._tell("training")
        self._owed += new * self.settings.passes / batch
        steps = int(self._owed)
        if steps > 0:
            self._owed -= steps
            self._losses = self._trainer.train(self._replay, steps, self.rate)
            self._judge.params = self._trainer.playing()
            self._note()

    @property
    def rate(self) -> float:
        """The learning rate, which follows half a wave of the cosine down."""
        wave = 0.5 * (1.0 + math.cos(math.pi * self.done))
        return self.settings.learning_rate * (LAST_RATE + (1.0 - LAST_RATE) * wave)

    def _next_gate(self) -> float:
        """The part of the plan after which the next gate is due."""
        return (self._gate.number + 1) / self.settings.gates if self.settings.gates > 0 else math.inf

    def _measure(self) -> None:
        """A gate; one that is interrupted has not begun."""
        self._tell("measuring")
        before = self._gate.kept()
        try:
            measured = self._gate.measure(self._judge.params, self.best, self._window.look)
        except KeyboardInterrupt:
            self._gate.restore(before)
            raise
        with interrupts_waiting():
            self._export(self._judge.params, gate_file(self.folder.path, measured.number))
            if measured.best:
                self.best = self._judge.params
                self._export(self.best, self.folder.path / NETWORK)
            self._measured = measured
            self.log.append({"gate": as_json(measured)} | self._figures())
            self.save()

    def _note(self) -> None:
        """A line of the log, now and then."""
        if self.seconds - self._since["seconds"] >= LOG_SECONDS and self._losses is not None:
            speeds = dict(zip(("games_a_second", "positions_a_second"), self._speeds(), strict=True))
            losses = {"policy_loss": self._losses.policy, "value_loss": self._losses.value, "rate": self.rate}
            self.log.append(self._figures() | losses | speeds)
            self._since = {"seconds": self.seconds, "games": self._play.games, "positions": self._replay.total}
            self._show()

    def _figures(self) -> dict[str, float]:
        return {
            "seconds": round(self.seconds, 2),
            "games": self._play.games,
            "positions": self._replay.total,
            "steps": self._trainer.steps,
        }

    def _speeds(self) -> tuple[float, float]:
        """Games and positions a second since the last line of the log."""
        passed = max(self.seconds - self._since["seconds"], 1e-9)
        games, positions = self._play.games - self._since["games"], self._replay.total - self._since["positions"]
        return games / passed, positions / passed

    def _tell(self, doing: str) -> None:
        counts = self._play.games, self._replay.total, self._trainer.steps
        now = Now(doing, self.done, self.seconds, *counts, *self._speeds(), self._losses, self._measured)
        self._watch(now)
        self._window.tell(now, asdict(self._plan))

    def _export(self, params: Parameters, path: Path) -> None:
        """Write a network as a file that plays."""
        path.parent.mkdir(exist_ok=True)
        training = {"seed": self.settings.seed, "device": self.device, "gate": self._gate.number} | self._figures()
        training |= {"before": self._before} if self._before else {}
        about = About.of(self.game, self.shape.actions, self.network, training)
        save_network(path, self.network, params, about)

    def save(self) -> None:
        """Write a checkpoint, and the log."""
        if self.settings.gates == 0:
            self.best = self._judge.params
            self._export(self.best, self.folder.path / NETWORK)
        settings = {"given": self.given.told(), "settings": self.settings.told()}
        told = {
            "run": {"game": self.game.spec, "rules": conduct(self.game), "device": self.device, "groups": self.groups}
            | settings,
            "seconds": self.seconds,
            "figures": self._figures(),
            "before": self._before,
            "owed": self._owed,
            "since": self._since,
            "gate": self._gate.kept(),
            "log": self.log,
        }
        parts = {
            "weights": self._trainer.kept(),
            "games": self._play.kept(),
            "best": named_arrays(self.best),
            "playing": named_arrays(self._judge.params),
        }
        self.folder.save(told, parts, self._replay)
        self._show()

    def _show(self) -> None:
        """Let the log, and the newest game, be seen."""
        write_text(self.folder.path / LOG, "".join(json.dumps(line) + "\n" for line in self.log))
        self._window.show(self._play.newest)

    def begin_with(self, other: Folder) -> None:
        """Begin with the weights of another run, of the same game, and all that its optimiser remembers."""
        assert other.state is not None
        known, weights = other.state["run"], other.part("weights")
        if (known["game"], known["rules"]) != (self.game.spec, conduct(self.game)):
            raise SettingError(f"{other.path} has weights for {known['game']}, or for other rules than there are now")
        expected = {name: array.shape for name, array in self._trainer.kept().items()}
        if {name: array.shape for name, array in weights.items()} != expected:
            raise SettingError(f"{other.path} has the weights of another network than {self.network!r}")
        self._trainer.restore(weights)
        self.best = self._judge.params = self._trainer.playing()
        figures, earlier = other.state["figures"], other.state["before"]
        self._before = {name: figures[name] + earlier.get(name, 0) for name in ("seconds", "games", "positions")}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Go on where the checkpoint was written."""
        self.seconds, self._owed, self._since = float(state["seconds"]), float(state["owed"]), dict(state["since"])
        self.log, self._before = list(state["log"]), dict(state.get("before", {}))
        self._gate.restore(state["gate"])
        self._trainer.restore(self.folder.part("weights"))
        self._play.restore(self.folder.part("games"))
        self.best = with_arrays(self.best, self.folder.part("best"))
        self._judge.params = with_arrays(self.best, self.folder.part("playing"))
        self.folder.fill(self._replay)


def new_player(game: Game, settings: LearnSettings, device: str) -> tuple[SelfPlay, Judge]:
    """Self-play of a new network, and the network."""
    assert settings.actions is not None
    shape = shape_for(game, settings.actions)
    network = network_of(settings, shape)
    judge = Judge(network, Trainer(network, shape, game, settings).playing(), game)
    return SelfPlay(game, judge, settings, device), judge
