"""Rows of the store as values, checked: a damaged file is told of, and never half believed. Start at stored_game.

Functions raise a ValueError, or what Python raises for values of the wrong kind; the store makes a sentence of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ponderosa.arena.event import Event
from ponderosa.core.turns import CHANCE
from ponderosa.errors import shortly

LAST_SECOND = 253_402_300_799
"""The end of the year 9999, in seconds since 1970: no calendar here knows a later one."""
DAMAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError)
"""What reading values of the wrong kind may raise."""


@dataclass(frozen=True)
class StoredEvent:
    """A match or tournament in the store."""

    id: int
    event: Event
    wanted: int | None
    """How many games were asked for; None: until a test decides."""
    games: int
    """How many are stored."""
    version: str
    began: float
    """Seconds since 1970."""


@dataclass(frozen=True)
class StoredGame:
    """A game as lists show it."""

    id: int
    event: int
    number: int
    game: str
    agents: tuple[str, ...]
    """By seat."""
    scores: tuple[float, ...]
    """By seat, from 0 to 1."""
    returns: tuple[float, ...]
    """By seat, what the game paid."""
    reason: str
    plies: int
    seconds: float
    ended: float


@dataclass(frozen=True)
class Outcome:
    """A game as statistics need it."""

    number: int
    group: int
    seats: tuple[int, ...]
    scores: tuple[float, ...]
    returns: tuple[float, ...]
    reason: str
    fault: int | None
    canon: str
    efforts: tuple[tuple[int, float, int, int], ...]
    """A seat: moves, their seconds, iterations, nodes."""


def stored_event(row: Sequence[Any], games: int) -> StoredEvent:
    """A row of the events: id, settings, wanted, version, began."""
    key, settings, wanted, version, began = row
    event = Event.from_dict(json.loads(_text(settings)))
    texts = (event.game, event.openings, *event.agents, *event.names, *event.lines, *event.files)
    for value in (*texts, _text(version)):
        _text(value)
    return StoredEvent(_whole(key), event, None if wanted is None else _whole(wanted), games, version, _moment(began))


def stored_game(row: Sequence[Any], seats: Sequence[Sequence[Any]]) -> StoredGame:
    """A row of the games, as lists ask for it, and the seats: name, score, what the game paid."""
    key, event, number, game, reason, plies, seconds, ended = row
    facts = (_whole(key), _whole(event), _whole(number), _text(game), *_seated(seats), _text(reason))
    return StoredGame(*facts, _whole(plies), _number(seconds), _moment(ended))


def outcome(row: Sequence[Any], seats: Sequence[Sequence[Any]], agents: int) -> Outcome:
    """A row of the games, as statistics ask for it, and the seats: agent, score, what the game paid, effort."""
    number, group, reason, fault, canon = row
    agent, scores, returns, *efforts = zip(*seats, strict=True)
    if fault is not None:
        _below(fault, len(agent))
    effort = tuple(
        (_whole(moves), _number(seconds), _whole(iterations), _whole(nodes))
        for moves, seconds, iterations, nodes in zip(*efforts, strict=True)
    )
    found = tuple(_below(value, agents) for value in agent)
    numbers = (tuple(map(_number, scores)), tuple(map(_number, returns)))
    return Outcome(_whole(number), _whole(group), found, *numbers, _text(reason), fault, _text(canon), effort)


def whole_game(game: dict[str, Any], seats: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """All that a row of the games says, by the names of its columns, and the seats: name, score, what it paid."""
    names, scores, returns = _seated(seats)
    game = game | {name: _list(json.loads(_text(game[name]))) for name in ("seeds", "moves", "thoughts")}
    for move in game["moves"]:
        if type(move) not in (int, str):
            raise ValueError(f"{shortly(move)} is no move")
    for thought in game["thoughts"]:
        check_thought(_list(thought), len(names))
    _below(game["opening"], len(game["moves"]) + 1)
    for name in ("id", "event", "number", "grp", "plies"):
        _whole(game[name])
    for name in ("reason", "detail", "canon", "version"):
        _text(game[name])
    _number(game["seconds"]), _moment(game["ended"])
    more = {"agents": list(names), "scores": list(scores), "returns": list(returns)}
    return {"group": game.pop("grp")} | game | more


def check_thought(thought: list[Any], seats: int) -> None:
    """A move as it is stored: seat, seconds, and if the agent tells: iterations, nodes, value, proven."""
    seat, seconds, *told = thought
    if seat != CHANCE:
        _below(seat, seats)
    _number(seconds)
    if told:
        iterations, nodes, value, proven = told
        _whole(iterations), _whole(nodes)
        if value is not None:
            _number(value)
        if proven is not None:
            _text(proven)


def _seated(seats: Sequence[Sequence[Any]]) -> tuple[tuple[str, ...], tuple[float, ...], tuple[float, ...]]:
    names, scores, returns = zip(*seats, strict=True)
    return tuple(map(_text, names)), tuple(map(_number, scores)), tuple(map(_number, returns))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shortly(value)} is no text")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{shortly(value)} is no list")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{shortly(value)} is no number of things")
    return value


def _below(value: Any, most: int) -> int:
    if _whole(value) >= most:
        raise ValueError(f"{shortly(value)} is not below {most}")
    return int(value)


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError(f"{shortly(value)} is no number")
    return value  # type: ignore[no-any-return]


def _moment(value: Any) -> float:
    if not 0 <= _number(value) <= LAST_SECOND:
        raise ValueError(f"{shortly(value)} is no time")
    return value  # type: ignore[no-any-return]
