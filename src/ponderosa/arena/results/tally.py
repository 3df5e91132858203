"""Counts results as they come: by seat, by pair, repeated games, faults, effort. Start at Tally.add."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from ponderosa.arena.event import Event
from ponderosa.arena.results.statistics import Clusters, Estimate
from ponderosa.arena.results.store import Outcome
from ponderosa.arena.running.judge import FINISHED
from ponderosa.arena.solo import SoloGroups


@dataclass
class Line:
    """What an agent has reached and what it took."""

    wins: Counter[int] = field(default_factory=Counter)
    """By seat."""
    draws: Counter[int] = field(default_factory=Counter)
    losses: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    """Games that it lost by its own fault, by reason."""
    score: float = 0.0
    returned: float = 0.0
    """What its games paid in all; of a game for one, those that came to their end."""
    finished: int = 0
    """How many did."""
    games: int = 0
    moves: int = 0
    seconds: float = 0.0
    iterations: int = 0
    nodes: int = 0


class Tally:
    """The counts of an event. A game that was played before, by the same agents in the same seats, counts once."""

    def __init__(self, event: Event, count_repeats: bool = False) -> None:
        self.event = event
        self.lines = [Line() for _ in event.agents]
        self.games = 0
        """All games, repeated ones too."""
        self.counted: list[Outcome] = []
        """What the statistics are made of."""
        self.repeated: list[Outcome] = []
        """Games that were played before."""
        self.alone = False
        """Whether it is a game of one player: agents that played the same game are then compared."""
        self._count_repeats = count_repeats
        self._tables = SoloGroups(len(event.agents))
        self._seen: set[Any] = set()
        self._clusters: dict[tuple[int, int], Clusters] = defaultdict(Clusters)

    def add(self, outcome: Outcome) -> bool:
        """Count a game; False: it was played before."""
        self.games += 1
        for agent, effort in zip(outcome.seats, outcome.efforts, strict=True):
            self._add_effort(self.lines[agent], effort)
        if outcome.fault is not None:
            self.lines[outcome.seats[outcome.fault]].faults[outcome.reason] += 1
        if outcome.reason == FINISHED:
            for agent, returned in zip(outcome.seats, outcome.returns, strict=True):
                self.lines[agent].finished += 1
                self.lines[agent].returned += returned
        self.alone = len(outcome.seats) == 1
        table = self._tables.add(outcome) if self.alone else outcome
        return table is None or self._compare(table)

    def _compare(self, outcome: Outcome) -> bool:
        """Count a game of several; False: it was played before."""
        if outcome.reason == FINISHED and outcome.canon and not self._is_new(outcome):
            self.repeated.append(outcome)
            return False
        self.counted.append(outcome)
        for seat, (agent, score) in enumerate(zip(outcome.seats, outcome.scores, strict=True)):
            self._add_score(self.lines[agent], 0 if self.alone else seat, score)
        self._add_pairs(outcome)
        return True

    @property
    def repeats(self) -> int:
        """How many games were played before."""
        return len(self.repeated)

    def between(self, agent: int, other: int) -> Estimate | None:
        """How much stronger an agent is than another, from the games that they played against each other."""
        return self._clusters[agent, other].estimate()

    def pentanomial(self, agent: int = 0, other: int = 1) -> list[int]:
        """How many pairs of games gave an agent 0, 1/2, 1, 3/2 and 2 points against another."""
        return self._clusters[agent, other].pairs

    def _is_new(self, outcome: Outcome) -> bool:
        if self._count_repeats:
            return True
        known = len(self._seen)
        self._seen.add((outcome.seats, outcome.canon))
        return len(self._seen) > known

    @staticmethod
    def _add_effort(line: Line, effort: tuple[int, float, int, int]) -> None:
        moves, seconds, iterations, nodes = effort
        line.moves += moves
        line.seconds += seconds
        line.iterations += iterations
        line.nodes += nodes

    @staticmethod
    def _add_score(line: Line, seat: int, score: float) -> None:
        line.games += 1
        line.score += score
        (line.wins if score > 0.5 else line.draws if score == 0.5 else line.losses)[seat] += 1

    def _add_pairs(self, outcome: Outcome) -> None:
        """Every two players of a game have a result against each other."""
        players = list(zip(outcome.seats, outcome.returns, strict=True))
        for agent, mine in players:
            for other, theirs in players:
                if agent != other:
                    score = 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
                    clusters = self._clusters[agent, other]
                    (clusters.add_both if self.alone else clusters.add)(outcome.group, score)
