"""Games of chess as PGN (S. J. Edwards 1994): tags, then moves in algebraic notation. Start at written and read."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from ponderosa.errors import IllegalActionError
from ponderosa.transcripts.transcript import Load, Transcript, TranscriptError, one_line, played

LABEL = "PGN"
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
TOKEN = re.compile(
    r"""\s+ | \{[^}]*\} | ;[^\n]* | (?P<tag>\[\s*\w+\s+"(?:[^"\\]|\\.)*"\s*\]) | \$\d+ | (?P<open>\() | (?P<close>\))
    | (?P<result>1-0|0-1|1/2-1/2|\*) | \d+\.* | \.+ | [!?]+ | e\.p\. | (?P<move>[A-Za-z0][^\s(){};$!?\[]*)""",
    re.VERBOSE,
)
PLAYED_HERE = ("", "standard", "chess", "from position")


def holds(transcript: Transcript) -> bool:
    """Whether this is chess."""
    return transcript.game.title() == "chess"


def written(transcript: Transcript) -> str:
    """The game as a file."""
    if not holds(transcript):
        raise TranscriptError(f"{transcript.spec} is no chess, and cannot be written as PGN")
    white, black = (*transcript.players, "?", "?")[:2]
    fen = str(transcript.game.parameters["fen"]).replace("_", " ")
    begins = fen == transcript.game.signature().parameters["fen"].default
    how = "" if transcript.lost_by is None else "time forfeit" if transcript.on_time else "normal"
    outcome = _result(transcript)
    tags = {
        "Event": "?",
        "Site": "?",
        "Date": transcript.date[:10].replace("-", ".") or "????.??.??",
        "Round": "?",
        "White": white,
        "Black": black,
        "Result": outcome,
        "SetUp": "" if begins else "1",
        "FEN": "" if begins else fen,
        "Termination": how,
    }
    head = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in tags.items() if value)
    return f"{head}\n{textwrap.fill(' '.join([*_numbered(transcript, fen), outcome]), 79, break_on_hyphens=False)}\n"


def looks_so(text: str) -> bool:
    """Whether a file begins like this format: with a tag, or with the first move."""
    return re.match(r"\s*(%[^\n]*\n\s*)*(\[\s*\w+\s+\"|1\.\s*[a-hA-Z])", text) is not None


def read(text: str, load: Load) -> Iterator[Transcript]:
    """The games of a file, one after the other."""
    for tags, moves in _games(text):
        yield _one(tags, moves, load)


def _one(tags: dict[str, str], moves: list[str], load: Load) -> Transcript:
    variant = tags.get("Variant", "")
    if variant.lower() not in PLAYED_HERE:
        raise TranscriptError(f"this is a game of {variant}: only chess by the laws of FIDE is read")
    fen = "_".join(tags.get("FEN", "").split())
    spec = f"chess:fen={fen}" if fen else "chess"
    state = load(spec).new_initial_state()
    for move in moves:
        if state.is_terminal():
            raise IllegalActionError(f"move {len(state.history()) + 1}: {move!r} comes after the end of the game")
        played(state, [move])
    found = Transcript(spec, state, (tags.get("White", "?"), tags.get("Black", "?")), date=tags.get("Date", ""))
    told = tags.get("Result", "*")
    if found.over or told not in RESULTS[:2]:
        return found
    on_time = "time" in tags.get("Termination", "").lower()
    return Transcript(spec, state, found.players, 1 - RESULTS.index(told), on_time, found.date)


def _games(text: str) -> Iterator[tuple[dict[str, str], list[str]]]:
    """Tags and moves of each game of a file, without comments and variations."""
    tags: dict[str, str] = {}
    moves: list[str] = []
    text = re.sub(r"^%[^\n]*$", "", text, flags=re.MULTILINE)
    at = depth = 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise TranscriptError(f"this is no PGN: {text[at : at + 20].strip()!r} is not understood")
        at = token.end()
        if token["open"] or token["close"]:
            depth += 1 if token["open"] else -1
        elif depth:
            continue
        elif token["move"]:
            moves.append(token["move"])
        elif token["tag"]:
            if moves:
                yield tags, moves
                tags, moves = {}, []
            name, value = TAG.fullmatch(token["tag"]).groups()  # type: ignore[union-attr]
            tags[name] = re.sub(r"\\(.)", r"\1", value)
        elif token["result"] and (moves or tags):
            tags.setdefault("Result", token["result"])
            yield tags, moves
            tags, moves = {}, []
    if depth:
        raise TranscriptError("this PGN is cut off: a bracket is not closed")
    if tags or moves:
        yield tags, moves


def _numbered(transcript: Transcript, fen: str) -> Iterator[str]:
    """The moves, with the number of the move before White's, and before Black's where it comes first."""
    parts = [*fen.split(), "w", "-", "-", "0", "1"]
    black, number = parts[1] == "b", int(fen.split()[5]) if len(fen.split()) > 5 else 1
    for ply, move in enumerate(transcript.moves()):
        if (ply + black) % 2 == 0:
            yield f"{number + (ply + black) // 2}. {move}"
        elif ply == 0:
            yield f"{number}... {move}"
        else:
            yield move


def _result(transcript: Transcript) -> str:
    if not transcript.over:
        return "*"
    winner = transcript.winner()
    return "1/2-1/2" if winner is None else RESULTS[winner]


def _escaped(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')
