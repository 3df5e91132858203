"""Who plays whom, in which seats, from which opening: a pure function of the event. Start at fixtures."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ponderosa.arena.event import Event


@dataclass(frozen=True)
class Fixture:
    """One game to be played."""

    number: int
    """Its place in the event; with the event, it decides everything about the game."""
    group: int
    """Games of a group have the same agents, opening and dice; every agent has every seat once."""
    seats: tuple[int, ...]
    """The agent in each seat."""
    opening: int
    """Which opening."""


def fixtures(event: Event, players: int) -> Iterator[Fixture]:
    """All games of an event, without end: as many as are wanted are played, and more can be added later."""
    pairings = list(_pairings(event, players))
    numbers = itertools.count()
    groups = itertools.count()
    for opening in itertools.count():
        for agents in pairings:
            group = next(groups)
            for seats in _rotations(agents, players):
                yield Fixture(next(numbers), group, seats, opening)


def games_a_round(event: Event, players: int) -> int:
    """How many games it takes until every pairing has been played once in every seat."""
    return sum(len(agents) for agents in _pairings(event, players))


def _pairings(event: Event, players: int) -> Iterator[tuple[int, ...]]:
    """The agents of each group of games; in a gauntlet the first agent meets all others, who do not meet.

    Where one plays alone, all agents play the same games, and are compared.
    """
    if players == 1:
        yield tuple(range(len(event.agents)))
        return
    for agents in itertools.combinations(range(len(event.agents)), players):
        if event.kind != "gauntlet" or 0 in agents:
            yield agents


def _rotations(agents: tuple[int, ...], players: int) -> Iterator[tuple[int, ...]]:
    for shift in range(len(agents)):
        yield (agents[shift:] + agents[:shift])[:players]


def ladder_round(event: Event, number: int, rungs: Sequence[int]) -> list[Fixture]:
    """The games of a round of a ladder: neighbours meet, from the top rung and from the second by turns."""
    places = range(number % 2, len(rungs) - 1, 2)
    most = games_of_ladder_round(event)
    found = []
    for pairing, place in enumerate(places):
        for game in range(event.steps):
            agents = (rungs[place], rungs[place + 1])
            at = number * most + pairing * event.steps + game
            opening = (number * event.steps + game) // 2
            found.append(Fixture(at, at // 2, agents if game % 2 == 0 else agents[::-1], opening))
    return found


def games_of_ladder_round(event: Event) -> int:
    """How many numbers a round of a ladder has, whether all are used or not."""
    return len(event.agents) // 2 * event.steps


def climb(number: int, rungs: list[int], scores: Sequence[float]) -> None:
    """After a round of a ladder: whoever scored more than the agent above changes places with it."""
    for place in range(number % 2, len(rungs) - 1, 2):
        above, below = rungs[place], rungs[place + 1]
        if scores[below] > scores[above]:
            rungs[place], rungs[place + 1] = below, above
