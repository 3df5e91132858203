"""Ratings of many agents from the games that they played, by libraries of the extra `arena`. Start at ratings.

Two players: Bradley and Terry's model as a generalised linear model of statsmodels, a draw being half a win for both;
intervals (resampled.py) allow for the games of a group having the same opening. More players: Plackett and Luce's model
of openskill.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ponderosa.arena.results.resampled import Played, rating_ends
from ponderosa.arena.results.statistics import Z, shared_weight
from ponderosa.arena.results.store import Outcome
from ponderosa.errors import PonderosaError

ELO = 400 / math.log(10)
NEEDS = 'ratings need more packages: pip install "ponderosa[arena]"'


@dataclass(frozen=True)
class Rating:
    """How strong an agent is, with an interval of 95 %."""

    agent: int
    value: float
    """Elo around a mean of 0; for more than two players openskill's mu, around 25."""
    low: float
    high: float


@dataclass(frozen=True)
class Ratings:
    """All agents, the strongest first, and what must be known about the figures."""

    entries: tuple[Rating, ...]
    model: str
    note: str = ""


def ratings(outcomes: Sequence[Outcome], agents: int) -> Ratings | None:
    """The ratings that the games show; None while there are too few to compare all agents."""
    if not outcomes or not _connected(_results(outcomes), agents):
        return None
    of_two = len(outcomes[0].seats) == 2
    if of_two and (len(outcomes) < agents or len({outcome.group for outcome in outcomes}) < 2):
        return None  # nothing to see a variance by
    found = bradley_terry(outcomes, agents) if of_two else plackett_luce(outcomes, agents)
    entries = tuple(sorted(found.entries, key=lambda rating: -rating.value))
    return Ratings(entries, found.model, found.note)


def bradley_terry(outcomes: Sequence[Outcome], agents: int) -> Ratings:
    """Elo ratings of players of two-player games."""
    try:
        import numpy as np
        import statsmodels.api as sm
    except ImportError:
        raise PonderosaError(NEEDS) from None
    results, note = _results(outcomes), ""
    low, high = rating_ends(results, agents, shared_weight(len({group for *_, group in results})))
    if not _strongly_connected(results, agents):  # somebody won or lost everything: the best fit is infinite
        note = "one drawn game is added to every pairing, because somebody won or lost everything"
        pairings = sorted({(min(pair), max(pair)) for *pair, _, _ in results})
        results += [(first, second, 0.5, -1 - index) for index, (first, second) in enumerate(pairings)]
    design = np.zeros((len(results), agents))
    for row, (first, second, _, _) in enumerate(results):
        design[row, first], design[row, second] = 1.0, -1.0
    scores = np.array([score for *_, score, _ in results])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # half wins are no counts; a model that fits perfectly is no trouble here
        model = sm.GLM(scores, design[:, 1:], family=sm.families.Binomial())
        fit = model.fit()
    centre = (np.eye(agents) - 1 / agents)[:, 1:]  # the first agent is the fit's zero; ours is the mean of all
    values = ELO * centre @ fit.params
    entries = [
        Rating(
            agent, float(value), min(float(ELO * low[agent]), float(value)), max(float(ELO * high[agent]), float(value))
        )
        for agent, value in enumerate(values)
    ]
    return Ratings(tuple(entries), "Bradley-Terry, Elo", note)


def plackett_luce(outcomes: Sequence[Outcome], agents: int) -> Ratings:
    """Ratings of players of games for any number, game by game."""
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        raise PonderosaError(NEEDS) from None
    model = PlackettLuce()
    known: list[Any] = [model.rating() for _ in range(agents)]
    for outcome in outcomes:
        teams = [[known[agent]] for agent in outcome.seats]
        for agent, (rating,) in zip(outcome.seats, model.rate(teams, scores=list(outcome.returns)), strict=True):
            known[agent] = rating
    entries = [
        Rating(agent, rating.mu, rating.mu - Z * rating.sigma, rating.mu + Z * rating.sigma)
        for agent, rating in enumerate(known)
    ]
    return Ratings(tuple(entries), "Plackett-Luce, openskill")


def _results(outcomes: Sequence[Outcome]) -> list[Played]:
    found = []
    for outcome in outcomes:
        players = list(zip(outcome.seats, outcome.returns, strict=True))
        for place, (first, mine) in enumerate(players):
            for second, theirs in players[place + 1 :]:
                found.append((first, second, 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0, outcome.group))
    return found


def _connected(results: list[Played], agents: int) -> bool:
    """Whether games lead from every agent to every other."""
    return _reach({(first, second) for first, second, _, _ in results}, agents, both_ways=True)


def _strongly_connected(results: list[Played], agents: int) -> bool:
    """Whether every agent has scored against somebody who has scored against somebody ... who has scored against it."""
    scored = {(first, second) for first, second, score, _ in results if score > 0}
    scored |= {(second, first) for first, second, score, _ in results if score < 1}
    backwards = {(second, first) for first, second in scored}
    return _reach(scored, agents) and _reach(backwards, agents)


def _reach(links: set[tuple[int, int]], agents: int, both_ways: bool = False) -> bool:
    links = links | {(second, first) for first, second in links} if both_ways else links
    seen, waiting = {0}, [0]
    while waiting:
        here = waiting.pop()
        new = {second for first, second in links if first == here} - seen
        seen |= new
        waiting += new
    return len(seen) == agents
