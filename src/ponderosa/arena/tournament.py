"""A tournament: round robin, gauntlet or ladder, for games of any number of players. Start at tournament."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ponderosa.arena.conditions import AnyConditions, Conditions, as_conditions
from ponderosa.arena.event import Event
from ponderosa.arena.match import MOST_GAMES
from ponderosa.arena.planned import (
    Door,
    Planned,
    Progress,
    Watch,
    check_names,
    for_python,
    new_event,
    rules_of,
    run_event,
)
from ponderosa.arena.results.ratings import Ratings, ratings
from ponderosa.arena.results.result import EventResult
from ponderosa.arena.results.store import Outcome, Store
from ponderosa.arena.results.tally import Tally
from ponderosa.arena.running.live import AgentLike, Player
from ponderosa.arena.running.play import Ledger, Venue, play_missing
from ponderosa.arena.schedule import Fixture, climb, fixtures, games_a_round, ladder_round
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.game import Game
from ponderosa.core.numbers import is_number
from ponderosa.errors import SettingError

if TYPE_CHECKING:
    from rich.console import RenderableType

GAMES = 20
"""How many games a pairing has by default."""


@with_field_texts
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
        from ponderosa.arena.results.display import tournament_figures

        return tournament_figures(self)

    def tables(self) -> RenderableType:
        from ponderosa.arena.results.display import tournament_tables

        return tournament_tables(self)

    def lines(self) -> list[str]:
        from ponderosa.arena.results.display import tournament_lines

        return tournament_lines(self)

    def to_csv(self) -> str:
        """The standings, one line an agent."""
        from ponderosa.arena.results.display import standings_csv

        return standings_csv(self)

    def to_html(self) -> str:
        """A page of its own, with figures."""
        from ponderosa.arena.results.html import tournament_page

        return tournament_page(self)


@dataclass(frozen=True)
class PlannedTournament(Planned):
    """A tournament that is checked and ready to be run."""

    games: int
    """How many games a pairing has, or a step in a ladder."""
    rounds: int | None = None
    """For a ladder: how many rounds; None: as many as there are agents."""


def tournament(
    game: str | Game,
    agents: Sequence[AgentLike],
    games: int = GAMES,
    *,
    kind: str = "round robin",
    rounds: int | None = None,
    names: Sequence[str] = (),
    out: str | Path | None = None,
    watch: Watch | None = None,
    conditions: Conditions | None = None,
    **keywords: Unpack[AnyConditions],
) -> TournamentResult:
    """Let agents play each other, and say how strong each is; `print(tournament(...))` shows the standings.

    `kind` is "round robin" (each against each), "gauntlet" (the first against each) or "ladder", of so many `rounds`.
    `games` are those of a pairing, or of a step in a ladder; `names` are what agents are called in tables. `out` keeps
    the games in a file, and the same call goes on with what is missing there. `watch` is called with how far it is.

    The fields of Conditions are given as keywords, `tournament(..., seed=3)`, or whole as `conditions`.
    """
    planned = plan_tournament(game, agents, games, kind, rounds, names, as_conditions(conditions, keywords))
    return run_tournament(planned, out, for_python(watch))


def plan_tournament(
    game: str | Game,
    agents: Sequence[AgentLike],
    games: int = GAMES,
    kind: str = "round robin",
    rounds: int | None = None,
    names: Sequence[str] = (),
    conditions: Conditions | None = None,
) -> PlannedTournament:
    """A tournament, checked; nothing is written or started."""
    given, everybody = conditions or Conditions(), tuple(Player.of(agent) for agent in agents)
    check_names(game, everybody)
    players = rules_of(game).players
    _check_size(game, players, len(everybody), games, kind)
    called = tuple(names) or tuple(agent.text for agent in everybody)
    if len(set(called)) < len(called):
        raise SettingError("two agents have the same name: give names, or a seed to one of two that are alike")
    steps = games + games % 2 if kind == "ladder" else 0
    event = new_event(game, [agent.text for agent in everybody], given, kind=kind, names=called, steps=steps)
    return PlannedTournament(event, players, given, game, everybody, games, rounds)


def _check_size(game: str | Game, players: int, agents: int, games: int, kind: str) -> None:
    if not is_number(games, 1, MOST_GAMES, whole=True):
        raise SettingError(f"games, those of a pairing, is a whole number of at least 1, not {games!r}")
    if players == 1 and kind == "gauntlet":
        raise SettingError(f"{game} is for one player: all agents play the same games alone, in a round robin")
    if kind == "ladder" and players != 2:
        raise SettingError(f"a ladder is for games of two players, and {game} has {players}")
    if agents < players:
        raise SettingError(f"{game} has {players} players; a tournament needs at least as many agents")


def run_tournament(
    planned: PlannedTournament, out: str | Path | None = None, door: Door | None = None
) -> TournamentResult:
    """Play what the file `out` lacks of a tournament."""
    return run_event(play_tournament, planned, out, door or Door())


def play_tournament(
    planned: PlannedTournament,
    store: Store,
    venue: Venue,
    watch: Watch | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> TournamentResult:
    """Play what is missing of a tournament."""
    event, conditions = planned.event, planned.conditions
    tally, rungs = Tally(event, conditions.count_repeats), list(range(len(event.agents)))
    batches = list(_batches(planned, rungs))
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

        play_missing(ledger, batch(), venue, count, tell, conditions.strict)
        if event.kind == "ladder":
            climb(number, rungs, scores)
    return replace(result(), versions=store.versions(ledger.id))


Batch = tuple[int, Callable[[], Iterator[Fixture]]]
"""How many games, and which; a ladder knows only after one round who meets in the next."""


def _batches(planned: PlannedTournament, rungs: list[int]) -> Iterator[Batch]:
    event, players, rounds = planned.event, planned.players, planned.rounds
    if event.kind != "ladder":
        cycles = -(-planned.games // players)
        size = cycles * games_a_round(event, players)
        yield size, lambda: itertools.islice(fixtures(event, players), size)
        return
    for number in range(len(event.agents) if rounds is None else rounds):
        yield len(ladder_round(event, number, rungs)), functools.partial(_steps, event, number, rungs)


def _steps(event: Event, number: int, rungs: list[int]) -> Iterator[Fixture]:
    return iter(ladder_round(event, number, rungs))
