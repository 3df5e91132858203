"""A game as plain text: facts in brackets, then the moves as the game writes them. Start at written."""

from __future__ import annotations

from collections.abc import Iterator

from ponderosa.core.notation import in_a_row, position
from ponderosa.transcripts.transcript import Load, Transcript, TranscriptError, one_line

LABEL = "Plain text"


def holds(transcript: Transcript) -> bool:
    """Every game can be written so."""
    return True


def written(transcript: Transcript) -> str:
    """The game as a file."""
    facts = {
        "game": transcript.spec,
        "players": " | ".join(transcript.players),
        "result": transcript.result(),
        "date": transcript.date,
        "seed": "" if transcript.seed is None else str(transcript.seed),
    }
    lines = [f"[{key}: {one_line(value)}]\n" for key, value in facts.items() if value]
    return "".join(lines) + f"{in_a_row(transcript.moves())}\n"


def looks_so(text: str) -> bool:
    """Whether a file begins like this format."""
    first = text.lstrip().partition("\n")[0]
    return first.startswith("[") and first.rstrip().endswith("]") and ":" in first and '"' not in first


def read(text: str, load: Load) -> Iterator[Transcript]:
    """The one game of a file."""
    facts, moves = {}, []
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("[") and stripped.endswith("]") and ":" in stripped:
            key, _, value = stripped[1:-1].partition(":")
            facts[key.strip().lower()] = value.strip()
        elif stripped:
            moves.append(stripped)
    if not facts.get("game"):
        raise TranscriptError(
            "a move list begins with its game, as in [game: connect4], and the moves in the next line"
        )
    players = tuple(seat.strip() for seat in facts.get("players", "").split("|") if seat.strip())
    state = position(load(facts["game"]), " ".join(moves))
    yield Transcript(facts["game"], state, players, date=facts.get("date", "")).ended_as(facts.get("result", ""))
