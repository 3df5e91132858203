"""A tournament: round robin, gauntlet or ladder, for games of any number of players. Start at tournament."""

from __future__ import annotations

import functools
import itertools
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ponderosa.arena.event import TIMEOUT, TOLERANCE, Event
from ponderosa.arena.match import Progress, find_place, new_event, store_at
from ponderosa.arena.results.ratings import Ratings, ratings
from ponderosa.arena.results.result import EventResult
from ponderosa.arena.results.store import Outcome, Store
from ponderosa.arena.results.tally import Tally
from ponderosa.arena.running.live import Player
from ponderosa.arena.running.play import Ledger, Place, play_missing
from ponderosa.arena.schedule import Fixture, climb, fixtures, games_a_round, ladder_round
from ponderosa.core.game import Game
from ponderosa.errors import SettingError
from ponderosa.registry import load_game

if TYPE_CHECKING:
    from rich.console import RenderableType

GAMES = 20
"""How many games a pairing has, unless told otherwise."""


@dataclass(frozen=True, repr=False)
class TournamentResult(EventResult):
    """The standings of a tournament."""

    ladder: tuple[int, ...] = ()
    """The agents on the rungs of a ladder, the top one first; empty in other tournaments."""

    @property
    def ratings(self) -> Ratings | None:
        """Every agent's strength, the strongest first; None while there are too few games."""
        return ratings(self.tally.counted, len(self.event.agents))

    def to_dict(self) -> dict[str, Any]:
        from ponderosa.arena.results.report import tournament_figures

        return tournament_figures(self)

    def tables(self) -> RenderableType:
        from ponderosa.arena.results.report import tournament_tables

        return tournament_tables(self)

    def lines(self) -> list[str]:
        from ponderosa.arena.results.report import tournament_lines

        return tournament_lines(self)

    def to_csv(self) -> str:
        """The standings, one line an agent."""
        from ponderosa.arena.results.report import standings_csv

        return standings_csv(self)

    def to_html(self) -> str:
        """A page of its own, with figures."""
        from ponderosa.arena.results.html import tournament_page

        return tournament_page(self)


def tournament(
    game: str | Game,
    agents: Sequence[Any],
    games: int = GAMES,
    *,
    kind: str = "round robin",
    rounds: int | None = None,
    names: Sequence[str] = (),
    openings: str = "none",
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    concurrency: int | None = None,
    cluster: str | None = None,
    out: str | Path | None = None,
    strict: bool = False,
    count_repeats: bool = False,
    tolerance: float = TOLERANCE,
    timeout: float = TIMEOUT,
    memory: float | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> TournamentResult:
    """Let agents play each other; `games` are those of a pairing, or of a step in a ladder."""
    players = [Player.of(agent) for agent in agents]
    texts = [player.text for player in players]
    conditions = (openings, iterations, seconds, seed, tolerance, timeout)
    event = tournament_event(game, texts, games, kind, names, *conditions)
    with store_at(out) as store, find_place(event, game, players, concurrency, memory, cluster) as place:
        if place.note:
            warnings.warn(place.note, stacklevel=2)
        return play_tournament(event, games, store, place, rounds, strict, count_repeats, watch, _players(game))


def tournament_event(
    game: str | Game,
    agents: Sequence[str],
    games: int,
    kind: str = "round robin",
    names: Sequence[str] = (),
    openings: str = "none",
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    tolerance: float = TOLERANCE,
    timeout: float = TIMEOUT,
) -> Event:
    """The event of a tournament, checked."""
    if isinstance(games, bool) or not isinstance(games, int) or not 1 <= games <= 1_000_000:
        raise SettingError(f"games, those of a pairing, is a whole number of at least 1, not {games!r}")
    players = _players(game)
    if players == 1 and kind == "gauntlet":
        raise SettingError(f"{game} is for one player: all agents play the same games alone, in a round robin")
    if kind == "ladder" and players != 2:
        raise SettingError(f"a ladder is for games of two players, and {game} has {players}")
    if len(agents) < players:
        raise SettingError(f"{game} has {players} players; a tournament needs at least as many agents")
    called = tuple(names) or tuple(agents)
    if len(set(called)) < len(called):
        raise SettingError("two agents have the same name: give names, or a seed to one of two that are alike")
    steps = games + games % 2 if kind == "ladder" else 0
    limits = (openings, iterations, seconds, seed, tolerance, timeout)
    return new_event(game, tuple(agents), *limits, kind=kind, names=called, steps=steps)


def play_tournament(
    event: Event,
    games: int,
    store: Store,
    place: Place,
    rounds: int | None = None,
    strict: bool = False,
    count_repeats: bool = False,
    watch: Callable[[Progress], None] | None = None,
    players: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> TournamentResult:
    """Play what is missing of a tournament."""
    players = players or _players(event.game)
    tally, rungs = Tally(event, count_repeats), list(range(len(event.agents)))
    batches = list(_batches(event, games, rounds, players, rungs))
    wanted = sum(size for size, _ in batches)
    ledger = Ledger.begin(store, event, wanted)
    begun, before = clock(), len(store.numbers(ledger.id))

    def result() -> TournamentResult:
        ladder = tuple(rungs) if event.kind == "ladder" else ()
        return TournamentResult(event, tally, store.path if store.kept else None, ledger.id, ladder=ladder)

    def tell(done: int) -> None:
        if watch is not None:
            watch(Progress(done, before, wanted, clock() - begun, result()))

    for number, (_, batch) in enumerate(batches):
        scores = [0.0] * len(event.agents)

        def count(outcome: Outcome, scores: list[float] = scores) -> bool:
            tally.add(outcome)
            for agent, score in zip(outcome.seats, outcome.scores, strict=True):
                scores[agent] += score
            return False

        play_missing(ledger, batch(), place, count, tell, strict)
        if event.kind == "ladder":
            climb(number, rungs, scores)
    return replace(result(), versions=store.versions(ledger.id))


def _players(game: str | Game) -> int:
    return (load_game(game) if isinstance(game, str) else game).players


Batch = tuple[int, Callable[[], Iterator[Fixture]]]
"""How many games, and which; a ladder knows only after one round who meets in the next."""


def _batches(event: Event, games: int, rounds: int | None, players: int, rungs: list[int]) -> Iterator[Batch]:
    if event.kind != "ladder":
        cycles = -(-games // players)
        size = cycles * games_a_round(event, players)
        yield size, lambda: itertools.islice(fixtures(event, players), size)
        return
    for number in range(len(event.agents) if rounds is None else rounds):
        yield len(ladder_round(event, number, rungs)), functools.partial(_steps, event, number, rungs)


def _steps(event: Event, number: int, rungs: list[int]) -> Iterator[Fixture]:
    return iter(ladder_round(event, number, rungs))
