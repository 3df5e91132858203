"""The agent that is another program, such as a brain of a Gomoku tournament. Start at EngineAgent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from ponderosa.agents.agent import Agent
from ponderosa.agents.engines.client import Client, Clocks, Pace
from ponderosa.agents.engines.gomocup_client import GomocupClient
from ponderosa.agents.engines.gtp_client import GtpClient
from ponderosa.agents.program import words_of
from ponderosa.core.budget import MOST_SECONDS
from ponderosa.core.clock import Clock
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.state import State
from ponderosa.errors import unknown

PROTOCOLS: dict[str, type[Client]] = {
    "gomocup": GomocupClient,
    "gtp": GtpClient,
}


class EngineAgent(Agent):
    """Another program that plays and speaks a protocol: engine:cmd="pbrain-other --fast",protocol=gomocup,seconds=2."""

    runs_programs = True

    def __init__(
        self,
        game: Game,
        cmd: str,
        protocol: str = "gomocup",
        seconds: float = 1.0,
        grace: float = 1.0,
        startup: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """The program is told to take `seconds` a move, and has lost after `grace` more; `startup` is for its start."""
        if protocol not in PROTOCOLS:
            raise unknown("protocol", protocol, PROTOCOLS)
        PROTOCOLS[protocol].check_game(game)
        for name, value in (("seconds", seconds), ("grace", grace), ("startup", startup)):
            check_number(f"{name} of an engine", value, 0, MOST_SECONDS)
        self.game, self.seconds, self.grace, self.startup = game, seconds, grace, startup
        self.command = words_of(cmd)
        self._client = PROTOCOLS[protocol](game, self.command, Pace(seconds, grace, startup), clock)

    @property
    def last_seconds(self) -> float:
        """How long the program took over its last move, from question to answer."""
        return self._client.last_seconds

    def step(self, state: State) -> Any:
        """The program's move. A program that fails is ended; the next step starts it again."""
        try:
            return self._client.move(state)
        except BaseException:  # also when Ctrl-C leaves a question without its answer
            self._client.kill()
            raise

    def see_clocks(self, clocks: Sequence[Clock], seat: int, moves: int) -> None:
        self._client.clocks = Clocks(clocks, seat, moves)

    def reset(self, seed: int) -> None:
        """As new for another game: the program gets a new board with its first move."""
        self.last_report, self._client.clocks = None, None

    def prepare(self) -> None:
        """Start the program now, so that this is no part of its first move."""
        self._client.start()

    def close(self) -> None:
        """End the program politely; the next step would start it again."""
        self._client.end()
