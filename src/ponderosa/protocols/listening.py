"""Lines of another program, heard as they come, also while somebody thinks. Start at Inbox."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable


class GoneError(Exception):
    """The other program has left, or can no longer be heard."""


class Inbox:
    """The lines that have come and were not read yet; a thread puts them there."""

    def __init__(
        self, at_once: Callable[[str], bool] = lambda line: False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`at_once` is shown every line as it comes, in the thread that listens; what it answers True to is done."""
        self._at_once, self._clock = at_once, clock
        self._waiting: queue.Queue[tuple[float, str] | None] = queue.Queue()
        self.left = threading.Event()
        """Set when there are no more lines, or when no more are to be heard."""

    def listen(self, lines: Iterable[str]) -> None:
        """Hear these lines, from now on."""
        threading.Thread(target=self._listen, args=(lines,), daemon=True).start()

    def _listen(self, lines: Iterable[str]) -> None:
        try:
            for line in lines:
                if not self._at_once(line.strip()):
                    self._waiting.put((self._clock(), line.strip()))
                if self.left.is_set():
                    return
        finally:
            self.left.set()
            self._waiting.put(None)

    def next(self) -> tuple[float, str]:
        """The next line, waited for, and when it came."""
        item = self._waiting.get()
        if item is None:
            self._waiting.put(None)  # for whoever asks again
            raise GoneError
        return item

    def lines_wait(self) -> bool:
        """Whether somebody who thinks should look up: there is a line to read, or nobody speaks any more."""
        return not self._waiting.empty()

    def wait(self) -> None:
        """Until there is a line, or nobody speaks any more."""
        item = self._waiting.get()
        with self._waiting.mutex:
            self._waiting.queue.appendleft(item)
            self._waiting.not_empty.notify()
