"""A sweep: an agent with every combination of some settings, against another or each other. Start at sweep."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ponderosa.arena.conditions import AnyConditions, Conditions, as_conditions
from ponderosa.arena.event import TOLERANCE
from ponderosa.arena.planned import Watch, rules_of
from ponderosa.arena.results.ratings import Rating
from ponderosa.arena.results.statistics import Clusters, Estimate, Z, score_of
from ponderosa.arena.results.store import Outcome
from ponderosa.arena.running.live import game_text
from ponderosa.arena.tournament import TournamentResult, tournament
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.game import Game
from ponderosa.errors import SettingError
from ponderosa.lab.reports.folder import FOLDER
from ponderosa.lab.sweeps.ranges import Vary, combinations, read_vary, with_settings

if TYPE_CHECKING:
    from ponderosa.lab.reports.report import Findings

EACH_OTHER = "each-other"
MOST_AGENTS = 200
MOST_UNSURE = 100.0
"""Larger errors of a logarithm are all the same: nothing is known."""
GAMES = "games.db"
"""The arena's file in a report's folder."""


@with_field_texts
@dataclass(frozen=True)
class Mean:
    """A mean over games, as a score from 0 to 1 or a time, with an interval of 95 %."""

    games: int
    value: float
    low: float
    high: float

    @classmethod
    def positive(cls, games: int, value: float, error: float) -> Mean:
        """A mean of what is never negative: its error is one of its logarithm, so the lower end is above 0."""
        factor = math.exp(min(error / value, MOST_UNSURE)) if value > 0 else 1.0
        return cls(games, value, value / factor, value * factor)

    @classmethod
    def of(cls, estimate: Estimate | None) -> Mean | None:
        """The score of an estimate."""
        if estimate is None:
            return None
        return cls(estimate.games, estimate.score, score_of(estimate.low), score_of(estimate.high))


@with_field_texts
@dataclass(frozen=True)
class SweepPoint:
    """One combination of settings and what it reached."""

    settings: dict[str, str]
    agent: str
    """Its text, ready to paste."""
    score: Mean | None
    """Against the opponent, or against all others; None without a game."""
    first: Mean | None
    """In the first seat."""
    second: Mean | None
    elo: Rating | None
    """How much stronger it is than the opponent; among each other, its rating around a mean of 0."""
    seconds: Mean | None
    """A move."""
    iterations: float | None
    """A move, on average; None if it does not tell."""
    result: float | None = None
    """Of a game for one: what a game paid, on average."""

    @property
    def name(self) -> str:
        """Its settings, for people."""
        return name_of(self.settings)


def name_of(settings: Mapping[str, str]) -> str:
    """Settings as people write them."""
    return ", ".join(f"{key}={value}" for key, value in settings.items())


@with_field_texts
@dataclass(frozen=True)
class SweepResult:
    """What a sweep has shown."""

    agent: str
    vary: Vary
    against: str
    """An agent's text, or each-other."""
    points: tuple[SweepPoint, ...]
    league: TournamentResult
    """All games, as the arena knows them."""

    @property
    def best(self) -> SweepPoint:
        """The combination with the highest score; chance may have helped it."""
        return max(self.points, key=lambda point: -1.0 if point.score is None else point.score.value)

    def between(self, point: int, other: int) -> Mean | None:
        """What a point scored against another one, where they met."""
        return Mean.of(self.league.tally.between(point + self._offset, other + self._offset))

    @property
    def _offset(self) -> int:
        return 0 if self.against == EACH_OTHER else 1

    def _repr_html_(self) -> str:
        """In a notebook, what was found."""
        return self.findings()._repr_html_()

    def findings(self) -> Findings:
        """Tables, figures and words."""
        from ponderosa.lab.sweeps.sweep_report import findings

        return findings(self)


def sweep(
    game: str | Game,
    agent: str,
    vary: Iterable[str] | Mapping[str, Any],
    against: str = EACH_OTHER,
    games: int = 100,
    *,
    out: str | Path | None = None,
    watch: Watch | None = None,
    conditions: Conditions | None = None,
    **keywords: Unpack[AnyConditions],
) -> SweepResult:
    """Play every combination of `vary` against an agent, or all against each other, `games` a pairing.

    `vary` is {"c": [0.5, 1.0]}, {"c": "0.5:2.0:4"} or ["c=0.5:2.0:4", "rollouts=1,5"]; `out` is the arena's file of
    games, and the same call goes on with what is missing there. The fields of Conditions are given as keywords,
    `sweep(..., seed=3)`, or whole as `conditions`.
    """
    given, values = as_conditions(conditions, keywords), read_vary(vary)
    settings, agents, names = contestants(game, agent, values, against)
    alone = rules_of(game).players == 1
    kind = "round robin" if against == EACH_OTHER or alone else "gauntlet"
    league = tournament(game, agents, games, kind=kind, names=names, out=out, watch=watch, conditions=given)
    return result_of(league, agent, values, against, settings, agents)


