"""The errors that people see. Start at PonderosaError: every message says what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PonderosaError(Exception):
    """Something a person can put right; the command line prints the message without a traceback."""


class GameError(PonderosaError):
    """A game breaks the contract."""


class TooLongError(GameError):
    """A game goes on for longer than it may."""


class RuleError(GameError):
    """A rule that cannot be compiled."""


class IllegalActionError(PonderosaError, ValueError):
    """An action that is not legal now, or text that names none."""


class UnknownNameError(PonderosaError, ValueError):
    """A name of a game, agent, policy or parameter that does not exist."""


class SettingError(PonderosaError, ValueError):
    """A parameter or budget with an impossible value."""


class BusyError(PonderosaError):
    """A search that is at work already."""


class RoomError(PonderosaError, MemoryError):
    """Less memory than a search needs."""


class EngineError(PonderosaError):
    """Another program that hangs, ends, or answers what it must not."""


class LateError(EngineError):
    """Another program that does not answer in time."""


class ForbiddenMoveError(EngineError):
    """Another program that plays what the rules forbid."""


class ResignedError(EngineError):
    """Another program that gives up its game."""


class LimitError(PonderosaError):
    """More than a server grants."""


class FileError(PonderosaError):
    """A file that cannot be read or written."""


class TreeFileError(FileError):
    """A file that is not a search tree of this game and version."""


class NetworkFileError(FileError):
    """A file that is not a trained network of this game and version."""


class ArenaError(PonderosaError):
    """A match or tournament that cannot go on."""


class StoreError(PonderosaError):
    """A file of games that cannot be read or written."""


def unknown(kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """The error for a name that is not among the known ones, with the nearest of them."""
    names = list(known)
    small = {other.casefold(): other for other in names}
    near = [small[other] for other in difflib.get_close_matches(name.casefold(), small, n=1, cutoff=0.5)]
    hint = f"did you mean {near[0]!r}?" if near else f"there is: {listed(names) or 'none'}"
    return UnknownNameError(f"unknown {kind} {name!r}; {hint}")


def listed(items: Iterable[object], most: int = 20) -> str:
    """Items with commas between, cut after the first `most`."""
    texts = [str(item) for item in items]
    return ", ".join(texts[:most]) + (f", ... ({len(texts)} in all)" if len(texts) > most else "")


def shortly(value: object, most: int = 40) -> str:
    """A value as a message quotes it: what is endless is cut."""
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**most else "a number without end"
    return text if len(text) <= most else f"{text[:most]}…"


class VenueWarning(UserWarning):
    """Something about the place where games are played that is not as it was asked for, or unfair."""
