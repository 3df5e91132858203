"""What a search has found, as user interfaces of chess programs show it. Start at info_lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ponderosa.core.state import State

if TYPE_CHECKING:
    from ponderosa.mcts.report.report import ActionReport, Report

MoveText = Callable[[State, Any], str]
"""How the protocol writes an action."""
PAWN_ODDS = 400.0 / math.log(10)
"""A value v is so many centipawns times log(v / (1 - v)): a hundred of them are worth 64 %, as in Elo's formula."""
MOST_CENTIPAWNS = 9999
LONGEST_LINE = 24


def info_lines(report: Report, state: State, text: MoveText, lines: int, seconds: float) -> Iterator[str]:
    """A line for each of the best moves."""
    tried = [entry for entry in report.actions if entry.visits and entry.value is not None]
    tried.sort(key=lambda entry: entry.action != report.best_action)  # stable: most visited first
    nodes, milliseconds = report.iterations, max(int(1000 * seconds), 1)
    for number, entry in enumerate(tried[:lines], start=1):
        line, ends = moves_of(entry.pv or (entry.name,), state, text)
        left = len(line) if ends and entry.proven in ("win", "loss") else entry.moves_left
        yield (
            f"info depth {report.depth or len(line)} multipv {number} score {score(entry, left)} nodes {nodes} "
            f"nps {1000 * nodes // milliseconds} time {milliseconds} pv {' '.join(line)}"
        )


def depth_of(report: Report) -> int:
    """How many half-moves a search looks ahead: a tree, as long as the line that it expects."""
    return report.depth or len(report.pv)


def score(entry: ActionReport, left: int | None) -> str:
    """What a move is worth to whoever makes it: moves to a mate that is certain, or centipawns.

    `left` is how many half-moves the game has to its end, if that is known.
    """
    if entry.proven in ("win", "loss") and left is not None:
        return f"mate {(left + 1) // 2}" if entry.proven == "win" else f"mate -{left // 2}"
    known = {"win": 1.0, "draw": 0.5, "loss": 0.0}.get(entry.proven or "", entry.value or 0.0)
    return f"cp {centipawns(known)}"


def centipawns(value: float) -> int:
    """A value from 0 to 1 as chess players count."""
    if not 0.0 < value < 1.0:
        return MOST_CENTIPAWNS if value >= 1.0 else -MOST_CENTIPAWNS
    return max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, round(PAWN_ODDS * math.log(value / (1.0 - value)))))


def moves_of(names: Sequence[str], state: State, text: MoveText) -> tuple[list[str], bool]:
    """A line of a report in the protocol's words, and whether the game is over behind it."""
    moves, now = [], state.clone()
    for name in names[:LONGEST_LINE]:
        action = now.legal_action(name)
        moves.append(text(now, action))
        now.apply_legal(action)
    return moves, now.is_terminal()
