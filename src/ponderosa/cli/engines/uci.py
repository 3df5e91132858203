"""The program for chess user interfaces. Start at serve."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ponderosa.alphabeta.deepening import DEEPEST
from ponderosa.cli.engines.thinker import ProtocolThinker, check_agent
from ponderosa.core.budget import MOST_SECONDS
from ponderosa.core.spec import join_spec
from ponderosa.core.state import State
from ponderosa.games.boards import chess_text
from ponderosa.games.chess import Chess
from ponderosa.protocols.limits import NODE_BYTES
from ponderosa.protocols.thought import Thought
from ponderosa.protocols.uci import Session
from ponderosa.protocols.uci_go import Go
from ponderosa.protocols.uci_options import MEGABYTE, Options
from ponderosa.registry import split_spec, written_out

USUAL_AGENT = "minimax:branch=none,depth=60"
"""All moves are looked at, and time alone ends the thinking."""
READY_SECONDS = 10.0
"""How long isready may take where everything must be compiled first; user interfaces wait at least that long."""


def serve(agent: str | None) -> None:
    """Read a user interface's commands and answer them, until it has no more."""
    spec = agent or USUAL_AGENT
    check_agent(spec, Chess())
    thinker, options = ChessThinker(spec), Options(spec, lambda text: check_agent(text, Chess()))
    Session(thinker.new_state, thinker.think, thinker.ready, move_text, sys.stdout, options).run(sys.stdin)


def move_text(state: State, action: Any) -> str:
    """A move as two squares."""
    return chess_text.uci(state.record, action)


class ChessThinker:
    """The agent for one position after another."""

    def __init__(self, agent: str) -> None:
        self._thinker = ProtocolThinker(agent)
        self._depth: int | None = None
        """What the last go has asked for."""

    def new_state(self, fen: str | None) -> State:
        """A position to count moves from; the agent is kept where only the position is another one."""
        game = Chess() if fen is None else Chess(fen)
        return self._thinker.new_game(game, known=self._thinker.game is not None)

    def ready(self, options: Options) -> None:
        """Wait for the agent, if there is time."""
        self._same(options)
        self._thinker.ready(READY_SECONDS)

    def think(
        self,
        state: State,
        asked: Go,
        options: Options,
        should_stop: Callable[[], bool],
        watch: Callable[[Any], None],
    ) -> Thought:
        """The agent's move."""
        self._depth = asked.depth
        self._same(options)
        for_ever = asked.waits or asked.nodes or asked.depth
        seconds = MOST_SECONDS if asked.ponders or (asked.seconds is None and for_ever) else asked.seconds
        room = None if options.hash is None else options.hash * MEGABYTE // NODE_BYTES
        most = None if asked.ponders else asked.most_seconds
        return self._thinker.think(state, seconds, room, should_stop, watch, iterations=asked.nodes, most_seconds=most)

    def _same(self, options: Options) -> None:
        """The agent that the options name, made if it is another one than before."""
        agent = as_asked(options.agent, options.lines, self._depth)
        if agent != self._thinker.spec:
            game = self._thinker.game
            self._thinker = ProtocolThinker(agent)
            if game is not None:
                self._thinker.new_game(game)


def as_asked(agent: str, lines: int, depth: int | None) -> str:
    """The agent as it must be made to tell of so many moves, and to look no further; others can be stopped only."""
    kind, settings = split_spec(written_out(agent, Chess()))
    if kind != "minimax" or (lines == 1 and depth is None):
        return agent
    settings = {"lines": str(lines)} | settings
    return join_spec(kind, settings if depth is None else settings | {"depth": str(min(depth, DEEPEST))})