def contestants(
    game: str | Game, agent: str, vary: Vary, against: str
) -> tuple[list[dict[str, str]], list[str], list[str]]:
    """The combinations, and the texts and names of all agents; an opponent comes first."""
    if not isinstance(agent, str):
        raise SettingError(f"an agent whose settings vary is a text like 'mcts:iterations=100', not {agent!r}")
    rules = rules_of(game)
    if rules.players > 2:
        raise SettingError(f"{game_text(game)} has {rules.players} players; a sweep is for games of one or two")
    settings = combinations(vary)
    if len(settings) > MOST_AGENTS:
        raise SettingError(f"{len(settings):,} combinations are too many; a sweep has at most {MOST_AGENTS}")
    agents, names = [with_settings(agent, entry) for entry in settings], [name_of(entry) for entry in settings]
    if against != EACH_OTHER:
        return settings, [against, *agents], [against, *names]
    if len(agents) < 2:
        raise SettingError("one combination has nobody to play: vary more, or say against whom")
    return settings, agents, names


def result_of(
    league: TournamentResult,
    agent: str,
    vary: Vary,
    against: str,
    settings: Sequence[dict[str, str]],
    agents: Sequence[str],
) -> SweepResult:
    """What the games of a league say about each combination."""
    offset = len(agents) - len(settings)
    rated = league.ratings if offset == 0 else None
    ratings = {} if rated is None else {entry.agent: entry for entry in rated.entries}
    points = []
    for place, entry in enumerate(settings):
        number = place + offset
        if offset:
            elo, other = _elo(number, league.tally.between(number, 0)), 0
        else:
            elo, other = ratings.get(number), None
        points.append(_point(league, number, entry, agents[number], elo, other))
    return SweepResult(agent, vary, against, tuple(points), league)


def _elo(number: int, estimate: Estimate | None) -> Rating | None:
    return None if estimate is None else Rating(number, estimate.elo, estimate.low, estimate.high)


def _point(
    league: TournamentResult, number: int, settings: dict[str, str], text: str, elo: Rating | None, other: int | None
) -> SweepPoint:
    line = league.tally.lines[number]
    every, seats = Clusters(), (Clusters(), Clusters())
    for outcome in league.tally.counted:
        if number not in outcome.seats or (other is not None and other not in outcome.seats):
            continue
        seat = outcome.seats.index(number)
        score = _score(outcome.returns, seat, None if other is None else outcome.seats.index(other))
        every.add(outcome.group, score)
        if not league.tally.alone:
            seats[seat].add(outcome.number, score)
    first, second = (Mean.of(cluster.estimate()) for cluster in seats)
    seconds = mean_time([game.efforts[game.seats.index(number)][:2] for game in played(league, number)])
    iterations = line.iterations / line.moves if line.iterations else None
    paid = line.returned / line.finished if league.tally.alone and line.finished else None
    return SweepPoint(settings, text, Mean.of(every.estimate()), first, second, elo, seconds, iterations, paid)


def played(league: TournamentResult, number: int) -> list[Outcome]:
    """The games of an agent, repeated ones too."""
    return [game for game in (*league.tally.counted, *league.tally.repeated) if number in game.seats]


def mean_time(efforts: Sequence[tuple[int, float]]) -> Mean | None:
    """Seconds a move, from the moves and seconds of each game; its error is that of a ratio of sums over games."""
    moves, seconds = sum(effort[0] for effort in efforts), sum(effort[1] for effort in efforts)
    if not moves:
        return None
    mean, games = seconds / moves, len(efforts)
    spread = sum((spent - mean * count) ** 2 for count, spent in efforts)
    error = Z * math.sqrt(spread * games / max(games - 1, 1)) / moves
    return Mean.positive(games, mean, error)


def _score(returns: Sequence[float], seat: int, other: int | None) -> float:
    """What a seat scored against another, or on average against all others: 1 for more, 1/2 for as much."""
    others = [other] if other is not None else [place for place in range(len(returns)) if place != seat]
    points = [
        1.0 if returns[seat] > returns[place] else 0.5 if returns[seat] == returns[place] else 0.0 for place in others
    ]
    return sum(points) / len(points)


def folder_of_sweep(
    out: str | Path | None, game: str, agent: str, vary: Vary, against: str, conditions: Conditions
) -> Path:
    """The folder that is named, else one that follows from all that decides the games."""
    if out is not None:
        return Path(out).expanduser()
    decides = ("openings", "iterations", "seconds", "seed")
    limits = {name: getattr(conditions, name) for name in decides}
    if conditions.tolerance != TOLERANCE:
        limits["tolerance"] = conditions.tolerance
    said = json.dumps([game, agent, vary, against, limits], sort_keys=True)
    return Path(FOLDER) / f"sweep-{slug(game)}-{hashlib.sha256(said.encode()).hexdigest()[:8]}"


def store_in(folder: Path) -> Path:
    """The arena's file in a folder, which is made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"the folder {folder} cannot be made: {error.strerror or error}") from None
    return folder / GAMES


def slug(text: str) -> str:
    """A text as the name of a file."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40].strip("-") or "game"
