"""The process in which games are played: it reads games to play, plays them, writes what happened. Start at main.

One JSON value a line. The referee and our own agents live in it, and no code of anybody else's but the game's. What
they print goes nowhere; when whoever started it is gone, it ends, and its keeper ends all that it has started.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import threading
import time
from collections.abc import Callable
from typing import IO, Any

from ponderosa.arena.event import Event
from ponderosa.arena.running import guest
from ponderosa.arena.running.blackboard import Blackboard
from ponderosa.arena.running.judge import MEMORY, Record
from ponderosa.arena.running.referee import Referee, out_of_memory
from ponderosa.arena.running.streams import Answers, limit_memory, own_streams
from ponderosa.compile.progress import listening
from ponderosa.errors import PonderosaError

COMPILING = "compiling"
"""Under this name a part is told that is compiled before the first game."""
PATIENCE = 0.05
"""The most seconds after which finished games are handed over."""


def main() -> None:
    """Prepare as the first line says, then play what the others ask for."""
    at_the_end: list[Callable[[], None]] = []
    questions, stream = own_streams()
    settings = json.loads(questions.readline())
    tasks = _tasks(questions, settings["key"].encode(), at_the_end)
    answers = Answers(stream, settings["key"])
    try:
        limit_memory(settings["memory"])
        event = Event.from_dict(settings["event"])
        guests = guest.makers(event, settings["memory"])
        referee = Referee(event, makers=guests, watch=Blackboard(settings["board"]))
        at_the_end.append(referee.close)
        with listening(lambda part: answers.write({COMPILING: part})):
            referee.rehearse()
    except PonderosaError as error:
        answers.write({"error": str(error), "kind": type(error).__name__})
        return
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        if out_of_memory(error):
            words = f"{settings['memory']:g} gigabytes of memory are too little to begin with"
        answers.write({"error": words, "kind": "GameError"})
        return
    answers.write({"forfeit": referee.forfeit})
    while True:
        _play(referee, json.loads(tasks.get()), answers)


def is_spent(event: Event, record: Record) -> bool:
    """Whether a worker's memory was filled, which is not given back: the supervisor then starts a new process."""
    return record["reason"] == MEMORY and not event.guests[record["seats"][record["fault"]]]


def _play(referee: Referee, games: list[list[Any]], answers: Answers) -> None:
    """Play games, and write them down in bundles: a line each would cost more than a short game."""
    finished: list[Any] = []
    last = time.monotonic()
    for number, seats, opening, line in games:
        try:
            finished.append(referee.play(number, seats, opening, line))
        except PonderosaError as error:
            answers.write(*finished, {"error": str(error), "kind": type(error).__name__})
            return
        if is_spent(referee.event, finished[-1]):
            break
        if time.monotonic() - last > PATIENCE:
            answers.write(*finished)
            finished, last = [], time.monotonic()
    answers.write(*finished)


def _tasks(questions: IO[bytes], key: bytes, at_the_end: list[Callable[[], None]]) -> queue.SimpleQueue[bytes]:
    """Lines from the supervisor, who knows the key, as they come; when there are no more, this process leaves."""
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        for line in questions:
            if line.startswith(key):  # else somebody else has written it
                tasks.put(line.removeprefix(key))
        with contextlib.suppress(BaseException):
            for do in at_the_end:
                do()
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return tasks


if __name__ == "__main__":
    main()
