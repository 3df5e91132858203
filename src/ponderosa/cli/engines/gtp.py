"""The program for Sabaki, Lizzie, GoGui and whoever else speaks the Go Text Protocol. Start at serve."""

from __future__ import annotations

import sys
from typing import Any

from ponderosa.cli.engines.thinker import ProtocolThinker, check_agent
from ponderosa.core.state import State
from ponderosa.errors import unknown
from ponderosa.protocols.gtp import Session
from ponderosa.protocols.gtp_games import GTP_GAMES, GtpGame
from ponderosa.protocols.thought import Thought
from ponderosa.registry import load_game

USUAL_GAME = "go"
USUAL_AGENT = "strong"
"""Who thinks unless it is said: the best there is in each game, for as long as the controller allows, or a second."""


def serve(agent: str | None, game: str | None) -> None:
    """Read a controller's commands and answer them, until it has no more."""
    first = game or USUAL_GAME
    if first not in GTP_GAMES:
        raise unknown("game of the Go Text Protocol", first, GTP_GAMES)
    if agent is not None:
        check_agent(agent, load_game(GTP_GAMES[first].spec(None, None)))
    thinker = GamesThinker(agent)
    Session(GTP_GAMES, first, thinker.new_state, thinker.think, sys.stdout, sys.stderr).run(sys.stdin)


class GamesThinker:
    """The agent for the game that was asked for last."""

    def __init__(self, agent: str | None) -> None:
        """The same agent's text for every game; by default the one that is the strongest in each."""
        self._thinkers = {name: ProtocolThinker(agent or USUAL_AGENT) for name in GTP_GAMES}
        self._now: ProtocolThinker | None = None

    def new_state(self, spec: str, known: GtpGame) -> State:
        """The first position of a game."""
        game = load_game(spec)
        self._now = thinker = self._thinkers[known.label.lower()]
        tried = thinker.game is not None and thinker.game.dtype == game.dtype
        return thinker.new_game(game, known=tried)

    def think(self, *given: Any, **more: Any) -> Thought:
        """What the agent makes of a position of that game."""
        assert self._now is not None
        return self._now.think(*given, **more)
