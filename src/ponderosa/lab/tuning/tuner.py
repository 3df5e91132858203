"""The study of a tuning: generations of trials, kept by Optuna, played by the arena. Start at Tuner.search.

What is being played is written down before it is played, so a process may be ended at any moment: the next one finishes
the same generation with the games that are missing in the store.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from optuna import Study
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, TrialState
from optuna.trial import Trial as Asked

from ponderosa.arena.conditions import Conditions
from ponderosa.arena.event import Event, draw
from ponderosa.arena.match import MatchResult, match
from ponderosa.arena.planned import Progress, rules_of
from ponderosa.arena.results.store import Outcome, Store
from ponderosa.arena.results.tally import Tally
from ponderosa.arena.running.play import Ledger, Venue, play_missing
from ponderosa.arena.schedule import Fixture, fixtures
from ponderosa.arena.tournament import PlannedTournament, plan_tournament
from ponderosa.core.game import Game
from ponderosa.errors import PonderosaError, SettingError, VenueWarning
from ponderosa.lab.extra import need
from ponderosa.lab.sweeps.sweep import name_of, store_in
from ponderosa.lab.tuning.hill import RESULT, HillSampler, TrialResult, best_of, played_trials
from ponderosa.lab.tuning.tune import Plan, Trial, TuneBudget, Tuned, TuneResult, TuneWatch

STUDY = "tune.db"
"""Optuna's file in the folder."""
BATCH = 8
"""Candidates of a generation."""
RUNGS = (2, 4)
"""Pairs of games after which a trial is judged: all play the first ones, those that are not pruned all of them."""
SLOW_SHARE = 0.95
"""The share of its moves that must keep a limit: a machine has hiccups of its own."""
PATIENCE = 4.0
"""How many times the limit a move may take before nobody waits for it any more."""
LEAST_VALIDATION = 40
ATTEMPTS = 3
"""How many more settings are validated until one keeps the limit there too."""

Generation = dict[str, Any]
"""Its number, its trials, those that are alive, the rung that is played, and whether it is done."""


@dataclass(frozen=True)
class Where:
    """Where a tuning is kept, and who watches."""

    folder: Path
    watch: TuneWatch
    clock: Callable[[], float] = time.monotonic


