"""A game as JSON, or a list of games. Start at written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ponderosa.errors import shortly
from ponderosa.transcripts.transcript import Load, Transcript, TranscriptError, played

LABEL = "JSON"


def holds(transcript: Transcript) -> bool:
    """Every game can be written so."""
    return True


def written(transcript: Transcript) -> str:
    """The game as a file."""
    facts = {
        "game": transcript.spec,
        "players": list(transcript.players),
        "moves": transcript.moves(),
        "result": transcript.result(),
        "date": transcript.date,
        "seed": transcript.seed,
    }
    return json.dumps({key: value for key, value in facts.items() if value not in ("", None)}, indent=1) + "\n"


def looks_so(text: str) -> bool:
    """Whether a file begins like this format."""
    return text.lstrip()[:1] in ("{", "[")


def read(text: str, load: Load) -> Iterator[Transcript]:
    """The games of a file, one after the other."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TranscriptError(f"this is no JSON: {shortly(str(error), 80)}") from None
    for number, facts in enumerate(found if isinstance(found, list) else [found]):
        yield _one(facts, f"game {number + 1}: " if isinstance(found, list) else "", load)


def _one(facts: Any, where: str, load: Load) -> Transcript:
    if not isinstance(facts, dict) or not isinstance(facts.get("game"), str):
        raise TranscriptError(f'{where}a game in JSON is {{"game": "connect4", "moves": ["4", "4"]}}')
    moves, players = facts.get("moves", []), facts.get("players", [])
    for name, value in (("moves", moves), ("players", players)):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise TranscriptError(f'{where}"{name}" must be a list of texts, not {shortly(value)}')
    state = load(facts["game"]).new_initial_state()
    found = Transcript(facts["game"], played(state, moves), tuple(players), date=str(facts.get("date", "")))
    return found.ended_as(str(facts.get("result", "")))
