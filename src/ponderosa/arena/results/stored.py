"""The result of a match or tournament that is in a store, running or finished. Start at stored_result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ponderosa.arena.event import Event
from ponderosa.arena.match import MatchResult
from ponderosa.arena.results.result import EventResult
from ponderosa.arena.results.statistics import UNDECIDED, Sprt
from ponderosa.arena.results.store import Outcome, Store
from ponderosa.arena.results.tally import Tally
from ponderosa.arena.schedule import climb, games_of_ladder_round
from ponderosa.arena.tournament import TournamentResult


def stored_result(store: Store, event: int, sprt: Sprt | None = None, count_repeats: bool = False) -> EventResult:
    """What the games of an event show that are stored now; a sequential test is told where it decided."""
    about = store.event(event).event
    tally = Tally(about, count_repeats)
    outcomes = list(store.outcomes(event))
    if about.kind != "match":
        for outcome in outcomes:
            tally.add(outcome)
        ladder = _rungs(about, outcomes) if about.kind == "ladder" else ()
        return TournamentResult(about, tally, store.path, event, store.versions(event), ladder)
    result = MatchResult(about, tally, store.path, event, store.versions(event), sprt)
    for outcome in _without_gaps(outcomes) if sprt else outcomes:
        tally.add(outcome)
        if sprt is not None and outcome.number % 2 and result.verdict != UNDECIDED:
            break
    return result


def _without_gaps(outcomes: list[Outcome]) -> Iterator[Outcome]:
    """The games up to the first that is missing: a test looks at them in their order."""
    return (outcome for place, outcome in enumerate(outcomes) if outcome.number == place)


def _rungs(event: Event, outcomes: Iterable[Outcome]) -> tuple[int, ...]:
    """Who stands where on a ladder after the rounds that were played."""
    rungs = list(range(len(event.agents)))
    most = games_of_ladder_round(event)
    for number, played in groupby(outcomes, key=lambda outcome: outcome.number // most):
        scores = [0.0] * len(rungs)
        for outcome in played:
            for agent, score in zip(outcome.seats, outcome.scores, strict=True):
                scores[agent] += score
        climb(number, rungs, scores)
    return tuple(rungs)
