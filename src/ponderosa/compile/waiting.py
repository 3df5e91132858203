"""What people are told while something is compiled for them. Start at told_of_compiling."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ponderosa.compile.progress import listening

LONG = {
    **{"grow_at": 2.0, "play": 0.8, "apply_action": 0.6, "select": 0.4, "choose": 0.3},
    **{"tend_on_card": 10.0, "gather_on_card": 1.6, "choose_on_card": 0.7, "plant_on_card": 0.6},
}
"""Seconds that parts took which take long (Connect Four, Othello, SameGame on one core); the bar needs their shares."""
SHORT = 0.1
"""What other parts took."""
WHOLE = {"copy": 5.2, "_expand": 2.0, "kernel": 13.5, "plant_on_card": 13.0}
"""All parts of a first search on a new machine, by the part that is first: with rules, on two cores after them, and on
a card."""
ONE_MORE, RULES = 2.1, 1.3
"""All parts of a first search of one more game, and its rules alone."""
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
        return f"compiling, once {bar:─<{WIDTH}}{self.about}"

    @property
    def about(self) -> str:
        """How long it takes, in words that follow others."""
        return "" if self.seconds is None else f", about {max(self.seconds, 1):.0f} s in all"


class _Teller:
    """Counts what is compiled, and says how far it is."""

    def __init__(
        self, update: Callable[[HowFar], object], clock: Callable[[], float], whole: float | None = None
    ) -> None:
        """`whole`: what all parts take together, where that is known."""
        self._update, self._clock = update, clock
        self._begun = 0.0
        self._done = 0.0
        self._all = whole
        self._now = ""

    def __call__(self, part: str) -> None:
        if not self._now:
            self._begun = self._clock()
            self._all = WHOLE.get(part, ONE_MORE) if self._all is None else self._all
        else:
            self._done += LONG.get(self._now, SHORT)
        self._now = part
        share = min(self._done / (self._all or ONE_MORE), LATE)
        self._update(HowFar(share, (self._clock() - self._begun) / share if share > EARLY else None))


@contextlib.contextmanager
def told_of_compiling(
    update: Callable[[HowFar], object],
    clock: Callable[[], float] = time.monotonic,
    whole: float | None = None,
    here: bool = False,
) -> Iterator[None]:
    """Meanwhile, let `update` say how far compiling is; with `here`, only what this thread waits for."""
    with listening(_Teller(update, clock, whole), here):
        yield
