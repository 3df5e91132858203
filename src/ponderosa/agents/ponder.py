"""Thinking on the opponent's time. Start at Ponderer."""

from __future__ import annotations

import threading
from typing import Any

from ponderosa.core.turns import CHANCE
from ponderosa.mcts.search import Search


class Ponderer:
    """Lets a search go on in the background, from the position after one's own move, until it is stopped."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, action: Any, max_nodes: int | None) -> bool:
        """Play the action in the search, and think on; False: there is nothing to think about, and nothing is done."""
        after = self._search.root_state
        after.apply_action(action)
        if after.is_terminal() or after.current_player() == CHANCE:
            return False
        self._search.advance(action)
        self._stop.clear()
        self._thread = threading.Thread(target=self._think, args=(max_nodes,), name="ponderosa-ponder", daemon=True)
        self._thread.start()
        return True

    def stop(self) -> bool:
        """End the thinking, and wait the few milliseconds until it has ended; False: it did not go on."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
        return thread is not None

    def _think(self, max_nodes: int | None) -> None:
        self._search.ponder(lambda: not self._stop.is_set(), max_nodes)
