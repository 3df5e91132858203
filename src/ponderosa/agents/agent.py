"""Agent: whatever can choose a move. Start at Agent; `ponderosa docs add-an-agent` writes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from ponderosa.core.budget import MOST_SECONDS
from ponderosa.core.field_texts import with_field_texts
from ponderosa.errors import SettingError

if TYPE_CHECKING:
    from ponderosa.agents.memory import Memory
    from ponderosa.core.budget import Budget
    from ponderosa.core.clock import Clock
    from ponderosa.mcts.report.report import Report
    from ponderosa.mcts.search import Progress, Search


@runtime_checkable
class HasStep(Protocol):
    """All that an agent of one's own needs; agents/adapter.py turns it into an Agent."""

    def step(self, state: Any) -> Any:
        """The action to play in a state that is not over."""


@with_field_texts
class Agent:
    """A player: it is made with a game, and `step(state)` chooses an action. It never changes the state it is shown.

    Only `step` is required. Everything else is a hook that does nothing until a subclass fills it in, so whoever asks
    an agent can rely on all of it. Over a game, the hooks are called in this order: `reset` (or a new agent is made),
    `prepare`, `step` for every move (after `see_clocks`, where there are clocks), `finish`; and `close` when nobody
    needs the agent any more.
    """

    default_seconds: ClassVar[float | None] = None
    """How long a move takes if no setting says it; None: its time cannot be set."""
    files: ClassVar[tuple[str, ...]] = ()
    """Settings that name files to read: the page takes them from nobody."""
    runs_programs: ClassVar[bool] = False
    """Whether it starts another program: the page offers it only to whoever starts the server."""

    last_report: Report | None = None
    """What it thought at its last move, if it says."""
    budget: Budget | None = None
    """What a move may cost, read at every step: whoever runs an agent may set less. None: it has no limits to set."""
    most_seconds: float | None = None
    """By the clock: how long a hard move may take, more than the budget says; what a clear one saves is there later.
    None: every move has the time of the budget, and none can be saved."""
    paced: bool = False
    """Whether nobody has said what a move may cost, so that a clock decides it alone."""
    search: Search | None = None
    """The tree search inside, if there is one."""
    memory: Memory | None = None
    """What it keeps from game to game in a file, if it does."""

    def __init__(self, game: Any) -> None:
        """Subclasses take what settings they like behind the game, `seed` among them if they draw random numbers."""

    @classmethod
    def for_game(cls, game: Any, **settings: Any) -> Agent:
        """The agent that this class stands for in a game: one of its own, unless a subclass knows a better one."""
        return cls(game, **settings)

    def step(self, state: Any) -> Any:
        """The action to play in a state that is not over."""
        raise NotImplementedError(f"{type(self).__name__} has no step(state)")

    def think(self, state: Any, progress: Progress | None = None) -> Any:
        """The same as `step`; an agent that searches calls `progress` about ten times a second with a report.

        False from `progress` ends the thinking, with the best action so far.
        """
        return self.step(state)

    def see_clocks(self, clocks: Sequence[Clock], seat: int, moves: int) -> None:
        """The game is played by the clock, and a move is next: what each player has left, and which seat moves.

        `moves` is for how many moves of its own time should be kept. An agent with a budget thinks as long as the clock
        makes sensible, and no longer than its own limits; one that can tell a clear move from a hard one saves time for
        that with `most_seconds`.
        """
        if self.budget is None:
            return
        own = self.__dict__.setdefault("_own_budget", self.budget)
        bound = MOST_SECONDS if own.seconds is None or self.paced else own.seconds
        self.budget = replace(own, seconds=min(clocks[seat].plan(moves), bound))
        self.most_seconds = min(clocks[seat].most(moves), bound)

    def prepare(self) -> None:
        """A game is about to begin: do now, untimed, what the first move should not wait for."""

    def reset(self, seed: int) -> None:
        """As new for another game, with other random numbers. An agent without it is made again for every game."""
        raise SettingError(f"{type(self).__name__} has no reset(seed): make a new one")

    def finish(self, state: Any) -> None:
        """A game was played to its end, in this state: learn from it."""

    def close(self) -> None:
        """Nobody needs the agent any more: end what goes on, save what is to be kept."""

    @property
    def ponders(self) -> bool:
        """Whether it thinks on while others are to move."""
        return False

    @property
    def resets(self) -> bool:
        """Whether it has a `reset` of its own, so that one agent will do for many games."""
        return type(self).reset is not Agent.reset

    @property
    def finishes(self) -> bool:
        """Whether it has a `finish` of its own, so that the end of a game must be shown to it."""
        return type(self).finish is not Agent.finish
