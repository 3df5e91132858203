"""What the network of an agent says of a position by itself, for whoever looks on. Start at SaysItsValue."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ponderosa.agents.agent import Agent
from ponderosa.mcts.report.report import Report
from ponderosa.mcts.search import Progress
from ponderosa.networks.player import Player, value_of


class SaysItsValue(Agent):
    """Before an agent that searches with a network: its reports have the network's own value. `step` stays as fast."""

    network: Player

    def think(self, state: Any, progress: Progress | None = None) -> Any:
        value = value_of(self.network, state)

        def tell(report: Report) -> Any:
            assert progress is not None
            return progress(replace(report, judged=value))

        action = super().think(state, None if progress is None else tell)
        if self.last_report is not None:
            self.last_report = replace(self.last_report, judged=value)
        return action

    def told(self, report: Report, state: Any) -> Report:
        """A report on a state with the network's value."""
        return replace(report, judged=value_of(self.network, state))
