"""How far a chess program is asked to think: `go wtime 60000 btime 60000`, `go infinite`. Start at Go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ponderosa.core.clock import Clock, TimeControl, moves_to_come
from ponderosa.core.state import State
from ponderosa.errors import SettingError
from ponderosa.protocols.uci_options import Options

NUMBERS = "wtime", "btime", "winc", "binc", "movestogo", "movetime", "nodes", "depth", "mate"
LEAST = 0.001


@dataclass(frozen=True)
class Go:
    """What was asked."""

    seconds: float | None = None
    """How long to think, or for how long after a ponderhit; None: no limit was said."""
    most_seconds: float | None = None
    """How long a hard move may take, by the clock; None: every move has its own time."""
    nodes: int | None = None
    """How many positions to look at."""
    depth: int | None = None
    """How many half-moves to look ahead."""
    waits: bool = False
    """Whether to think until stop, or until ponderhit."""
    ponders: bool = False
    """Whether the other one is to move in truth, and the time does not begin before ponderhit."""
    ignored: str = ""
    """What was asked for and is not known."""

    @classmethod
    def asked(cls, words: Sequence[str], state: State, options: Options) -> Go:
        """As the words behind go say it; an error says that they make no sense."""
        rest, numbers, flags, ignored = list(words), dict[str, int](), set[str](), ""
        while rest:
            word = rest.pop(0)
            if word in NUMBERS:
                numbers[word] = int(rest.pop(0))
            elif word in ("infinite", "ponder"):
                flags.add(word)
            elif word == "searchmoves":
                ignored = word
            elif not ignored:
                raise SettingError(f"go {word} is not known")
        depth = numbers.get("depth")
        if "mate" in numbers:
            depth = max(depth or 0, 2 * numbers["mate"] - 1)
        limited = numbers.get("nodes") or depth
        seconds, most = (None, None) if "infinite" in flags else _seconds(numbers, state, options)
        return cls(
            seconds,
            most,
            numbers.get("nodes"),
            depth,
            bool(flags) or not (numbers or limited),
            "ponder" in flags,
            ignored,
        )


def _seconds(numbers: dict[str, int], state: State, options: Options) -> tuple[float | None, float | None]:
    """How long to think, by the clock of the player to move or by the time of one move; and about a hard move."""
    if "movetime" in numbers:
        return max(numbers["movetime"] / 1000 - options.overhead, LEAST), None
    side = "wb"[state.to_move()]
    if f"{side}time" not in numbers:
        return None, None
    left = max(numbers[f"{side}time"] / 1000 - options.overhead, LEAST)
    increment = max(numbers.get(f"{side}inc", 0) / 1000, 0.0)
    moves = numbers.get("movestogo") or moves_to_come(len(state.history()), 2, state.game.max_game_length)
    clock = Clock(TimeControl(left, increment), left)
    return clock.plan(moves), clock.most(moves)
