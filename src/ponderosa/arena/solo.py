"""Games of one player as a contest: all play the same game alone, and who got more is ahead. Start at SoloGroups."""

from __future__ import annotations

from collections import defaultdict

from ponderosa.arena.results.store import Outcome
from ponderosa.arena.running.judge import FINISHED, scores


class SoloGroups:
    """Collects the games of a group, one an agent, until all have played."""

    def __init__(self, agents: int) -> None:
        self._agents = agents
        self._waiting: dict[int, list[Outcome]] = defaultdict(list)

    def add(self, outcome: Outcome) -> Outcome | None:
        """The group as one game of all its agents, once the last of them has played."""
        played = self._waiting[outcome.group]
        played.append(outcome)
        return together(self._waiting.pop(outcome.group)) if len(played) == self._agents else None


def together(outcomes: list[Outcome]) -> Outcome:
    """Games that agents played alone, as if they had sat at one table; whoever broke off is behind all others."""
    played = sorted(outcomes, key=lambda outcome: outcome.seats)
    returns = [outcome.returns[0] for outcome in played]
    least = min(returns) - 1.0
    compared = [value if outcome.reason == FINISHED else least for outcome, value in zip(played, returns, strict=True)]
    faults = [seat for seat, outcome in enumerate(played) if outcome.fault is not None]
    return Outcome(
        number=max(outcome.number for outcome in played),
        group=played[0].group,
        seats=tuple(outcome.seats[0] for outcome in played),
        scores=tuple(scores(compared)),
        returns=tuple(compared),
        reason=next((outcome.reason for outcome in played if outcome.reason != FINISHED), FINISHED),
        fault=faults[0] if faults else None,
        canon="/".join(outcome.canon for outcome in played) if all(outcome.canon for outcome in played) else "",
        efforts=tuple(outcome.efforts[0] for outcome in played),
    )
