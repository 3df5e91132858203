"""What is compiled at this moment, for those who wait for it. Start at compiled_now."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from ponderosa.compile.waiting import RULES, HowFar, told_of_compiling
from ponderosa.core.game import Game
from ponderosa.system.delegation import errand


@dataclass(frozen=True)
class Compiled:
    """Something that is compiled now."""

    game: str
    """What people call the game that it is for."""
    far: HowFar
    """How far it is."""


_now: dict[int, Compiled] = {}
"""By the thread that waits for it."""


@contextlib.contextmanager
def told_of(game: Game, rules_alone: bool = False) -> Iterator[None]:
    """What this thread waits for in this block is compiled for a game."""
    me, name = threading.get_ident(), game.people_call_it()

    def tell(far: HowFar) -> None:
        _now[me] = Compiled(name, far)

    try:
        with told_of_compiling(tell, whole=RULES if rules_alone else None, here=True):
            yield
    finally:
        _now.pop(me, None)


def compiled_now(game: Game | None = None) -> Compiled | None:
    """What is compiled, if anything is, for a game or for any: one is compiled after the other, and others wait."""
    found = [one for thread, one in tuple(_now.items()) if thread in errand.workers]
    return next((one for one in found if game is None or one.game == game.people_call_it()), None)
