"""How strong the network has become: it plays the best one so far, and a fixed ladder. Start at Gate.measure.

All games of a pairing are played together, from random openings, each by both seats. The ladder is the same for every
network of a game: random moves, then plain tree searches with more and more iterations, up to the first one that holds
out; and once random moves are beaten, `strong` and `perfect` where they play the game (rivals.py). The network plays
with as many iterations as it learns from. Elo figures are a fit of all games so far, with random moves at
0 (arena/results/ratings.py); games for one, or for more than two, have scores alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ponderosa.arena.results.ratings import ratings
from ponderosa.arena.results.rows import Outcome
from ponderosa.arena.results.statistics import Clusters, Estimate
from ponderosa.core.game import Game
from ponderosa.core.rng import seed_of
from ponderosa.forest.play_many import play_many
from ponderosa.learning.judging import Judge
from ponderosa.learning.rivals import rivals_of, scores_against
from ponderosa.learning.settings import LearnSettings
from ponderosa.networks.network import Parameters

STEPS = (1, 4, 16, 64, 256)
"""Iterations of the ladder's searches, as multiples of the network's."""
HELD = 0.9
"""Who scores more than this against a rung goes on to the next; alone, whoever is stronger for certain does."""
AGENT_SHARE = 4
"""Against agents, which think about one game after the other, one game in so many is played."""
OPENINGS, MOST_OPENING = 0.25, 8
"""Random moves that a game begins with, as a share of the longest openings of self-play, and the most of them."""
BEST = "the best so far"
RANDOM = "random"


@dataclass(frozen=True)
class Pairing:
    """Games of the network against one rival."""

    rival: str
    games: int
    score: float
    """The mean score of the network, from 0 to 1."""
    elo: float
    """The difference that this stands for, with the ends of its interval of 95 %."""
    low: float
    high: float


@dataclass(frozen=True)
class Measured:
    """What a gate has shown."""

    number: int
    pairings: tuple[Pairing, ...]
    best: bool
    """Whether the network is the best so far, as far as can be told."""
    elo: float | None
    """Above random moves, with the ends of its interval; None: not known."""
    low: float | None
    high: float | None

    @property
    def highest(self) -> Pairing:
        """The highest rung of searches that was played."""
        return [pairing for pairing in self.pairings if pairing.rival.split(":")[0] in (RANDOM, "mcts")][-1]


class Gate:
    """Measures networks of one game, one after the other."""

    def __init__(self, game: Game, judges: Sequence[Judge], settings: LearnSettings, device: str) -> None:
        """`judges`: two, for the network and the best so far."""
        self._game, self._judges, self._settings, self._device = game, judges, settings, device
        self._openings = min(MOST_OPENING, round(OPENINGS * (settings.openings or 0)))
        self._told: list[tuple[str, str, int, float]] = []
        """Every game: who, against whom, in which group, and its score."""
        self.rung = 0
        self.number = 0
        self.best: int | None = None
        """The gate that the best network so far has passed."""
        self._rivals: list[str] | None = None

    @property
    def rivals(self) -> list[str]:
        """The agents beside the ladder; found out, which takes a moment, when they are wanted."""
        if self._rivals is None:
            self._rivals = rivals_of(self._game)
        return self._rivals

    @property
    def ladder(self) -> list[tuple[str, dict[str, Any]]]:
        """The rungs, and who plays there."""
        counts = [step * self._settings.simulations for step in STEPS]
        searches = [(f"mcts:iterations={count}", self._roomy(count)) for count in counts]
        return [(RANDOM, self._roomy(1) | {"choose": "robust", "solve": False}), *searches]

    def _roomy(self, iterations: int) -> dict[str, Any]:
        """A contender with so many iterations, and room for what it keeps from move to move."""
        return {"iterations": iterations, "max_nodes": 2 * self._settings.nodes(iterations)}

    def measure(self, params: Parameters, best: Parameters, before_each: Callable[[], Any] = lambda: None) -> Measured:
        """Let a network play; `best` is the one that has passed the last gate.

        `before_each` is called before the games against each rival, and may raise what ends the gate.
        """
        self.number += 1
        self._judges[0].params, self._judges[1].params = params, best
        pairings = []
        while True:
            before_each()
            name, rival = self.ladder[self.rung]
            pairings.append(self._play(name, name, rival))
            if not self._passed(pairings[-1]) or self.rung + 1 == len(self.ladder):
                break
            self.rung += 1
        for agent in self.rivals if self.rung > 0 else ():
            before_each()
            pairings.append(self._play_agent(agent))
        if self.best is not None:
            before_each()
            pairings.append(self._play(BEST, f"gate {self.best}", self._network(1)))
        passed = self.best is None or pairings[-1].high >= 0.0  # the newer one, unless it is the weaker for certain
        if passed:
            self.best = self.number
        return Measured(self.number, tuple(pairings), passed, *self._rated())

    def _passed(self, pairing: Pairing) -> bool:
        """Whether the network goes on to the next rung."""
        return pairing.score >= HELD if self._game.players > 1 else pairing.low > 0.0

    def _network(self, place: int) -> dict[str, Any]:
        return self._roomy(self._settings.simulations) | {"select": "puct", "evaluator": self._judges[place]}

    def _play(self, shown: str, rival: str, contender: Mapping[str, Any]) -> Pairing:
        """Games against one rival."""
        players = max(self._game.players, 2)
        agents = [self._network(0), *([dict(contender)] * (players - 1))]
        games = -(-self._settings.gate_games // players) * players
        seed = seed_of(self._settings.seed, 1000 * self.number + self.rung + (shown == BEST) * 500)
        played = play_many(self._game, agents, games, openings=self._openings, seed=seed, device=self._device)
        return self._pairing(shown, rival, scores_of(played, self._game.players))

    def _play_agent(self, rival: str) -> Pairing:
        """Fewer games against an agent."""
        games = max(4, self._settings.gate_games // AGENT_SHARE // 2 * 2)
        seed = seed_of(self._settings.seed, 1000 * self.number + 400 + self.rivals.index(rival))
        told = scores_against(self._game, self._network(0), rival, games, self._openings, seed, self._device)
        return self._pairing(rival, rival, told)

    def _pairing(self, shown: str, rival: str, scores: Sequence[tuple[int, float]]) -> Pairing:
        """What games have shown, which count for the ratings."""
        clusters = Clusters()
        for group, score in scores:
            clusters.add(group, score)
            self._told.append(
                (f"gate {self.number}", rival, 10_000 * self.number + 1000 * len(self._told) + group, score)
            )
        found: Estimate | None = clusters.estimate()
        assert found is not None
        return Pairing(shown, found.games, found.score, found.elo, found.low, found.high)

    def _rated(self) -> tuple[float | None, float | None, float | None]:
        """The Elo of the newest network, above random moves."""
        if self._game.players != 2:
            return None, None, None
        names = sorted({name for game in self._told for name in game[:2]})
        places = {name: place for place, name in enumerate(names)}
        outcomes = [
            Outcome(at, group, (places[who], places[rival]), (score, 1 - score), (score, 1 - score), "", None, "", ())
            for at, (who, rival, group, score) in enumerate(self._told)
        ]
        found = ratings(outcomes, len(names))
        if found is None or RANDOM not in places:
            return None, None, None
        by_agent = {rating.agent: rating for rating in found.entries}
        mine, zero = by_agent[places[f"gate {self.number}"]], by_agent[places[RANDOM]].value
        return mine.value - zero, mine.low - zero, mine.high - zero

    def kept(self) -> dict[str, Any]:
        """All that the next gate follows from, ready for JSON."""
        return {"told": self._told, "rung": self.rung, "number": self.number, "best": self.best}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Go on where `kept` was taken."""
        self._told = [(str(who), str(rival), int(group), float(score)) for who, rival, group, score in kept["told"]]
        self.rung, self.number, self.best = kept["rung"], kept["number"], kept["best"]


def scores_of(played: Any, players: int) -> list[tuple[int, float]]:
    """The first agent's scores, each with the group of games that share an opening.

    A game for one is played alone by both. By how much one got more counts, as a share of the largest difference: where
    luck decides, who gets more in the mean may get less in most games.
    """
    if players > 1:
        found = np.asarray(played.scores)[:, 0]
        return [(number // players, float(score)) for number, score in enumerate(found) if np.isfinite(score)]
    got = np.asarray(played.returns)[:, 0].reshape(-1, 2)
    more = got[:, 0] - got[:, 1]
    return list(enumerate((0.5 + 0.5 * more / max(np.abs(more).max(), 1e-9)).tolist()))


def as_json(measured: Measured) -> dict[str, Any]:
    """What a gate has shown, ready for JSON, which knows no infinity."""
    told = asdict(measured)
    for pairing in told["pairings"]:
        for end in ("elo", "low", "high"):
            pairing[end] = round(pairing[end], 1) if np.isfinite(pairing[end]) else None
    return told
