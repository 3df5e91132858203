"""`ponderosa engine`: Ponderosa as a program that other programs play with. Start at engine."""

from __future__ import annotations

import enum
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ponderosa.agents.agent import Agent
    from ponderosa.core.budget import Budget
    from ponderosa.core.state import State
    from ponderosa.games.connect import Connect
    from ponderosa.mcts.report.report import Report
    from ponderosa.protocols.gomocup import Thought

DEFAULT_AGENT = "strong"
WARM_SECONDS = 0.02
START_SECONDS = 3.0
"""How long START waits for an agent that is being made: longer than it takes where everything is compiled already."""
QUICK_SECONDS = 1.0
"""How long before the end of a move's time a move without the agent is begun."""
LEAST_SECONDS = 0.01
LOOK_SECONDS = 0.05
"""How often somebody who waits looks whether the manager has said END."""


class Protocol(enum.StrEnum):
    """What the other program speaks."""

    gomocup = "gomocup"


def engine(
    protocol: Annotated[Protocol, typer.Argument(metavar="PROTOCOL", help="gomocup: five in a row, as in Piskvork.")],
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Who thinks; the other program says how long.")
    ] = DEFAULT_AGENT,
) -> None:
    """Be the brain of another program: read its commands, answer with moves."""
    from ponderosa.protocols.gomocup import Brain
    from ponderosa.registry import agent_class, load_game, split_spec, written_out

    # a name that does not exist is better noticed now than at the first board
    agent_class(split_spec(written_out(agent, load_game("gomoku")))[0])
    thinker = _Thinker(agent)
    Brain(thinker.new_state, thinker.think, sys.stdout).run(sys.stdin)


def pbrain() -> None:
    """`pbrain-ponderosa`, the name by which tournament managers know a brain."""
    from ponderosa.cli import main

    main(["engine", Protocol.gomocup.value, *sys.argv[1:]])


class _Thinker:
    """The agent that thinks for a brain; made for a board, and kept until there is another.

    On a machine that has never played, making it compiles for many seconds, which no manager waits for. So it is made
    in a thread: START waits for it for a moment, and a move for its own time; until it is there, plain Python plays.
    """

    def __init__(self, spec: str, patience: float = START_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self.spec, self._patience, self._clock = spec, patience, clock
        self.game: Connect | None = None
        self._making: _Making | None = None

    def new_state(self, rows: int, columns: int, exact: bool) -> State:
        """An empty board; for a board of a new kind, an agent is made and tried, so that no move has to wait for it."""
        from ponderosa.games.connect import Connect

        game = Connect(rows, columns, k=5, p=1, q=1, exact=exact)
        if self.game is None or self.game.spec != game.spec:
            # whether lines may be longer than five makes no difference to the machine code
            known = self.game is not None and (self.game.m, self.game.n) == (rows, columns)
            self.game, self._making = game, _Making(self.spec, rows, columns, exact, warm_up=not known)
            if self._making.agent_within(self._patience) is None:
                game.rules = game.build_rules(compiled=False)
        return self.game.new_initial_state()

    def think(self, state: State, seconds: float, max_nodes: int | None, should_stop: Callable[[], bool]) -> Thought:
        """The agent's move, and what it thinks of it. An agent that does not search takes the time that it takes."""
        from ponderosa.protocols.gomocup import Thought

        assert self._making is not None and self.game is not None
        begun = self._clock()
        making = self._making.agent_within(max(seconds - QUICK_SECONDS, 0.0), should_stop)
        if making is None:
            from ponderosa.agents.connect.uncompiled import quick_move

            return Thought(quick_move(self.game, state.history()), note="still compiling: a move without a search")
        return thought(*making, state, max(seconds - (self._clock() - begun), LEAST_SECONDS), max_nodes, should_stop)


class _Making:
    """An agent that is made in a thread."""

    def __init__(self, spec: str, rows: int, columns: int, exact: bool, warm_up: bool) -> None:
        self._spec, self._board, self._warm_up = spec, (rows, columns, exact), warm_up
        self._made: tuple[Agent, Budget | None] | None = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._make, daemon=True)
        self._thread.start()

    def agent_within(
        self, seconds: float, should_stop: Callable[[], bool] = lambda: False
    ) -> tuple[Agent, Budget | None] | None:
        """The agent and its own budget, waited for; None: it is not there yet. What went wrong is raised."""
        until = time.monotonic() + seconds
        while self._thread.is_alive() and time.monotonic() < until and not should_stop():
            self._thread.join(min(LOOK_SECONDS, max(until - time.monotonic(), 0.0)))
        if self._error is not None:
            raise self._error
        return None if self._thread.is_alive() else self._made

    def _make(self) -> None:
        from ponderosa.games.connect import Connect

        try:
            rows, columns, exact = self._board
            game = Connect(rows, columns, k=5, p=1, q=1, exact=exact)
            agent = _without_seconds(self._spec, game)
            own: Budget | None = agent.budget
            state = game.new_initial_state()
            tries = 2 if self._warm_up and own is not None else 0  # the second keeps a part of the first's tree
            for _ in range(tries):
                state.apply_action(thought(agent, own, state, WARM_SECONDS, None, lambda: False).action)
            self._made = agent, own
        except Exception as error:
            self._error = error


def thought(
    agent: Agent,
    own: Budget | None,
    state: State,
    seconds: float,
    max_nodes: int | None,
    should_stop: Callable[[], bool],
) -> Thought:
    """An agent's move, within a manager's time and its own budget, and what it thinks of it."""
    from ponderosa.protocols.gomocup import Thought

    if own is None:
        return Thought(agent.step(state))
    agent.budget = _less(own, seconds, max_nodes)
    action = agent.think(state, lambda report: not should_stop())
    report: Report | None = agent.last_report
    if report is None:
        return Thought(action)
    if report.stopped == "interrupted":
        raise KeyboardInterrupt
    return Thought(action, report.value, f"{report.effort}, value {100 * report.value:.1f} %")


def _without_seconds(spec: str, game: Any) -> Agent:
    """The agent of a text; one that searches gets no time of its own, unless the text gives it some."""
    from ponderosa.core.budget import MOST_SECONDS
    from ponderosa.registry import AGENTS, make_agent, registered_agent, split_spec, written_out

    kind, settings = split_spec(written_out(spec, game))
    if kind in AGENTS and registered_agent(kind).default_seconds is not None:
        settings.setdefault("seconds", str(MOST_SECONDS))
    return make_agent(kind, settings, game)


def _less(own: Any, seconds: float, max_nodes: int | None) -> Any:
    """A budget within another one."""
    from ponderosa.core.budget import Budget

    nodes = [count for count in (own.max_nodes, max_nodes) if count is not None]
    return Budget(own.iterations, min(own.seconds or seconds, seconds), min(nodes, default=None))
