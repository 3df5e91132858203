"""Wins by threats that take whole turns, for several stones a turn. Start at TurnProver."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, Record, StateBytes
from ponderosa.compile.enabled import jit_enabled
from ponderosa.compile.record_view import record_view
from ponderosa.connect.tactical import TacticalConnect
from ponderosa.connect.threats.threat_search import threat_loss, threat_win
from ponderosa.games.connect import Connect


class TurnProver:
    """What prover.py does for one stone a turn, by threat_search.py: threats that need every stone of the answer.

    It remembers nothing, and does not say which answers matter.
    """

    used = 0
    pace = 1_000_000

    def __init__(self, game: Connect) -> None:
        self.game = TacticalConnect.of(game)
        self._query = _compiled(np.dtype(self.game.dtype))

    def forget(self) -> None:
        """There is nothing to forget."""

    def proven(self, moves: list[int], effort: int) -> int:
        """What is certain after these moves for the player to move: 1 a win, -1 a loss, 0 nothing."""
        data = self.game.state_after(moves).data
        if self._query(data, effort, WINS) >= 0:
            return 1
        return -1 if self._query(data, effort, LOSES) >= 0 else 0

    def winning_move(self, moves: list[int], effort: int) -> int:
        """The first move of a win after these moves, for the player to move; -1 if none is found."""
        return int(self._query(self.game.state_after(moves).data, effort, WINS))

    def answers(self, moves: list[int], effort: int) -> list[int] | None:
        """The moves that can matter if the opponent would win by threats; None: that is not known."""
        return None


WINS, LOSES = 0, 1
"""What is asked of a position: the first cell of a win of the player to move, or whether that player is lost."""


def query(s: Record, effort: Int, what: Int) -> Int:
    """The answer to a question about a position; -1: no, or not known."""
    s.effort = effort
    if what == WINS:
        return threat_win(s, s.player, s.stones, 0)
    return np.int64(0 if s.stones == s.p and threat_loss(s, s.player, 0) else -1)


def _compiled(dtype: np.dtype[Any]) -> Any:
    """`query` for the bytes of a state."""
    record = record_view(dtype, jit_enabled())

    def query_bytes(state: StateBytes, effort: Int, what: Int) -> Any:
        return query(record(state), effort, what)

    if not jit_enabled():
        return query_bytes
    from ponderosa.compile.native import INT, STATE, compiled

    return compiled(query_bytes, INT(STATE, INT, INT), scope=str(dtype))
