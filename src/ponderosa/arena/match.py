"""A match: two agents, games in pairs from the same opening with seats swapped. Start at match.

Of a game for one, both play the same game alone, and whoever got more has won the pair.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ponderosa.arena.event import TIMEOUT, TOLERANCE, Event, file_hashes
from ponderosa.arena.openings import read_openings
from ponderosa.arena.results.result import EventResult
from ponderosa.arena.results.statistics import UNDECIDED, Estimate, Sprt
from ponderosa.arena.results.store import Outcome, Store
from ponderosa.arena.results.tally import Tally
from ponderosa.arena.running.live import Player, game_text, in_this_process, is_live
from ponderosa.arena.running.places import place_for
from ponderosa.arena.running.play import Ledger, Place, play_missing
from ponderosa.arena.schedule import fixtures
from ponderosa.core.game import Game
from ponderosa.core.user_files import check_file, split_name
from ponderosa.errors import SettingError
from ponderosa.registry import agent_class, game_class, load_game, runs_own_code, split_spec, written_out

if TYPE_CHECKING:
    from rich.console import RenderableType

GAMES = 100
"""How many games a match has, unless told otherwise."""
MOST_GAMES = 1_000_000
"""A sequential test that is still undecided ends here."""
NOTHING_NEW = 400
"""So many games in a row that were all played before end a sequential test: it would never end."""


@dataclass(frozen=True)
class Progress:
    """An event that goes on, for whoever watches it."""

    games: int
    """How many games are stored."""
    before: int
    """How many of them were there when it began."""
    wanted: int | None
    """How many there will be; None: until a test decides."""
    seconds: float
    """How long it has run now."""
    result: EventResult


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
        from ponderosa.arena.results.report import match_figures

        return match_figures(self)

    def tables(self) -> RenderableType:
        from ponderosa.arena.results.report import match_tables

        return match_tables(self)

    def lines(self) -> list[str]:
        from ponderosa.arena.results.report import match_lines

        return match_lines(self)


def new_event(
    game: str | Game,
    agents: tuple[str, ...],
    openings: str = "none",
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    tolerance: float = TOLERANCE,
    timeout: float = TIMEOUT,
    **more: Any,
) -> Event:
    """The event, checked as far as that goes without its game and agents; levels and presets are written out in it."""
    more.setdefault("names", agents)
    agents = tuple(written_out(agent, game) for agent in agents)
    named, lines = read_openings(openings)
    files = file_hashes((game_text(game), *agents))
    conditions: dict[str, Any] = {
        "iterations": iterations,
        "seconds": seconds,
        "tolerance": tolerance,
        "timeout": timeout,
    }
    return Event(game_text(game), agents, openings=named, lines=lines, seed=seed, files=files, **conditions, **more)


def check_names(game: str, agents: tuple[str, ...]) -> None:
    """There are a game and agents of these names; those of somebody's own are looked at in their own processes."""
    game_class(split_spec(game)[0])
    for agent in agents:
        name = split_spec(text := written_out(agent, game))[0]
        if not runs_own_code(text):
            agent_class(name)
        elif ".py" in name:
            check_file(split_name(name)[0], "an agent")


def players_of_match(game: str | Game) -> int:
    """Two, or one who plays alone; tournaments take any number."""
    rules = load_game(game) if isinstance(game, str) else game
    if rules.players > 2:
        raise SettingError(
            f"{rules.title()} has {rules.players} players; a match is for two, a tournament for any number"
        )
    return rules.players


def play_match(
    event: Event,
    games: int | None,
    store: Store,
    place: Place,
    sprt: Sprt | None = None,
    strict: bool = False,
    count_repeats: bool = False,
    watch: Callable[[Progress], None] | None = None,
    players: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> MatchResult:
    """Play what is missing of a match; with a sequential test, until it is decided, or `games` are played."""
    ledger = Ledger.begin(store, event, games)
    tally = Tally(event, count_repeats)
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

    wanted = MOST_GAMES if games is None else games
    players = players or players_of_match(event.game)
    play_missing(ledger, itertools.islice(fixtures(event, players), wanted), place, count, tell, strict)
    return replace(result, versions=store.versions(ledger.id))


def games_of_match(games: int | None, sprt: Sprt | None) -> int | None:
    """How many games: an even number, so that all are in pairs; None: until the test decides."""
    if games is None:
        return None if sprt is not None else GAMES
    if isinstance(games, bool) or not isinstance(games, int) or not 1 <= games <= MOST_GAMES:
        raise SettingError(f"a match has from 2 to {MOST_GAMES:,} games, not {games!r}")
    return games + games % 2


def match(
    game: str | Game,
    first: Any,
    second: Any,
    games: int | None = None,
    *,
    openings: str = "none",
    iterations: int | None = None,
    seconds: float | None = None,
    sprt: tuple[float, float] | str | Sprt | None = None,
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
) -> MatchResult:
    """Let two agents play; `out` keeps the games in a file, and the same call goes on with what is missing there.

    Agents are texts, or classes and objects with a method `step`; a Game and such agents play in this process.
    """
    players = [Player.of(first), Player.of(second)]
    texts = (players[0].text, players[1].text)
    event = new_event(game, texts, openings, iterations, seconds, seed, tolerance, timeout)
    alone_or_two = players_of_match(game)
    test = as_sprt(sprt)
    wanted = games_of_match(games, test)
    with store_at(out) as store, find_place(event, game, players, concurrency, memory, cluster) as place:
        if place.note:
            warnings.warn(place.note, stacklevel=2)
        return play_match(event, wanted, store, place, test, strict, count_repeats, watch, alone_or_two)


def find_place(
    event: Event,
    game: Any,
    players: Sequence[Player],
    concurrency: int | None,
    memory: float | None,
    cluster: str | None,
) -> AbstractContextManager[Place]:
    """In this process if it must be, else where the settings say."""
    if is_live(game, players):
        return in_this_process(event, game, players)
    check_names(event.game, event.agents)
    return place_for(event, concurrency, memory, cluster)


def as_sprt(sprt: tuple[float, float] | str | Sprt | None) -> Sprt | None:
    """A sequential test, however it is given."""
    if sprt is None or isinstance(sprt, Sprt):
        return sprt
    return Sprt.read(sprt if isinstance(sprt, str) else ",".join(map(str, sprt)))


def store_at(out: str | Path | None) -> AbstractContextManager[Store]:
    """The file for the games; without a name, one that lasts as long as the match."""
    if out is not None:
        return Store(out)
    return _TemporaryStore()


class _TemporaryStore(AbstractContextManager[Store]):
    def __enter__(self) -> Store:
        import tempfile

        self._folder = tempfile.TemporaryDirectory(prefix="ponderosa-")
        self._store = Store(Path(self._folder.name) / "games.db")
        self._store.kept = False
        return self._store

    def __exit__(self, *_: object) -> None:
        self._store.close()
        self._folder.cleanup()
