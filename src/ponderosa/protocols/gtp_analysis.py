"""What a search has found, as programs show it that speak the Go Text Protocol. Start at line."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ponderosa.protocols.gtp_games import player_of

if TYPE_CHECKING:
    from ponderosa.mcts.report.report import ActionReport, Report

PATIENCE = 0.5
"""Seconds between two lines, unless it is said."""
MOST_MOVES = 40
DEVIATIONS = 1.96
"""A lower bound that holds in 97.5 % of cases is so many standard deviations away."""


@dataclass(frozen=True)
class Analysis:
    """What was asked: `lz-analyze b 50`, `kata-analyze interval 20 maxmoves 5`."""

    player: int | None
    """Who is to move; None: whose turn it is."""
    interval: float
    """Seconds between two lines."""
    moves: int
    """How many moves are told of."""
    shares: bool
    """Whether values are shares of one (KataGo), or whole numbers up to 10,000 (Leela Zero)."""

    @classmethod
    def asked(cls, words: Sequence[str], shares: bool) -> Analysis:
        """As the words behind the command say it; a ValueError says that they make no sense."""
        player, interval, moves = None, PATIENCE, MOST_MOVES
        rest = list(words)
        if rest and player_of(rest[0]) is not None:
            player = player_of(rest.pop(0))
        if rest and rest[0].isdigit():
            interval = int(rest.pop(0)) / 100
        while rest:
            key = rest.pop(0).lower()
            if key in ("avoid", "allow"):
                raise ValueError(key)
            value = rest.pop(0) if rest else ""
            if key == "interval":
                interval = int(value) / 100
            elif key == "maxmoves":
                moves = int(value)
        return cls(player, interval, moves, shares)


def line(report: Report, vertex: Callable[[str], str], analysis: Analysis) -> str:
    """Every move that was tried, the best one first; values are those of the player to move."""
    tried = [entry for entry in report.actions if entry.visits and entry.value is not None]
    tried.sort(key=lambda entry: entry.action != report.best_action)  # stable: most visited first
    moves = tried[: analysis.moves]
    return " ".join(_move(entry, order, vertex, analysis.shares) for order, entry in enumerate(moves))


def _move(entry: ActionReport, order: int, vertex: Callable[[str], str], shares: bool) -> str:
    value = entry.value or 0.0
    numbers = {"winrate": value, "lcb": lower_bound(value, entry.visits)}
    if entry.prior is not None:
        numbers["prior"] = entry.prior
    shown = " ".join(f"{key} {f'{each:.6f}' if shares else round(10_000 * each)}" for key, each in numbers.items())
    utility = f"utility {2 * value - 1:.6f} " if shares else ""
    line = " ".join(vertex(name) for name in entry.pv) or vertex(entry.name)
    return f"info move {vertex(entry.name)} visits {entry.visits} {utility}{shown} order {order} pv {line}"


def lower_bound(value: float, visits: int) -> float:
    """What a mean of so many visits is at least (E. B. Wilson 1927)."""
    spread = DEVIATIONS**2 / visits
    middle = value + spread / 2
    return (middle - math.sqrt(spread * (value * (1 - value) + spread / 4))) / (1 + spread)
