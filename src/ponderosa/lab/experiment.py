"""An experiment: a question, what others found, and a run that can stop at any moment. Start at Experiment.

An experiment of one's own is a class with four texts and a method:

    class Mine(Experiment):
        name, title = "mine", "My question"
        question = "..."
        original = "..."

        def run(self, work):
            curve = work.kept(measure, rounds=work.pick(tiny=2, quick=50, full=1000))
            return Findings("...", claims=[...], tables=[...], figures=[...])
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, Unpack

from ponderosa.arena.conditions import AnyConditions, Conditions
from ponderosa.arena.match import MatchResult, SprtLike, match
from ponderosa.arena.planned import Progress, Watch
from ponderosa.arena.running.live import AgentLike
from ponderosa.arena.running.venues import cores
from ponderosa.arena.tournament import TournamentResult, tournament
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.game import Game
from ponderosa.errors import PonderosaError, SettingError
from ponderosa.lab.extra import check_extra
from ponderosa.lab.reports.folder import FOLDER, put_text
from ponderosa.lab.reports.report import About, Findings, write_report
from ponderosa.lab.sweeps.sweep import Mean, SweepResult, store_in, sweep
from ponderosa.registry import load_game
from ponderosa.system.files import read_text

SCALES = ("tiny", "quick", "full")
"""Seconds, to see that it works; minutes on two cores, with wide intervals; as long as it takes."""

T = TypeVar("T")


@dataclass(frozen=True)
class Step:
    """How far an experiment is, for whoever watches it."""

    words: str
    """What is being done."""
    done: int = 0
    of: int | None = None
    """How much there is to do; None: not known."""


StepWatch = Callable[[Step], None]


class WorkKeywords(AnyConditions, total=False):
    """What may be said of a sweep beside its conditions."""

    out: str | Path | None
    watch: Watch | None


class MatchKeywords(WorkKeywords, total=False):
    """Likewise of a match."""

    sprt: SprtLike | None


class TournamentKeywords(WorkKeywords, total=False):
    """Likewise of a tournament."""

    kind: str
    rounds: int | None
    names: Sequence[str]


@with_field_texts
class Experiment:
    """A question that a run answers, in a report with tables and figures; subclasses say what, and how.

        class Mine(Experiment):
            name, title = "mine", "My question"
            question = "Do two rollouts beat one?"

            def run(self, work):
                match = work.match("tictactoe", "mcts:iterations=20,rollouts=2", "mcts:iterations=20", games=100)
                return Findings(f"They score {match.elo.score:.0%}.")

    `ponderosa lab run ./mine.py:Mine` runs it; `work` has ways to measure that lose nothing when they are stopped.
    """

    name: str
    """What people type: small letters, digits and -."""
    title: str
    """What stands above the report."""
    question: str
    """What is asked, and how it is measured; what differs from scale to scale, Findings tell."""
    original: str = ""
    """What the original found, with its source; empty when nobody has asked before."""
    plays: bool = True
    """Whether it plays games, so that their number may be asked for: `work.games(tiny=4, quick=100, full=2000)`."""

    def run(self, work: Work) -> Findings:
        """Measure, at the scale that `work` says, and tell what came out."""
        raise NotImplementedError


@with_field_texts
@dataclass(frozen=True)
class Work:
    """What a run is given: its scale and seed, and ways to measure that lose nothing when it is stopped."""

    scale: str
    folder: Path
    conditions: Conditions = field(default_factory=Conditions)
    """The seed, and where games run."""
    watch: StepWatch = lambda step: None
    wanted: int | None = None
    """How many games were asked for; None: as many as the scale says."""

    @property
    def seed(self) -> int:
        """Pass it on to whatever draws random numbers."""
        return self.conditions.seed

    def pick(self, *, tiny: T, quick: T, full: T) -> T:
        """The value for this scale."""
        return {"tiny": tiny, "quick": quick, "full": full}[self.scale]

    def games(self, *, tiny: int, quick: int, full: int) -> int:
        """How many games a pairing has: the number for this scale, or the one that was asked for."""
        return self.pick(tiny=tiny, quick=quick, full=full) if self.wanted is None else self.wanted

    def tell(self, words: str, done: int = 0, of: int | None = None) -> None:
        """Say how far it is."""
        self.watch(Step(words, done, of))

    def kept(self, function: Callable[..., T], **arguments: Any) -> T:
        """What a function gives for these arguments: from the folder if it was called before, else now, and kept.

        Arguments and result are plain values, as JSON knows them; random numbers follow from an argument `seed`. An
        edited function is another function, and called again.
        """
        said = json.dumps(arguments, sort_keys=True)
        code = f"{function.__qualname__} {said} {inspect.getsource(function)}"
        short = re.sub(r"[^a-z0-9]+", "-", f"{function.__name__} {said}".lower()).strip("-")[:60]
        path = self.folder / "steps" / f"{short}-{hashlib.sha256(code.encode()).hexdigest()[:12]}.json"
        with contextlib.suppress(OSError, ValueError, RecursionError):  # a damaged file is as good as none
            known: T = json.loads(read_text(path))
            return known
        put_text(path, json.dumps(function(**arguments)))
        found: T = json.loads(read_text(path))
        return found

    def match(
        self, game: str | Game, first: AgentLike, second: AgentLike, games: int, **keywords: Unpack[MatchKeywords]
    ) -> MatchResult:
        """A match of the arena; games that are in the folder are not played again."""
        settings: dict[str, Any] = {**self._arena(f"{first} against {second}"), **keywords}
        return match(self._near(game), first, second, games, conditions=self.conditions, **settings)

    def fresh(self, game: str | Game, first: AgentLike, second: AgentLike, games: int) -> Mean | None:
        """What the first agent scores in games that chose nothing: chance may have helped whoever came out best."""
        return Mean.of(self.match(game, first, second, games, seed=self.seed + 1, count_repeats=True).elo)

    def tournament(
        self, game: str | Game, agents: Sequence[AgentLike], games: int, **keywords: Unpack[TournamentKeywords]
    ) -> TournamentResult:
        """A tournament of the arena, likewise."""
        settings: dict[str, Any] = {**self._arena("tournament"), **keywords}
        return tournament(self._near(game), agents, games, conditions=self.conditions, **settings)

    def sweep(
        self,
        game: str | Game,
        agent: str,
        vary: Iterable[str] | Mapping[str, Any],
        against: str,
        games: int,
        **keywords: Unpack[WorkKeywords],
    ) -> SweepResult:
        """A sweep, likewise: every combination of settings, against an agent or "each-other"."""
        settings: dict[str, Any] = {**self._arena(f"sweep of {agent}"), **keywords}
        return sweep(self._near(game), agent, vary, against, games, conditions=self.conditions, **settings)

    def _near(self, game: str | Game) -> str | Game:
        """The game; at the scale tiny one that is played in this process, because starting others takes longer.

        On a device all games are played in this process anyway.
        """
        here = self.scale == "tiny" and self.conditions.device is None
        return load_game(game) if here and isinstance(game, str) else game

    def _arena(self, words: str) -> dict[str, Any]:
        return {"out": store_in(self.folder), "watch": self._follow(words)}

    def _follow(self, words: str) -> Callable[[Progress], None]:
        return lambda progress: self.tell(words, progress.games, progress.wanted)


def run_experiment(
    experiment: Experiment,
    scale: str = "quick",
    out: str | Path | None = None,
    seed: int = 0,
    concurrency: int | None = None,
    cluster: str | None = None,
    watch: StepWatch | None = None,
    named: str | None = None,
    device: str | None = None,
    games: int | None = None,
) -> Path:
    """Run an experiment and write its folder; the same call goes on where it was stopped. Gives report.html.

    `named` is what people type for it, when that is not its name; `games` is how many a pairing has, in the place of
    the scale's number.
    """
    if scale not in SCALES:
        raise SettingError(f"a scale is one of {', '.join(SCALES)}, not {scale!r}")
    if games is not None and not experiment.plays:
        raise SettingError(f"{experiment.name} counts no games a pairing: leave --games out, and take another --scale")
    if games is not None and (games < 2 or games % 2):
        raise SettingError(f"games are played in pairs with seats swapped: an even number, not {games}")
    check_extra()
    folder = folder_of(experiment, scale, out)
    conditions = Conditions(seed=seed, concurrency=concurrency, cluster=cluster, device=device)
    work = Work(scale, folder, conditions, watch or (lambda step: None), games)
    findings = experiment.run(work)
    if not isinstance(findings, Findings):
        raise PonderosaError(f"the experiment {experiment.name} must return Findings, not {type(findings).__name__}")
    words = ["ponderosa", "lab", "run", named or experiment.name, "--scale", scale, "--seed", str(seed)]
    words += [] if games is None else ["--games", str(games)]
    asked = findings.title or experiment.title, findings.question or experiment.question
    texts = (experiment.name, *asked, experiment.original)
    about = About(*texts, scale, seed, version("ponderosa"), shlex.join(words), {"cores": cores()})
    return write_report(folder, about, findings)


def folder_of(experiment: Experiment, scale: str, out: str | Path | None = None) -> Path:
    """Where the report goes; never into the folder of another experiment."""
    folder = Path(FOLDER) / f"{experiment.name}-{scale}" if out is None else Path(out).expanduser()
    report = folder / "report.json"
    if report.is_file():
        try:
            there = json.loads(read_text(report)).get("name")
        except (OSError, ValueError, AttributeError, RecursionError):
            there = None
        if there != experiment.name:
            raise SettingError(f"{folder} has another report, {there!r}: name a new folder with --out")
    return folder
