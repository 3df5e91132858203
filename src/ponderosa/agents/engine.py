"""The agent that is another program, such as a brain of a Gomoku tournament. Start at EngineAgent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from ponderosa.agents.agent import Agent
from ponderosa.agents.engines.client import Client, Clocks, Pace
from ponderosa.agents.engines.gomocup_client import GomocupClient
from ponderosa.agents.engines.gtp_client import GtpClient
from ponderosa.agents.engines.uci_client import UciClient
from ponderosa.agents.program import words_of
from ponderosa.core.budget import MOST_COUNTED, MOST_SECONDS
from ponderosa.core.clock import Clock
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.state import State
from ponderosa.errors import SettingError, unknown

USUAL_SECONDS, LONGEST_COUNTED = 1.0, 60.0
"""How long a move takes, and how long one may take whose length is said in positions or half-moves."""
PROTOCOLS: dict[str, type[Client]] = {
    "gomocup": GomocupClient,
    "gtp": GtpClient,
    "uci": UciClient,
}


class EngineAgent(Agent):
    """Another program that plays and speaks a protocol: engine:cmd="pbrain-other --fast",protocol=gomocup,seconds=2."""

    runs_programs = True

    def __init__(
        self,
        game: Game,
        cmd: str,
        protocol: str = "gomocup",
        seconds: float | None = None,
        grace: float = 1.0,
        startup: float = 30.0,
        options: str = "",
        nodes: int | None = None,
        depth: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """The program is told to take `seconds` a move, and has lost after `grace` more; `startup` is for its start.

        For chess programs: `options="Skill Level=3; Hash=64"`, `nodes` and `depth`; with these, `seconds` (60) is
        how long an answer is waited for.
        """
        if protocol not in PROTOCOLS:
            raise unknown("protocol", protocol, PROTOCOLS)
        kind = PROTOCOLS[protocol]
        kind.check_game(game)
        set_up, counted = read_options(options), nodes is not None or depth is not None
        if (set_up or counted) and not kind.takes_options:
            raise SettingError(f"{protocol} has no words for options, nodes and depth; uci does")
        told = seconds is not None or not counted
        seconds = seconds if seconds is not None else LONGEST_COUNTED if counted else USUAL_SECONDS
        for name, value in (("seconds", seconds), ("grace", grace), ("startup", startup)):
            check_number(f"{name} of an engine", value, 0, MOST_SECONDS)
        for name, count in (("nodes", nodes), ("depth", depth)):
            if count is not None:
                check_number(f"{name} of an engine", count, 1, MOST_COUNTED, whole=True)
        self.game, self.seconds, self.grace, self.startup = game, seconds, grace, startup
        self.command = words_of(cmd)
        self._client = kind(game, self.command, Pace(seconds, grace, startup, told, nodes, depth), clock)
        self._client.options = set_up

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


def read_options(text: str) -> dict[str, str]:
    """Options as people write them: `Skill Level=3; Hash=64`."""
    pairs = [piece.partition("=") for piece in text.split(";") if piece.strip()]
    if not all(name.strip() and sign for name, sign, _ in pairs):
        raise SettingError(f'options are written like options="Skill Level=3; Hash=64", not {text[:80]!r}')
    return {name.strip(): value.strip() for name, _, value in pairs}
