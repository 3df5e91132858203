"""What people are told while something is compiled for them. Start at told_of_compiling."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

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

Update = Callable[[str], None]


class _Teller:
    """Counts what is compiled, and says how far it is."""

    def __init__(self, update: Update, clock: Callable[[], float]) -> None:
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
        self._update(self.words())

    def words(self) -> str:
        """How far it is, as a bar, and how long it takes in all, when that can be guessed."""
        share = min(self._done / self._all, LATE)
        bar = "━" * round(WIDTH * share)
        about = f", about {(self._clock() - self._begun) / share:.0f} s in all" if share > EARLY else ""
        return f"compiling, once {bar:─<{WIDTH}}{about}"


@contextlib.contextmanager
def told_of_compiling(update: Update, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Meanwhile, let `update` say what is compiled and how long that takes."""
    with listening(_Teller(update, clock)):
        yield
