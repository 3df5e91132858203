"""The agent that thinks for another program, within that program's time. Start at ProtocolThinker."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from ponderosa.core.budget import MOST_SECONDS, Budget
from ponderosa.core.game import Game
from ponderosa.core.rules import jit_enabled
from ponderosa.core.state import State
from ponderosa.protocols.thought import Thought
from ponderosa.registry import AGENTS, agent_class, make_agent, registered_agent, split_spec, written_out

if TYPE_CHECKING:
    from ponderosa.agents.agent import Agent
    from ponderosa.mcts.report.report import Report

WARM_SECONDS = 0.02
START_SECONDS = 3.0
"""How long a new game waits for an agent that is being made: longer than it takes where everything is compiled."""
QUICK_SECONDS = 1.0
"""How long before the end of a move's time a move without the agent is begun."""
LEAST_SECONDS = 0.01
LOOK_SECONDS = 0.05
"""How often somebody who waits looks whether it should stop."""

ShouldStop = Callable[[], bool]
QuickMove = Callable[[State], Any]
"""A move in plain Python, at once."""
Watch = Callable[["Report"], None]
"""Is shown what a search has found so far, about ten times a second."""


def check_agent(spec: str, game: Game) -> None:
    """A name that does not exist is better noticed now than at the first move."""
    agent_class(split_spec(written_out(spec, game))[0])


class ProtocolThinker:
    """The agent that thinks for another program; made for a game, and kept until there is another game.

    On a machine that has never played, making it compiles for many seconds, which no manager waits for. So it is made
    in a thread: a new game waits for it for a moment, and a move for its own time; until it is there, plain Python
    plays.
    """

    def __init__(
        self,
        spec: str,
        quick_move: QuickMove | None = None,
        patience: float = START_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.spec, self._patience, self._clock = spec, patience, clock
        self._quick_move = quick_move or quickly
        self.game: Game | None = None
        self._making: _Making | None = None
        self._plainly = False
        """Whether the game's rules are plain Python until the agent is there."""

    def new_game(self, game: Game, known: bool = False) -> State:
        """The game's first state; for a new game, an agent is made and tried, so that no move has to wait for it.

        `known` says that its machine code has been tried already, with another game.
        """
        if self.game is None or self.game.spec != game.spec:
            self.game, self._making = game, _Making(self.spec, game, warm_up=not known)
            self._plainly = False
            if self._making.agent_within(self._patience) is None and game.dtype is not None:
                game.rules = game.build_rules(compiled=False)
                self._plainly = True
        return self.game.new_initial_state()

    def think(
        self,
        state: State,
        seconds: float | None,
        max_nodes: int | None = None,
        should_stop: ShouldStop = lambda: False,
        watch: Watch | None = None,
        iterations: int | None = None,
        most_seconds: float | None = None,
    ) -> Thought:
        """The agent's move, and what it thinks of it. An agent that does not search takes the time that it takes.

        Without `seconds` and `iterations`, it thinks for as long as its own budget says, or for its usual time. With
        `most_seconds`, a hard move may take so long, and what a clear one saves is there later.
        """
        assert self._making is not None
        begun = self._clock()
        patience = MOST_SECONDS if seconds is None else max(seconds - QUICK_SECONDS, 0.0)
        making = self._making.agent_within(patience, should_stop)
        if making is not None and self._plainly:
            assert self.game is not None
            self.game.rules, self._plainly = self.game.build_rules(compiled=jit_enabled()), False
        if making is None:
            return Thought(self._quick_move(state), note="still compiling: a move without a search")
        used = self._clock() - begun
        seconds, most = (
            None if limit is None else max(limit - used, LEAST_SECONDS) for limit in (seconds, most_seconds)
        )
        agent, own = making
        return thought(agent, own, state, Allowance(seconds, max_nodes, iterations, most), should_stop, watch)

    def ready(self, seconds: float) -> None:
        """Wait so long for the agent, if it is still being made."""
        assert self._making is not None
        self._making.agent_within(seconds)


class Allowance(NamedTuple):
    """What somebody else allows for a move; None: no limit."""

    seconds: float | None = None
    max_nodes: int | None = None
    iterations: int | None = None
    most_seconds: float | None = None
    """For a hard move, where time is kept from move to move."""


class _Making:
    """An agent that is made in a thread."""

    def __init__(self, spec: str, game: Game, warm_up: bool) -> None:
        """It gets a copy of the game: the rules of the first may be plain Python for a while."""
        self._spec, self._game, self._warm_up = spec, copy(game), warm_up
        self._made: tuple[Agent, Budget | None] | None = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._make, daemon=True)
        self._thread.start()

    def agent_within(
        self, seconds: float, should_stop: ShouldStop = lambda: False
    ) -> tuple[Agent, Budget | None] | None:
        """The agent and its own budget, waited for; None: it is not there yet. What went wrong is raised."""
        until = time.monotonic() + seconds
        while self._thread.is_alive() and time.monotonic() < until and not should_stop():
            self._thread.join(min(LOOK_SECONDS, max(until - time.monotonic(), 0.0)))
        if self._error is not None:
            raise self._error
        return None if self._thread.is_alive() else self._made

    def _make(self) -> None:
        try:
            agent = without_seconds(self._spec, self._game)
            own: Budget | None = agent.budget
            state = self._game.new_initial_state()
            tries = 2 if self._warm_up and own is not None else 0  # the second keeps a part of the first's tree
            for _ in range(tries):
                state.apply_action(thought(agent, own, state, Allowance(WARM_SECONDS)).action)
            self._made = agent, own
        except Exception as error:
            self._error = error


def thought(
    agent: Agent,
    own: Budget | None,
    state: State,
    limits: Allowance,
    should_stop: ShouldStop = lambda: False,
    watch: Watch | None = None,
) -> Thought:
    """An agent's move, within a manager's limits and its own budget, and what it thinks of it."""

    def progress(report: Report) -> bool:
        if watch is not None:
            watch(report)
        return not should_stop()

    if own is None:
        return Thought(agent.step(state))
    if limits.seconds is None and limits.iterations is None and own == Budget(seconds=MOST_SECONDS):
        limits = limits._replace(seconds=agent.default_seconds)
    agent.budget = less(own, limits)
    agent.most_seconds = limits.most_seconds and _least(own.seconds, limits.most_seconds)
    action = agent.think(state, progress)
    report: Report | None = agent.last_report
    if report is None:
        return Thought(action)
    if report.stopped == "interrupted":
        raise KeyboardInterrupt
    return Thought(action, report.value, f"{report.effort}, value {100 * report.value:.1f} %", report)


def without_seconds(spec: str, game: Any) -> Agent:
    """The agent of a text; one that searches gets no time of its own, unless the text gives it some."""
    kind, settings = split_spec(written_out(spec, game))
    if kind in AGENTS and registered_agent(kind).default_seconds is not None:
        settings.setdefault("seconds", str(MOST_SECONDS))
    return make_agent(kind, settings, game)


def less(own: Budget, limits: Allowance) -> Budget:
    """A budget within limits."""
    return Budget(
        _least(own.iterations, limits.iterations),
        _least(own.seconds, limits.seconds),
        _least(own.max_nodes, limits.max_nodes),
    )


def _least(mine: Any, theirs: Any) -> Any:
    return min((limit for limit in (mine, theirs) if limit is not None), default=None)


def quickly(state: State) -> Any:
    """A legal move, one that wins at once if there is one."""
    actions = state.legal_actions()
    mover = state.to_move()
    for action in actions:
        after = state.child(action)
        if after.is_terminal() and after.returns()[mover] > 0:
            return action
    return actions[0]
