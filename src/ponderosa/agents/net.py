"""The agent with a trained network: its policy alone, or a search that asks it. Start at NetAgent.

Networks are files (networks/file.py), trained by `ponderosa learn`, or by what writes ONNX (`ponderosa docs learn`).
"""

from __future__ import annotations

from typing import Any

from ponderosa.agents.agent import Agent
from ponderosa.agents.connect.net_threats import LONG_LINE, NetThreats, has_threats
from ponderosa.agents.mcts import MctsAgent
from ponderosa.agents.says_its_value import SaysItsValue
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.observation import shape_of
from ponderosa.errors import GameError, SettingError
from ponderosa.mcts.parallel.kinds import MOST_THREADS
from ponderosa.networks.file import found, load
from ponderosa.networks.player import Player, evaluator

ALONE = {"select": "puct", "batch": 1, "solve": False, "reuse": False}
"""One iteration goes to the action of the largest prior, and nothing is proven: the policy alone."""


class NetAgent(SaysItsValue, MctsAgent):
    """A trained network in the place of playouts; with iterations=1, its policy alone.

    On boards of the Connect family with long lines, wins by threats are searched beside it (threats=true or false).
    """

    files = (*MctsAgent.files, "file")

    @classmethod
    def for_game(cls, game: Any, threats: bool | None = None, **settings: Any) -> Agent:
        """The network with a search for wins by threats, where there are such."""
        alone = _is_alone(settings.get("seconds"), settings.get("iterations"))
        planned = str(settings.get("select") or "").startswith("gumbel")
        if threats is None:
            threats = has_threats(game) and game.k >= LONG_LINE and not alone and not planned
        if not threats:
            return cls(game, **settings)
        if not has_threats(game):
            raise SettingError(f"threats are those of the Connect family, for two players, and not of {game!r}")
        if alone or planned:
            raise SettingError("threats are searched beside a tree that grows: not with one iteration, nor with gumbel")
        threads, file = settings.pop("threads", 1), settings.pop("file", None)
        return NetThreats(game, network(game, file, threads), **settings)

    def __init__(
        self,
        game: Any,
        file: str | None = None,
        seconds: float | None = None,
        iterations: int | None = None,
        threads: int = 1,
        threats: bool | None = None,
        batch: int = 8,
        **settings: Any,
    ) -> None:
        """`file` is a path, or the name of a network that comes with the package; without it, the game's own.

        `threads` ask the network together. Other settings are those of mcts: `select=puct` unless it is said, `c`,
        `batch`, ...
        """
        if threats:
            raise SettingError("NetAgent.for_game(game, ...) makes the agent that searches for threats, too")
        self.network = network(game, file, threads)
        own = {"batch": batch, **settings}
        if _is_alone(seconds, iterations):
            own |= ALONE
        judge = evaluator(self.network, game)
        super().__init__(game, seconds=seconds, iterations=iterations, evaluator=judge, **own)


def network(game: Any, file: str | None, threads: int) -> Player:
    """The network for a game, asked by so many threads."""
    if not isinstance(game, Game) or game.dtype is None:
        raise GameError(f"net plays games with a dtype, not {game!r}")
    shape_of(game)  # says it of a game in which players see different things
    check_number("threads", threads, 1, MOST_THREADS, whole=True)
    return load(found(file, game), game, threads)


def _is_alone(seconds: float | None, iterations: int | None) -> bool:
    return seconds is None and iterations == 1
