"""The process of an agent of somebody's own: it is asked, and answers. Start at main.

Questions are pickled, from the referee that we trust; answers are JSON, a line each, as nobody trusts this process.
"""

from __future__ import annotations

import io
import os
import pickle
import struct
from typing import IO, Any

from ponderosa.agents.agent import Agent
from ponderosa.arena.event import Event
from ponderosa.arena.running.judge import CRASH, ILLEGAL, MEMORY
from ponderosa.arena.running.referee import effort_of, maker, out_of_memory
from ponderosa.arena.running.streams import Answers, limit_memory, own_streams
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.errors import ArenaError, PonderosaError
from ponderosa.registry import load_game

LENGTH = struct.Struct("=Q")
CHOICE = "choice"
"""An action that JSON cannot say is told by its place among the legal ones."""
GAME = "game"


class Parcel(pickle.Pickler):
    """Packs what is sent to the process; each side has its own game."""

    def __init__(self, game: Game | None) -> None:
        self._file = io.BytesIO()
        super().__init__(self._file, pickle.HIGHEST_PROTOCOL)
        self._game = game

    def persistent_id(self, value: object) -> str | None:
        return GAME if value is self._game and value is not None else None

    def packed(self, value: object) -> bytes:
        """The bytes to send: their number, and they."""
        try:
            self.dump(value)
        except Exception as error:
            named = "the game" if self._game is None else self._game.title()
            words = f"a state of {named} cannot be sent to an agent's process"
            raise ArenaError(f"{words}: {type(error).__name__}: {error}") from None
        content = self._file.getvalue()
        return LENGTH.pack(len(content)) + content


class _Unpacker(pickle.Unpickler):
    def __init__(self, content: bytes, game: Game | None) -> None:
        super().__init__(io.BytesIO(content))
        self._game = game

    def persistent_load(self, pid: object) -> Any:
        return self._game


def main() -> None:
    """Get ready as the first question says, then answer the others."""
    questions, stream = own_streams()
    settings = _read(questions, None)
    assert settings is not None
    answers = Answers(stream, settings["key"])
    limit_memory(settings["memory"])
    event = Event.from_dict(settings["event"])
    host = _Host(event, settings["agent"])
    answers.write({})
    own = os.getpid()
    while (question := _read(questions, host.game)) is not None:
        answer = host.answer(*question)
        if os.getpid() != own:  # a copy that the agent has made of this process has nothing to say
            os._exit(0)
        answers.write(answer)
    host.close()


def _read(questions: IO[bytes], game: Game | None) -> Any:
    head = questions.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    content = questions.read(LENGTH.unpack(head)[0])
    return _Unpacker(content, game).load()


class _Host:
    """The agent and its own copy of the game."""

    def __init__(self, event: Event, number: int) -> None:
        self.game = load_game(event.game)
        self.game.new_initial_state().legal_actions()  # compiled now, and not in the time of a move
        self._event, self._number = event, number
        self._agent: Agent | None = None

    def answer(self, what: str, *given: Any) -> dict[str, Any]:
        """What comes of a question, or what went wrong."""
        try:
            answer: dict[str, Any] = getattr(self, what)(*given)
            return answer
        except BaseException as error:  # whatever it raises, SystemExit too, is its own fault
            if out_of_memory(error):
                return {"fault": MEMORY}
            return {"fault": CRASH, "detail": _words(error)}

    def make(self, seed: int) -> dict[str, Any]:
        """The agent is made for the first time; what makes use of it later is tried."""
        try:
            made = self._make(seed)
            if made.resets:
                made.prepare()
        except Exception as error:
            kind = type(error).__name__ if isinstance(error, PonderosaError) else "ArenaError"
            return {"error": _words(error), "kind": kind}
        return {}

    def game_begins(self, seed: int) -> dict[str, Any]:
        """As new for another game, and ready."""
        agent = self._agent
        if agent is not None and agent.resets:
            agent.reset(seed)
        else:
            agent = self._make(seed)
        agent.prepare()
        return {"finishes": agent.finishes}

    def step(self, state: State, legal: list[Any] | None, clocks: tuple[Any, ...] | None = None) -> dict[str, Any]:
        """The agent's move, as JSON can say it."""
        assert self._agent is not None
        if clocks is not None:
            self._agent.see_clocks(*clocks)
        action = self._agent.step(state)
        effort = {"effort": effort_of(self._agent)}
        if hasattr(action, "__index__"):
            action = action.__index__()
        if action is None or isinstance(action, int | float | str):
            return {"action": action, **effort}
        for known in (legal, state.legal_actions()):  # its file may have been read again: then its classes are others
            if known is not None and legal is not None and action in known:
                return {CHOICE: known.index(action), **effort}
        return {"fault": ILLEGAL, "detail": f"{type(action).__name__}: {action!r} is not a legal action"[:500]}

    def finish(self, state: State) -> dict[str, Any]:
        """The last state, for an agent that learns."""
        assert self._agent is not None
        self._agent.finish(state)
        return {}

    def close(self) -> None:
        """Let the agent end what it has started."""
        if self._agent is not None:
            self._agent.close()

    def _make(self, seed: int) -> Agent:
        self._agent = maker(self._event.agent_text(self._number))(self.game, seed)
        return self._agent


def _words(error: BaseException) -> str:
    return (str(error) if isinstance(error, PonderosaError) else f"{type(error).__name__}: {error}")[:500]


if __name__ == "__main__":
    main()
