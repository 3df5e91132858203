"""`ponderosa engine`: Ponderosa as a program that other programs play with. Start at engine."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ponderosa.agents.agent import Agent
    from ponderosa.core.state import State
    from ponderosa.mcts.report.report import Report
    from ponderosa.protocols.gomocup import Thought

DEFAULT_AGENT = "strong"
WARM_SECONDS = 0.02


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
    """The agent that thinks for a brain; made for a board, and kept until there is another."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.agent: Any = None
        self.game: Any = None

    def new_state(self, rows: int, columns: int, exact: bool) -> State:
        """An empty board; a board of a new kind compiles what it needs, so that no move has to wait for it."""
        from ponderosa.games.connect import Connect

        game = Connect(rows, columns, k=5, p=1, q=1, exact=exact)
        if self.game is None or self.game.spec != game.spec:
            self.agent = _without_seconds(self.spec, game)
            self.own_budget = self.agent.budget
            known = self.game is not None and (self.game.m, self.game.n) == (rows, columns)
            self.game = game
            if not known:  # the rule makes no difference to the machine code
                self._warm_up()
        state: State = self.game.new_initial_state()
        return state

    def _warm_up(self) -> None:
        """Two short searches: the second one keeps a part of the first one's tree."""
        state = self.game.new_initial_state()
        if self.own_budget is not None:
            for _ in range(2):
                state.apply_action(self.think(state, WARM_SECONDS, None, lambda: False).action)

    def think(self, state: State, seconds: float, max_nodes: int | None, should_stop: Callable[[], bool]) -> Thought:
        """The agent's move, and what it thinks of it. An agent that does not search takes the time that it takes."""
        from ponderosa.protocols.gomocup import Thought

        if self.own_budget is None:
            return Thought(self.agent.step(state))
        self.agent.budget = _less(self.own_budget, seconds, max_nodes)
        action = self.agent.think(state, lambda report: not should_stop())
        report: Report | None = self.agent.last_report
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
