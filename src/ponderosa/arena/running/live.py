"""Games and agents that exist only in this Python process, as in a notebook. Start at Player.

They cannot be sent to another process, so their games are played here, one after the other, and an agent that hangs or
crashes the interpreter hangs or crashes whoever plays.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any

from ponderosa.agents.agent import HasStep
from ponderosa.arena.event import Event
from ponderosa.arena.running.judge import Record
from ponderosa.arena.running.play import Venue
from ponderosa.arena.running.referee import Referee
from ponderosa.core.game import Game
from ponderosa.errors import SettingError
from ponderosa.registry import load_game, takes

Maker = Callable[[Game, int], Any]
"""Makes an agent from a game and a seed."""

AgentLike = str | HasStep | Callable[..., Any]
"""An agent as people give it: a text, an object with `step`, or a class or function that makes one from a game."""


@dataclass(frozen=True)
class Player:
    """An agent as text, and how to make it if the text does not say."""

    text: str
    make: Maker | None = None

    @classmethod
    def of(cls, agent: AgentLike) -> Player:
        """A text as it is; else a class or function that takes the game (and `seed`), or an agent with `step`."""
        if isinstance(agent, str):
            return cls(agent)
        if isinstance(agent, type):
            return cls(agent.__name__, functools.partial(_made, agent, takes(agent, "seed")))
        if isinstance(agent, HasStep):
            return cls(type(agent).__name__, lambda game, seed: agent)
        if callable(agent):
            seeded = "seed" in inspect.signature(agent).parameters
            return cls(getattr(agent, "__name__", "function"), functools.partial(_made, agent, seeded))
        raise SettingError(
            f"an agent is text like 'mcts:iterations=100', a class or an object with step, not {agent!r}"
        )


def game_text(game: str | Game) -> str:
    """A game's text."""
    if isinstance(game, str | Game):
        return game if isinstance(game, str) else game.spec
    raise SettingError(f"a game is text like 'connect4', or a Game, not {game!r}")


def is_live(game: str | Game, players: Sequence[Player]) -> bool:
    """Whether something of it exists in this process only."""
    return isinstance(game, Game) or any(player.make for player in players)


@contextlib.contextmanager
def in_this_process(event: Event, game: str | Game, players: Sequence[Player], note: str = "") -> Iterator[Venue]:
    """Plays here, one game after the other."""
    shown = game if isinstance(game, Game) else load_game(game)
    referee = Referee(event, _copied(shown), [player.make for player in players], shown=shown)
    referee.rehearse()
    try:
        yield Venue(_Here(), lambda: 1, functools.partial(_play, referee), note)
    finally:
        referee.close()


def _copied(game: Game) -> Game:
    """A game of which no agent gets hold; itself, if it cannot be copied."""
    try:
        return copy.deepcopy(game)
    except Exception:  # it may have anything in it
        return game


def _play(referee: Referee, event: dict[str, Any], games: list[list[Any]], memory: float | None) -> list[Record]:
    return [referee.play(*game) for game in games]


def _made(kind: Callable[..., Any], seeded: bool, game: Game, seed: int) -> Any:
    return kind(game, seed=seed) if seeded else kind(game)


class _Here(Executor):
    """Does at once what it is asked to."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future
