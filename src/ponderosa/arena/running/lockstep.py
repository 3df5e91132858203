"""Games that are played together, move by move, on all cores or on a card. Start at in_lockstep.

A game comes out as it does in a process of its own: only agents that count iterations can play so, and each has a tree
for every game. What is told of a move's seconds is its share of what all games took.
"""

from __future__ import annotations

import contextlib
import functools
import math
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ponderosa.arena.event import Event
from ponderosa.arena.running.judge import TOO_LONG, Judge, Record, Verdict, agent_seeds
from ponderosa.arena.running.play import Venue
from ponderosa.core.turns import CHANCE
from ponderosa.errors import ArenaError, PonderosaError, SettingError
from ponderosa.forest.lockstep import Contender, Lockstep
from ponderosa.forest.plan import planned
from ponderosa.forest.played import Played, Thought
from ponderosa.forest.tables import Table
from ponderosa.mcts.settings import SearchSettings

BUNDLES = {"cuda": 8192}
BUNDLE = 256
"""How many games are played together, on a card and elsewhere: enough for all of it, and stored soon enough."""
OF_AGENT = ("seconds", "iterations", "max_nodes", "reuse", "ponder", "memory", "learn", "memory_nodes", "game_weight")
"""Settings of `mcts` that are not those of its search."""
PROVEN = {0.0: "loss", 0.5: "draw", 1.0: "win"}


@contextlib.contextmanager
def in_lockstep(event: Event, device: str) -> Iterator[Venue]:
    """All games of this machine at once."""
    if event.time_control is not None:
        raise SettingError(f"games that are played together on device={device!r} have no clocks: leave one of them out")
    _lockstep(event, device)
    executor, ending = ThreadPoolExecutor(1, "ponderosa-lockstep"), threading.Event()
    try:
        yield Venue(executor, lambda: 0, functools.partial(play, device, ending), bundle=BUNDLES.get(device, BUNDLE))
    finally:
        ending.set()
        executor.shutdown(wait=True, cancel_futures=True)


def play(
    device: str, ending: threading.Event, event: dict[str, Any], games: list[list[Any]], memory: float | None = None
) -> list[Record]:
    """Play games of an event together; those that are not over when it ends are dropped."""
    known = Event.from_dict(event)
    lockstep, judge = _lockstep(known, device), _judge(known)
    tables = []
    for number, seats, opening, line in games:
        seeds = tuple(agent_seeds(known, number, seats))
        tables.append(Table(judge.opening(opening, line), tuple(seats), seeds, judge.dice(opening)))
    played = lockstep.play(tables, lambda over: not ending.is_set())
    if ending.is_set():
        raise ArenaError("the games were broken off")
    return [_record(judge, game, table, one) for game, table, one in zip(games, tables, played, strict=True)]


def _record(judge: Judge, game: list[Any], table: Table, played: Played) -> Record:
    verdict = Verdict() if played.over else Verdict(TOO_LONG)
    thoughts = [_told(thought) for thought in played.thoughts]
    seconds = round(sum(thought.seconds for thought in played.thoughts), 6)
    begun = len(table.state.history())
    return judge.record(game, list(table.seeds), played.state, begun, verdict, thoughts, seconds)


def _told(thought: Thought) -> list[Any]:
    """What went into a move, as the store has it."""
    if thought.seat == CHANCE:
        return [CHANCE, 0.0]
    proven = None if math.isnan(thought.proven) else PROVEN[thought.proven]
    seat, seconds, iterations, nodes, value, _ = thought
    return [seat, round(seconds, 6), iterations, nodes, round(value, 4), proven]


@functools.lru_cache(maxsize=4)
def _lockstep(event: Event, device: str) -> Lockstep:
    from ponderosa.registry import load_game

    game = load_game(event.game)
    contenders = [contender_of(event.agent_text(agent), game) for agent in range(len(event.agents))]
    return Lockstep(game, contenders, device, longest=Judge(event, game).longest)


@functools.lru_cache(maxsize=4)
def _judge(event: Event) -> Judge:
    from ponderosa.registry import load_game

    return Judge(event, load_game(event.game))


def why_apart(event: Event) -> str:
    """Why the games of an event need processes of their own; nothing when they do not."""
    from ponderosa.registry import load_game

    game = load_game(event.game)
    try:
        for agent in range(len(event.agents)):
            planned(game, contender_of(event.agent_text(agent), game).settings)
    except PonderosaError as error:
        return str(error)
    return ""


def contender_of(text: str, game: Any) -> Contender:
    """An agent as a contender, or an error that says why it needs a process of its own."""
    from ponderosa.agents.mcts import MctsAgent
    from ponderosa.core.spec import read_settings
    from ponderosa.registry import agent_class, split_spec, written_out

    kind, written = split_spec(written_out(text, game))
    if agent_class(kind) is not MctsAgent:
        raise SettingError(f"{text} is no mcts:iterations=N")
    settings = read_settings(f"agent {kind}", MctsAgent, written, leading=1)
    wrong = {
        "counts iterations, and no seconds": settings.get("seconds") is not None or not settings.get("iterations"),
        "keeps its tree (reuse=true)": settings.get("reuse") is False,
        "does not ponder": settings.get("ponder"),
        "has no memory": settings.get("memory"),
        "has no evaluator": settings.get("evaluator"),
    }
    for words, is_wrong in wrong.items():
        if is_wrong:
            raise SettingError(f"an agent there {words}, other than {text}")
    rest = {name: value for name, value in settings.items() if name not in OF_AGENT}
    return Contender(SearchSettings.of(None, rest), int(settings["iterations"]), settings.get("max_nodes"))
