"""Tuning: the settings of an agent that win most, found with a budget of games or time. Start at tune.

Settings are tried in generations: a gauntlet of the arena in which every candidate meets the opponent in pairs of
games. Optuna keeps the trials in SQLite, and says which are cut off early; all games, of broken trials too, go into
one model of strength (lab/tuning/strength_model.py), whose top is the answer. A fresh match measures it.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ponderosa.arena.conditions import AnyConditions, Conditions, as_conditions
from ponderosa.arena.event import TOLERANCE, file_hashes
from ponderosa.arena.match import MatchResult
from ponderosa.arena.planned import rules_of
from ponderosa.arena.running.live import game_text
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.game import Game
from ponderosa.errors import SettingError
from ponderosa.lab.extra import need
from ponderosa.lab.reports.folder import FOLDER
from ponderosa.lab.sweeps.ranges import with_settings
from ponderosa.lab.sweeps.sweep import slug
from ponderosa.lab.tuning.space import Space

if TYPE_CHECKING:
    from ponderosa.lab.reports.report import Findings
    from ponderosa.lab.tuning.strength_model import Strength

LEAST_GAMES = 16
"""Less than that is no tuning."""


@dataclass(frozen=True)
class TuneBudget:
    """How much a tuning may play: games, or seconds."""

    games: int | None = None
    seconds: float | None = None

    @classmethod
    def read(cls, text: str | int) -> TuneBudget:
        """`500` games, or `90s`, `10m`, `2h`."""
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|m|h|games)?\s*", str(text))
        value, unit = (float(found[1]), found[2]) if found else (0.0, None)
        if unit in ("s", "m", "h"):
            value *= {"s": 1, "m": 60, "h": 3600}[unit]
            if value > 0:
                return cls(seconds=value)
        elif value.is_integer() and value >= LEAST_GAMES:
            return cls(games=int(value))
        raise SettingError(
            f"a budget is a number of games, at least {LEAST_GAMES}, or a time, as 500, 90s, 10m or 2h, not {text!r}"
        )


@dataclass(frozen=True)
class Plan:
    """All that decides a tuning but its budget."""

    game: str
    agent: str
    space: Space
    against: str
    conditions: Conditions
    slowest: float | None = None
    """The most seconds that a move may take; None: as long as it likes."""

    @property
    def key(self) -> str:
        """Equal for equal tunings; an edited agent is another agent."""
        said = [self._identity(), file_hashes((self.game, self.agent, self.against))]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]

    def _identity(self) -> str:
        """What decides the trials, as one text: studies that are kept have its hash, so its form stays as it is."""
        given = self.conditions
        decides = {name: getattr(given, name) for name in ("openings", "iterations", "seconds", "count_repeats")}
        if given.tolerance != TOLERANCE:
            decides["tolerance"] = given.tolerance
        whole = {"game": self.game, "agent": self.agent, "space": self.space, "against": self.against}
        said = ", ".join(f"{name}={value!r}" for name, value in whole.items())
        limits = ", ".join(f"{name}={value!r}" for name, value in decides.items())
        return f"Plan({said}, conditions=Conditions({limits}), slowest={self.slowest!r}, seed={given.seed!r})"

    def text_of(self, values: dict[str, Any]) -> str:
        """The agent with settings, ready to paste."""
        return with_settings(self.agent, self.space.texts(values))

    def folder(self, out: str | Path | None = None) -> Path:
        """The folder that is named, else one that follows from the plan."""
        return Path(FOLDER) / f"tune-{slug(self.game)}-{self.key[:8]}" if out is None else Path(out).expanduser()


@with_field_texts
@dataclass(frozen=True)
class Trial:
    """A setting that was tried."""

    number: int
    values: dict[str, Any]
    games: int
    points: float
    slow: float | None
    """The seconds that 95 % of its moves kept."""
    feasible: bool
    pruned: bool


@with_field_texts
@dataclass(frozen=True)
class TuneResult:
    """What a tuning has found."""

    plan: Plan
    agent: str
    """The best agent, ready to paste."""
    values: dict[str, Any]
    expected: tuple[float, float]
    """Its Elo above the opponent as the model sees it, and the deviation of that."""
    validation: MatchResult
    """A fresh match against the agent as it was given."""
    slow: float | None
    """The seconds that 95 % of its moves kept in that match."""
    trials: tuple[Trial, ...]
    games: int
    """Of all trials."""
    model: Strength

    @property
    def settings(self) -> dict[str, str]:
        """The best settings as texts."""
        return self.plan.space.texts(self.values)

    def _repr_html_(self) -> str:
        """In a notebook, what was found."""
        return self.findings()._repr_html_()

    def findings(self) -> Findings:
        """Tables, figures and words."""
        from ponderosa.lab.tuning.tune_report import findings

        return findings(self)


@dataclass(frozen=True)
class Tuned:
    """How far a tuning is, for whoever watches it."""

    words: str
    games: int
    of: int | None
    """None when the budget is a time."""


TuneWatch = Callable[[Tuned], None]


def tune(
    game: str | Game,
    agent: str,
    params: Iterable[str],
    budget: str | int = 500,
    *,
    against: str | None = None,
    out: str | Path | None = None,
    max_move_seconds: float | None = None,
    validate: int | None = None,
    watch: TuneWatch | None = None,
    clock: Callable[[], float] = time.monotonic,
    conditions: Conditions | None = None,
    **keywords: Unpack[AnyConditions],
) -> TuneResult:
    """Find the settings that win most against `against` (by default the agent as it is given).

    `params` are texts such as "c=0.1:3", "rollouts=1:8", "iterations=100:5000:log", "choose=robust,secure"; `budget` is
    a number of games, or a time as "10m". The same call with the same folder goes on where it was stopped, and a larger
    budget adds trials. The fields of Conditions are given as keywords, `tune(..., seed=3)`, or whole as `conditions`.
    """
    need("ponderosa.lab.tuning.tuner", "tunings")
    from ponderosa.lab.tuning.tuner import Tuner, Where, telling_of_damage

    plan = make_plan(game, agent, params, against, as_conditions(conditions, keywords), max_move_seconds)
    where = Where(plan.folder(out), watch or (lambda told: None), clock)
    with telling_of_damage(where.folder):
        tuner = Tuner(plan, game, TuneBudget.read(budget), where)
        tuner.search()
        return tuner.result(validate)


def make_plan(
    game: str | Game,
    agent: str,
    params: Iterable[str],
    against: str | None = None,
    conditions: Conditions | None = None,
    slowest: float | None = None,
) -> Plan:
    """A plan, checked."""
    need("optuna", "tunings")
    if not isinstance(agent, str):
        raise SettingError(f"an agent that is tuned is a text like 'mcts:iterations=100', not {agent!r}")
    rules = rules_of(game)
    if rules.players > 2:
        raise SettingError(f"{game_text(game)} has {rules.players} players; tuning is for games of one or two")
    if slowest is not None and not 0 < slowest < 1e6:
        raise SettingError(f"max_move_seconds is a number of seconds above 0, not {slowest!r}")
    space = Space.read(params)
    return Plan(game_text(game), agent, space, against or agent, conditions or Conditions(), slowest)
