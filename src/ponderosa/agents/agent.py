"""Agent: whatever can choose a move. Start at Agent."""

from __future__ import annotations

from typing import Any, Protocol

from ponderosa.mcts.report.report import Report


class Agent(Protocol):
    """A player. It never changes the state that it is shown.

    With a method `reset(seed)`, which makes it as new for another game, matches make it once and not for each game;
    `prepare()` is called before each game, untimed, `finish(state)` with the last state of each game that was played to
    its end, and `close()` when it is no longer needed.
    """

    last_report: Report | None
    """What it thought at its last move, if it says."""

    def step(self, state: Any) -> Any:
        """The action to play in a state that is not over."""
