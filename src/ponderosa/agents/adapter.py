"""Any object with a method `step` as an Agent. Start at as_agent.

This is the only place that looks which hooks an object has: behind it, everybody has an Agent.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ponderosa.agents.agent import Agent, HasStep
from ponderosa.core.budget import Budget
from ponderosa.core.clock import Clock
from ponderosa.errors import SettingError

if TYPE_CHECKING:
    from ponderosa.agents.memory import Memory
    from ponderosa.mcts.report.report import Report
    from ponderosa.mcts.search import Progress, Search


def as_agent(made: Any) -> Agent:
    """The agent itself, or an object with `step` and whatever hooks it has, as one."""
    if isinstance(made, Agent):
        return made
    if not isinstance(made, HasStep):
        raise SettingError(f"an agent needs a method step(state), and {made!r} has none")
    return Adapted(made)


class Adapted(Agent):
    """An object that is no Agent, with the hooks that it has; the others do nothing."""

    def __init__(self, own: HasStep) -> None:
        self.own: Any = own
        """The object itself; its other attributes can be asked for here, too."""
        self._hears = _takes_progress(own.step)

    def step(self, state: Any) -> Any:
        return self.own.step(state)

    def think(self, state: Any, progress: Progress | None = None) -> Any:
        return self.own.step(state, progress=progress) if self._hears else self.own.step(state)

    def prepare(self) -> None:
        self._call("prepare")

    def see_clocks(self, clocks: Sequence[Clock], seat: int, moves: int) -> None:
        if hasattr(self.own, "see_clocks"):
            self.own.see_clocks(clocks, seat, moves)
        else:
            super().see_clocks(clocks, seat, moves)

    def reset(self, seed: int) -> None:
        if not self.resets:
            raise SettingError(f"{type(self.own).__name__} has no reset(seed): make a new one")
        self._call("reset", seed)

    def finish(self, state: Any) -> None:
        self._call("finish", state)

    def close(self) -> None:
        self._call("close")

    def _call(self, hook: str, *given: Any) -> None:
        if hasattr(self.own, hook):
            getattr(self.own, hook)(*given)

    @property
    def ponders(self) -> bool:
        return bool(getattr(self.own, "ponders", False))

    @property
    def resets(self) -> bool:
        return hasattr(self.own, "reset")

    @property
    def finishes(self) -> bool:
        return hasattr(self.own, "finish")

    @property
    def last_report(self) -> Report | None:  # type: ignore[override]
        found: Report | None = getattr(self.own, "last_report", None)
        return found

    @property
    def budget(self) -> Budget | None:
        found = getattr(self.own, "budget", None)
        return found if isinstance(found, Budget) else None

    @budget.setter
    def budget(self, budget: Budget | None) -> None:
        self.own.budget = budget

    @property
    def most_seconds(self) -> float | None:
        found: float | None = getattr(self.own, "most_seconds", None)
        return found

    @most_seconds.setter
    def most_seconds(self, seconds: float | None) -> None:
        self.own.most_seconds = seconds

    @property
    def search(self) -> Search | None:  # type: ignore[override]
        from ponderosa.mcts.search import Search

        found = getattr(self.own, "search", None)
        return found if isinstance(found, Search) else None

    @property
    def memory(self) -> Memory | None:  # type: ignore[override]
        from ponderosa.agents.memory import Memory

        found = getattr(self.own, "memory", None)
        return found if isinstance(found, Memory) else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Adapted) and self.own is other.own

    def __hash__(self) -> int:
        return hash((Adapted, id(self.own)))

    def __repr__(self) -> str:
        return f"<agent {self.own!r}>"

    if not TYPE_CHECKING:  # a type checker sees what every agent has

        def __getattr__(self, name: str) -> Any:
            if name == "own":  # a copy that is still empty
                raise AttributeError(name)
            return getattr(self.own, name)


def _takes_progress(step: Any) -> bool:
    try:
        return "progress" in inspect.signature(step).parameters
    except (TypeError, ValueError):  # what is not written in Python need not have a signature
        return False