class Tuner:
    """A plan, its study and its store."""

    def __init__(self, plan: Plan, game: str | Game, budget: TuneBudget, where: Where) -> None:
        self.plan, self.game, self.budget, self.where = plan, game, budget, where
        self.players = rules_of(game).players
        self.games_file = store_in(where.folder)
        self.sampler = HillSampler(plan.space, plan.conditions.seed, BATCH, plan.slowest)
        self.study = self._open()

    def _open(self) -> Study:
        """The study, as it was left or new."""
        optuna = need("optuna", "tunings")
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        study: Study = optuna.create_study(
            storage=quick_storage(self.where.folder / STUDY),
            study_name="tune",
            sampler=self.sampler,
            pruner=optuna.pruners.MedianPruner(n_startup_trials=BATCH),
            direction="maximize",
            load_if_exists=True,
        )
        there = study.user_attrs.get("plan")
        if there is None:
            study.set_user_attr("plan", self.plan.key)
        elif there != self.plan.key:
            folder = self.where.folder
            raise SettingError(f"{folder} has another tuning, or one of a file that was edited: name a new folder")
        return study

    def search(self) -> None:
        """Play generations until the budget is used."""
        spent = float(self.study.user_attrs.get("seconds", 0.0))
        while True:
            begun = self.where.clock()
            generation = self._generation(spent)
            if generation is None:
                return
            self._play(generation)
            spent += self.where.clock() - begun
            self.study.set_user_attr("seconds", spent)

    def _generation(self, spent: float) -> Generation | None:
        """The generation that was interrupted, or a new one; None when the budget is used."""
        known: Generation | None = self.study.user_attrs.get("generation")
        if known is not None and not known["done"]:
            return known
        for orphan in self.study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
            self.study.tell(orphan.number, state=TrialState.FAIL)  # asked for, but not yet in a generation
        count = self._room(spent)
        if count <= 0:
            return None
        self.where.watch(Tuned("choosing what to try", self.games, self.budget.games))
        wanted = {param.name: param.distribution() for param in self.plan.space.params}
        trials = [self.study.ask(wanted).number for _ in range(count)]
        number = 0 if known is None else known["number"] + 1
        return self._save({"number": number, "trials": trials, "alive": trials, "rung": 0, "done": False})

    def _room(self, spent: float) -> int:
        """How many trials the budget has room for now."""
        if self.budget.games is not None:
            return min(BATCH, (self.budget.games - self.games) // (2 * RUNGS[-1]))
        return BATCH if spent < (self.budget.seconds or 0.0) else 0

    def _save(self, generation: Generation) -> Generation:
        self.study.set_user_attr("generation", generation)
        return generation

    def _trials(self) -> list[FrozenTrial]:
        return self.study.get_trials(deepcopy=False)

    @property
    def games(self) -> int:
        """How many games all trials have played."""
        return sum(TrialResult.of(trial).played for trial in self._trials())

    def _play(self, generation: Generation) -> None:
        """Play a generation rung by rung; after each, some trials are cut off."""
        planned = self._planned(generation)
        with Store(self.games_file) as store:
            ledger = Ledger.begin(store, planned.event, None)
            with planned.venue() as venue:
                if venue.note:
                    warnings.warn(venue.note, VenueWarning, stacklevel=2)
                while generation["rung"] < len(RUNGS):
                    tally = self._rung(ledger, venue, generation)
                    self._note(generation, tally, slow_moves(store, ledger.id))
                    alive = self._alive(generation)
                    generation = self._save(generation | {"rung": generation["rung"] + 1, "alive": alive})
        self._close(generation)

    def _planned(self, generation: Generation) -> PlannedTournament:
        plan, trials = self.plan, self._trials()
        values = [trials[number].params for number in generation["trials"]]
        named = zip(generation["trials"], values, strict=True)
        names = ["opponent", *(f"trial {number}: {name_of(plan.space.texts(entry))}" for number, entry in named)]
        conditions = self._drawn("generation", generation["number"])
        if plan.slowest is not None:
            conditions = replace(conditions, timeout=PATIENCE * plan.slowest + 1.0)
        agents = [plan.against, *(plan.text_of(entry) for entry in values)]
        kind = "round robin" if self.players == 1 else "gauntlet"
        return plan_tournament(self.game, agents, 2 * RUNGS[-1], kind, names=names, conditions=conditions)

    def _drawn(self, *what: object) -> Conditions:
        """The plan's conditions with a seed of their own."""
        conditions = self.plan.conditions
        return replace(conditions, seed=draw(conditions.seed, *what))

    def _rung(self, ledger: Ledger, venue: Venue, generation: Generation) -> Tally:
        """Play what is missing up to a rung, of those that are alive."""
        tally = Tally(ledger.event, self.plan.conditions.count_repeats)
        alive = {generation["trials"].index(number) + 1 for number in generation["alive"]}
        noted = [trial for trial in self._trials() if trial.number not in generation["trials"]]
        before = sum(TrialResult.of(trial).played for trial in noted)
        words = f"generation {generation['number'] + 1}, {len(alive)} candidates"

        def count(outcome: Outcome) -> bool:
            tally.add(outcome)
            return False

        wanted = self._fixtures(ledger.event, alive, RUNGS[generation["rung"]])

        def tell(done: int) -> None:
            self.where.watch(Tuned(words, before + done, self.budget.games))

        play_missing(ledger, wanted, venue, count, tell, self.plan.conditions.strict)
        return tally

    def _fixtures(self, event: Event, alive: set[int], pairs: int) -> Iterator[Fixture]:
        """The games of a rung: everybody's, where one plays alone and is compared with all."""
        for fixture in fixtures(event, self.players):
            if fixture.opening >= pairs:
                return
            if self.players == 1 or alive.intersection(fixture.seats):
                yield fixture

    def _note(self, generation: Generation, tally: Tally, slow: dict[int, float]) -> None:
        """Write down what the trials have reached."""
        trials, every = self._trials(), [*tally.counted, *tally.repeated]
        for number in generation["alive"]:
            seat, trial = generation["trials"].index(number) + 1, Asked(self.study, trials[number]._trial_id)
            estimate = tally.between(seat, 0)
            games, score = (estimate.games, estimate.score) if estimate else (0, 0.5)
            played, faulty = sum(seat in outcome.seats for outcome in every), bool(tally.lines[seat].faults)
            trial.set_user_attr(RESULT, asdict(TrialResult(games, games * score, played, slow.get(seat), faulty)))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it was reported before, by a process that was ended
                trial.report(score, RUNGS[generation["rung"]])

    def _alive(self, generation: Generation) -> list[int]:
        """Those of the trials that are worth more games."""
        trials = self._trials()
        alive = [number for number in generation["alive"] if TrialResult.of(trials[number]).within(self.plan.slowest)]
        if self.players == 1:
            return alive
        return [number for number in alive if not Asked(self.study, trials[number]._trial_id).should_prune()]

    def _close(self, generation: Generation) -> None:
        trials = self._trials()
        for number in generation["trials"]:
            result = TrialResult.of(trials[number])
            finished = number in generation["alive"] and result.games
            value = result.points / result.games if finished else None
            state = TrialState.COMPLETE if finished else TrialState.PRUNED
            self.study.tell(number, value, state=state, skip_if_finished=True)
        self._save(generation | {"done": True})

    def result(self, validate: int | None = None) -> TuneResult:
        """The best settings, measured in a fresh match."""
        played = played_trials(self.study)
        if not played:
            raise PonderosaError("no trial has a game that counts; more games, or random openings, would help")
        if not self._feasible(played):
            raise PonderosaError(self._why_none(played))
        model, values = self.sampler.model(played)
        validation, slow = self._validate(values, validate)
        for _ in range(ATTEMPTS):
            if self.plan.slowest is None or slow is None or slow <= self.plan.slowest:
                break
            played = [trial for trial in played if trial.params != values]
            if not self._feasible(played):
                break
            values = best_of(model, self.plan.space, played, None, self.plan.slowest)
            validation, slow = self._validate(values, validate)
        point = [self.plan.space.encode(values)]
        expected = float(model.mean(point)[0]), float(model.deviation(point)[0])
        trials = tuple(self._told(trial) for trial in played_trials(self.study))
        text = self.plan.text_of(values)
        return TuneResult(self.plan, text, values, expected, validation, slow, trials, self.games, model)

    def _feasible(self, played: list[FrozenTrial]) -> bool:
        return any(TrialResult.of(trial).within(self.plan.slowest) for trial in played)

    def _validate(self, values: dict[str, Any], games: int | None) -> tuple[MatchResult, float | None]:
        """A fresh match against the agent as it was given, and the seconds that 95 % of the moves kept."""
        wanted = max(LEAST_VALIDATION, self.games // 4) if games is None else games

        def follow(progress: Progress) -> None:
            self.where.watch(Tuned("measuring the best", progress.games, progress.wanted))

        found = match(
            self.game,
            self.plan.text_of(values),
            self.plan.agent,
            wanted,
            out=self.games_file,
            watch=follow,
            conditions=self._drawn("validation"),
        )
        with Store(self.games_file) as store:
            return found, slow_moves(store, found.id).get(0)

    def _why_none(self, played: list[FrozenTrial]) -> str:
        if self.plan.slowest is None:
            return "every setting that was tried broke the rules, crashed or hung: `ponderosa games-db list` shows how"
        quickest = min(played, key=lambda trial: TrialResult.of(trial).slow or math.inf)
        took = TrialResult.of(quickest).slow
        words = f"{self.plan.text_of(quickest.params)}, took {took:.3g} s" if took else "of them, ended no move"
        return f"no setting that was tried moves within {self.plan.slowest:g} s; the quickest, {words}"

    def _told(self, trial: FrozenTrial) -> Trial:
        result = TrialResult.of(trial)
        kept = result.within(self.plan.slowest)
        pruned = trial.state == TrialState.PRUNED
        return Trial(trial.number, trial.params, result.games, result.points, result.slow, kept, pruned)


@contextlib.contextmanager
def telling_of_damage(folder: Path) -> Iterator[None]:
    """What SQLite and Optuna make of a damaged study, in a sentence."""
    from optuna.exceptions import OptunaError
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (SQLAlchemyError, OptunaError, sqlite3.Error) as error:
        why = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise PonderosaError(f"{folder / STUDY} cannot be used: {why}; name a new folder with --out") from None


def quick_storage(path: Path) -> RDBStorage:
    """Optuna's storage in a file, without waiting for the disk at each of its many small writes.

    A process may be ended at any moment. After a power failure the study may lack its last steps; they are then taken
    again in the same way, with the games of the store.
    """
    from sqlalchemy import event

    storage: RDBStorage = need("optuna", "tunings").storages.RDBStorage(f"sqlite:///{path}")

    def prepare(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")

    event.listen(storage.engine, "connect", prepare)
    storage.engine.dispose()  # connections from before do not know it
    return storage


def slow_moves(store: Store, event: int) -> dict[int, float]:
    """The seconds that 95 % of the moves of each agent kept."""
    moves: dict[int, list[float]] = {}
    for agent, seconds in store.move_seconds(event):
        moves.setdefault(agent, []).append(seconds)
    return {agent: sorted(times)[math.ceil(SLOW_SHARE * (len(times) - 1))] for agent, times in moves.items()}
