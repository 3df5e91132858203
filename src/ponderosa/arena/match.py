"""A match: two agents, games in pairs from the same opening with seats swapped. Start at match.

Of a game for one, both play the same game alone, and whoever got more has won the pair.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ponderosa.arena.conditions import AnyConditions, Conditions, as_conditions
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
from ponderosa.arena.results.result import EventResult
from ponderosa.arena.results.statistics import UNDECIDED, Estimate, Sprt
from ponderosa.arena.results.store import Outcome, Store
from ponderosa.arena.results.tally import Tally
from ponderosa.arena.running.live import AgentLike, Player
from ponderosa.arena.running.play import Ledger, Venue, play_missing
from ponderosa.arena.schedule import fixtures
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.game import Game
from ponderosa.core.numbers import is_number
from ponderosa.errors import SettingError

if TYPE_CHECKING:
    from rich.console import RenderableType

GAMES = 100
"""How many games a match has by default."""
MOST_GAMES = 1_000_000
"""A sequential test that is still undecided ends here."""
NOTHING_NEW = 400
"""This many games in a row that were all played before end a sequential test: it would never end."""

SprtLike = tuple[float, float] | str | Sprt
"""A sequential test as people give it: (0, 10), "0,10", or the test itself."""


@with_field_texts
@dataclass(frozen=True, repr=False)
class MatchResult(EventResult):
    """What a match has shown."""

    sprt: Sprt | None = None

    @property
    def elo(self) -> Estimate | None:
        """How much stronger the first agent is; None without a game."""
        return self.tally.between(0, 1)

    @property
    def llr(self) -> float | None:
        """The log-likelihood ratio of the sequential test."""
        return None if self.sprt is None else self.sprt.llr(self.tally.pentanomial())

    @property
    def verdict(self) -> str:
        """What the sequential test says: H0, H1 or undecided."""
        return UNDECIDED if self.sprt is None else self.sprt.verdict(self.tally.pentanomial())

    def to_dict(self) -> dict[str, Any]:
        from ponderosa.arena.results.display import match_figures

        return match_figures(self)

    def tables(self) -> RenderableType:
        from ponderosa.arena.results.display import match_tables

        return match_tables(self)

    def lines(self) -> list[str]:
        from ponderosa.arena.results.display import match_lines

        return match_lines(self)


@dataclass(frozen=True)
class PlannedMatch(Planned):
    """A match that is checked and ready to be run."""

    games: int | None
    """How many games, an even number; None: until the test decides."""
    sprt: Sprt | None = None


def match(
    game: str | Game,
    first: AgentLike,
    second: AgentLike,
    games: int | None = None,
    *,
    sprt: SprtLike | None = None,
    out: str | Path | None = None,
    watch: Watch | None = None,
    conditions: Conditions | None = None,
    **keywords: Unpack[AnyConditions],
) -> MatchResult:
    """Let two agents play, in pairs of games with seats swapped, and say who is stronger.

    `games` are 100, if nothing is said. `sprt`, (0, 10) or "0,10", plays until a sequential test decides between two
    differences in Elo. `out` keeps the games in a file, and the same call goes on with what is missing there. `watch`
    is called with how far it is. `print(match(...))` shows the table of `ponderosa match`.

    Agents are texts, or classes and objects with a method `step`; a Game and such agents play in this process. The
    fields of Conditions are given as keywords, `match(..., seed=3, openings="random:2")`, or whole as `conditions`.
    """
    planned = plan_match(game, first, second, games, sprt, as_conditions(conditions, keywords))
    return run_match(planned, out, for_python(watch))


def plan_match(
    game: str | Game,
    first: AgentLike,
    second: AgentLike,
    games: int | None = None,
    sprt: SprtLike | None = None,
    conditions: Conditions | None = None,
) -> PlannedMatch:
    """A match, checked; nothing is written or started."""
    given, agents = conditions or Conditions(), (Player.of(first), Player.of(second))
    check_names(game, agents)
    event, test = new_event(game, [agent.text for agent in agents], given), as_sprt(sprt)
    wanted = games_of_match(games, test)
    return PlannedMatch(event, players_of_match(game), given, game, agents, wanted, test)


def run_match(planned: PlannedMatch, out: str | Path | None = None, door: Door | None = None) -> MatchResult:
    """Play what the file `out` lacks of a match; the terminal, Python and the page all come through here."""
    return run_event(play_match, planned, out, door or Door())


def play_match(
    planned: PlannedMatch,
    store: Store,
    venue: Venue,
    watch: Watch | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> MatchResult:
    """Play what is missing of a match; with a sequential test, until it is decided, or all games are played."""
    event, games, sprt, conditions = planned.event, planned.games, planned.sprt, planned.conditions
    ledger = Ledger.begin(store, event, games)
    tally = Tally(event, conditions.count_repeats)
    result = MatchResult(event, tally, store.path if store.kept else None, ledger.id, sprt=sprt)
    begun, before = clock(), len(store.numbers(ledger.id))
    stale = 0

    def count(outcome: Outcome) -> bool:
        nonlocal stale
        stale = 0 if tally.add(outcome) else stale + 1
        if sprt is None or outcome.number % 2 == 0:  # a pair is complete with its second game
            return False
        return result.verdict != UNDECIDED or stale >= NOTHING_NEW

    def tell(done: int) -> None:
        if watch is not None:
            watch(Progress(done, before, games, clock() - begun, result))

    wanted = itertools.islice(fixtures(event, planned.players), MOST_GAMES if games is None else games)
    play_missing(ledger, wanted, venue, count, tell, conditions.strict)
    return replace(result, versions=store.versions(ledger.id))


def players_of_match(game: str | Game) -> int:
    """Two, or one who plays alone; tournaments take any number."""
    rules = rules_of(game)
    if rules.players > 2:
        raise SettingError(
            f"{rules.title()} has {rules.players} players; a match is for two, a tournament for any number"
        )
    return rules.players


def games_of_match(games: int | None, sprt: Sprt | None) -> int | None:
    """How many games: an even number, so that all are in pairs; None: until the test decides."""
    if games is None:
        return None if sprt is not None else GAMES
    if not is_number(games, 1, MOST_GAMES, whole=True):
        raise SettingError(f"a match has from 2 to {MOST_GAMES:,} games, not {games!r}")
    return games + games % 2


def as_sprt(sprt: SprtLike | None) -> Sprt | None:
    """A sequential test, however it is given."""
    if sprt is None or isinstance(sprt, Sprt):
        return sprt
    return Sprt.read(sprt if isinstance(sprt, str) else ",".join(map(str, sprt)))
