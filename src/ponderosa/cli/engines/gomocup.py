"""The brain for managers of Gomoku tournaments. Start at serve."""

from __future__ import annotations

import sys

from ponderosa.agents.connect.uncompiled import quick_move
from ponderosa.cli.engines.thinker import START_SECONDS, ProtocolThinker, check_agent
from ponderosa.core.state import State
from ponderosa.games.connect import Connect
from ponderosa.protocols.gomocup import FIVE, Brain
from ponderosa.registry import load_game

DEFAULT_AGENT = "strong"


def serve(agent: str | None) -> None:
    """Read a manager's commands and answer with moves, until it has no more."""
    spec = agent or DEFAULT_AGENT
    check_agent(spec, load_game("gomoku"))
    thinker = BoardThinker(spec)
    Brain(thinker.new_state, thinker.think, sys.stdout).run(sys.stdin)


class BoardThinker(ProtocolThinker):
    """The agent for boards of any size."""

    game: Connect | None

    def __init__(self, spec: str, patience: float = START_SECONDS) -> None:
        super().__init__(spec, lambda state: quick_move(state.game, state.history()), patience)  # type: ignore[arg-type]

    def new_state(self, rows: int, columns: int, exact: bool) -> State:
        """An empty board."""
        # whether lines may be longer than five makes no difference to the machine code
        known = self.game is not None and (self.game.m, self.game.n) == (rows, columns)
        return self.new_game(Connect(rows, columns, k=FIVE, p=1, q=1, exact=exact), known)
