"""What people are told while something is compiled for them. Start at told_of_compiling."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ponderosa.compile.progress import listening

LONG = {"grow_at": 2.0, "play": 0.8, "apply_action": 0.6, "select": 0.4, "choose": 0.3}
"""Seconds that parts took which take long (Connect Four, Othello, SameGame on one core); the bar needs their shares."""
SHORT = 0.1
"""What other parts took."""
WHOLE, RULES = 5.2, 2.1
"""All parts of a first search on a new machine, and those of one more game."""
FIRST = "copy"
"""The part that a new machine compiles before all others."""
EARLY, LATE = 0.1, 0.95
"""The share from which a guess is made, and the most that is said to be done before it is."""
WIDTH = 20


@dataclass(frozen=True)
class HowFar:
    """How far compiling is."""

    share: float
    """What is done of it, from 0 to 1."""
    seconds: float | None
    """How long it takes in all; None: that cannot be guessed yet."""

    def __str__(self) -> str:
        bar = "━" * round(WIDTH * self.share)
        about = "" if self.seconds is None else f", about {self.seconds:.0f} s in all"
        return f"compiling, once {bar:─<{WIDTH}}{about}"


class _Teller:
    """Counts what is compiled, and says how far it is."""

    def __init__(self, update: Callable[[HowFar], object], clock: Callable[[], float]) -> None:
        self._update, self._clock = update, clock
        self._begun = 0.0
        self._done = 0.0
        self._all = 0.0
        self._now = ""

    def __call__(self, part: str) -> None:
        if not self._now:
            self._begun, self._all = self._clock(), WHOLE if part == FIRST else RULES
        else:
            self._done += LONG.get(self._now, SHORT)
        self._now = part
        share = min(self._done / self._all, LATE)
        self._update(HowFar(share, (self._clock() - self._begun) / share if share > EARLY else None))


@contextlib.contextmanager
def told_of_compiling(
    update: Callable[[HowFar], object], clock: Callable[[], float] = time.monotonic
) -> Iterator[None]:
    """Meanwhile, let `update` say what is compiled and how long that takes."""
    with listening(_Teller(update, clock)):
        yield
