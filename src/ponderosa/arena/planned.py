"""What a match and a tournament have in common: planned, then run for whoever asked for it. Start at run_event.

The terminal, Python and the page are three doors to the same event: each makes a plan, and passes a Door whose
callbacks say what it shows while the event is played.
"""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ponderosa.arena.conditions import Conditions
from ponderosa.arena.event import Event, file_hashes
from ponderosa.arena.openings import read_openings
from ponderosa.arena.results.result import EventResult
from ponderosa.arena.results.store import Store
from ponderosa.arena.running.live import Player, game_text, in_this_process, is_live
from ponderosa.arena.running.play import Ledger, Venue
from ponderosa.arena.running.venues import venue_for
from ponderosa.core.game import Game
from ponderosa.core.user_files import check_file, split_name
from ponderosa.errors import VenueWarning
from ponderosa.registry import agent_class, game_class, load_game, runs_own_code, split_spec, written_out


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


Watch = Callable[[Progress], None]
"""Called now and then while games are played; an error that it raises ends the event, and stored games stay."""


@dataclass(frozen=True)
class Door:
    """What somebody who runs an event does beside it: callbacks, each of which may be left out."""

    ready: Callable[[Event, str], None] = lambda event, note: None
    """Called once before the first game, with what is unfair about the place where games run, if anything is."""
    watching: Callable[[], AbstractContextManager[Watch | None]] = contextlib.nullcontext
    """Entered while games are played; gives who watches them."""
    interrupted: Callable[[EventResult], None] = lambda result: None
    """Called on Ctrl-C, with what the stored games have come to."""


def for_python(watch: Watch | None) -> Door:
    """The door of match and tournament: what is unfair about the place is a warning."""
    return Door(_warn_of_venue, lambda: contextlib.nullcontext(watch))


def _warn_of_venue(event: Event, note: str) -> None:
    if note:
        warnings.warn(
            note, VenueWarning, stacklevel=5
        )  # at the call of match or tournament, which called run_* and run_event


@dataclass(frozen=True)
class Planned:
    """An event that is checked and ready; nothing is written or started yet."""

    event: Event
    players: int
    """How many players its game has."""
    conditions: Conditions
    game: str | Game
    agents: tuple[Player, ...]

    def venue(self) -> AbstractContextManager[Venue]:
        """In this process if something exists here only, else where the conditions say."""
        return find_venue(self.event, self.game, self.agents, self.conditions)


P = TypeVar("P", bound=Planned)
R = TypeVar("R", bound=EventResult)
Play = Callable[[P, Store, Venue, Watch | None], R]
"""Plays what the store lacks of a planned event."""


def run_event(play: Play[P, R], planned: P, out: str | Path | None, door: Door) -> R:
    """Open the store, find a place for the games, play those that are missing; the door is told on the way."""
    with store_at(out) as store, planned.venue() as venue:
        door.ready(planned.event, venue.note)
        try:
            with door.watching() as watch:
                return play(planned, store, venue, watch)
        except KeyboardInterrupt:
            _tell_what_is_there(planned, store, door)
            raise


def _tell_what_is_there(planned: Planned, store: Store, door: Door) -> None:
    from ponderosa.arena.results.stored import stored_result

    found = store.find(planned.event)
    if found is not None:
        door.interrupted(stored_result(store, found, count_repeats=planned.conditions.count_repeats))


def enter_event(event: Event, games: int | None, out: str | Path) -> int:
    """Write an event into a file of games before it is played; its number there."""
    with Store(out) as store:
        return Ledger.begin(store, event, games).id


def new_event(
    game: str | Game,
    agents: Sequence[str],
    conditions: Conditions | None = None,
    *,
    kind: str = "match",
    names: Sequence[str] = (),
    steps: int = 0,
) -> Event:
    """The event, checked as far as that goes without its game and agents; levels and presets are written out in it."""
    given = conditions or Conditions()
    texts = tuple(written_out(agent, game) for agent in agents)
    openings, lines = read_openings(given.openings)
    return Event(
        game_text(game),
        texts,
        kind=kind,
        openings=openings,
        lines=lines,
        iterations=given.iterations,
        seconds=given.seconds,
        time_control=given.time_control,
        tolerance=given.tolerance,
        timeout=given.timeout,
        seed=given.seed,
        steps=steps,
        names=tuple(names) or tuple(agents),
        files=file_hashes((game_text(game), *texts)),
    )


def check_names(game: str | Game, agents: Sequence[Player]) -> None:
    """There are a game and agents of these names; those of somebody's own are looked at in their own processes."""
    if is_live(game, agents):
        return
    text = game_text(game)
    game_class(split_spec(text)[0])
    for agent in agents:
        name = split_spec(written := written_out(agent.text, text))[0]
        if not runs_own_code(written):
            agent_class(name)
        elif ".py" in name:
            check_file(split_name(name)[0], "an agent")


def rules_of(game: str | Game) -> Game:
    """The game itself, however it is given."""
    return load_game(game) if isinstance(game, str) else game


HERE_ONLY = "games are not played together on a device: give game and agents as texts, not as objects"
"""What is said of games with something that exists in this process only."""


def find_venue(
    event: Event, game: str | Game, agents: Sequence[Player], conditions: Conditions
) -> AbstractContextManager[Venue]:
    """In this process if it must be, else where the conditions say."""
    if not is_live(game, agents):
        return venue_for(event, conditions)
    return in_this_process(event, game, agents, "" if conditions.device is None else HERE_ONLY)


@contextlib.contextmanager
def store_at(out: str | Path | None) -> Iterator[Store]:
    """The file for the games; without a name, one that lasts as long as the event."""
    if out is not None:
        with Store(out) as store:
            yield store
        return
    with tempfile.TemporaryDirectory(prefix="ponderosa-") as folder, Store(Path(folder) / "games.db") as store:
        store.kept = False
        yield store
