"""The formats of games as files, by how their files' names end. Start at read_games and write_game.

A format is a module with LABEL, holds, written, looks_so and read, and a line here.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from ponderosa.errors import unknown
from ponderosa.transcripts import json_text, pgn, plain_text, sgf
from ponderosa.transcripts.transcript import Load, Transcript, TranscriptError

FORMATS: dict[str, ModuleType] = {"txt": plain_text, "sgf": sgf, "pgn": pgn, "json": json_text}
"""A file that looks like several is of the first of them."""
NOT_READ = (
    "this is no game that can be read: a file begins with [game: connect4] and its moves in the next line, "
    "or is JSON, SGF, or the PGN of chess"
)


def formats_of(transcript: Transcript) -> list[str]:
    """The formats that can hold a game."""
    return [name for name, kind in FORMATS.items() if kind.holds(transcript)]


def label_of(name: str) -> str:
    """What people call a format."""
    label: str = _format(name).LABEL
    return label


def write_game(transcript: Transcript, name: str) -> str:
    """A game as a file of this format."""
    text: str = _format(name).written(transcript)
    return text


def read_games(text: str, load: Load) -> Iterator[Transcript]:
    """The games of a file, whose format is known by its first letters; each is read when it is asked for."""
    text = text.removeprefix("\ufeff")
    kinds = [kind for kind in FORMATS.values() if text.strip() and kind.looks_so(text)]
    if not kinds:
        raise TranscriptError(NOT_READ)
    found = kinds[0].read(text, load)
    first = next(found, None)
    if first is None:
        raise TranscriptError("there is no game in this file")
    yield first
    yield from found


def _format(name: str) -> ModuleType:
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return FORMATS[name]
