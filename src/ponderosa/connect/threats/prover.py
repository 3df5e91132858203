"""Proofs of long wins by fours and threes on one board, with a transposition table. Start at Prover."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, StateBytes
from ponderosa.compile.enabled import jit_enabled
from ponderosa.compile.record_view import PlainRecord, record_view
from ponderosa.connect.threats.proof_search import ATTACK, DEFEND, MOST_THREES, PUT, SEQUENCE, STACK, TAKE, TRACE, query
from ponderosa.connect.threats.threat_marks import FIVE, FOUR, GROUPS, KINDS, SAVED, TWICE
from ponderosa.connect.threats.windows import cell_at, cells_of
from ponderosa.games.boards.lines import LONGEST_SIDE, span_of
from ponderosa.games.connect import Connect

TABLE = 2**18
"""Positions remembered."""


class Prover:
    """Looks for wins by threats on one kind of board."""

    pace = 1_500_000
    """The effort that is made in a second, at least: what is begun late ends in time."""

    def __init__(self, game: Connect, table: int = TABLE) -> None:
        m, n, lines = game.m, game.n, 4 * span_of(game.m, game.n)
        self.game, self._effort = game, 0
        self.dtype = _layout(table)
        self.data = np.zeros(self.dtype.itemsize, np.uint8)
        self.record = PlainRecord(self.data, self.dtype)
        s = self.record
        s.rows, s.columns, s.span, s.k, s.exact = m, n, span_of(m, n), game.k, game.exact
        s.row[: m * n] = np.arange(m * n) // n
        s.killer[:] = -1
        for line in range(lines):
            s.whole[line] = cells_of(s, line)
        self._run = _compiled(self.dtype)
        self._placed: list[tuple[int, int]] = []

    def forget(self) -> None:
        """Forget all positions."""
        self.record.table[:] = 0

    def place(self, stones: list[tuple[int, int]]) -> None:
        """Make the board hold these stones, each a cell and its player."""
        same = 0
        while same < min(len(stones), len(self._placed)) and stones[same] == self._placed[same]:
            same += 1
        for cell, player in reversed(self._placed[same:]):
            self._run(self.data, TAKE, cell, player, 0, 0)
        for cell, player in stones[same:]:
            self._run(self.data, PUT, cell, player, 0, 0)
        self._placed = list(stones)

    def win(self, player: int, effort: int, threes: int = MOST_THREES) -> int:
        """The first cell of a win of the player, who is to move; -1 if none is found."""
        self._effort = effort
        return int(self._run(self.data, ATTACK, player, 0, effort, threes))

    def is_lost(self, player: int, effort: int, threes: int = MOST_THREES) -> bool:
        """Whether the player, who is to move, loses to threats of the other."""
        self._effort = effort
        return int(self._run(self.data, DEFEND, 1 - player, 0, effort, threes)) >= 0

    def proven(self, moves: list[int], effort: int) -> int:
        """What is certain after these moves for the player to move: 1 a win, -1 a loss, 0 nothing."""
        self.place([(cell, self.game.turn(ply)[0]) for ply, cell in enumerate(moves)])
        player, stones = self.game.turn(len(moves))
        if stones > 1:
            return 0
        if self.win(player, effort) >= 0:
            return 1
        return -1 if self.is_lost(player, effort) else 0

    def winning_move(self, moves: list[int], effort: int) -> int:
        """The first move of a win after these moves, for the player to move; -1 if none is found."""
        self.place([(cell, self.game.turn(ply)[0]) for ply, cell in enumerate(moves)])
        player, stones = self.game.turn(len(moves))
        return self.win(player, effort) if stones == 1 else -1

    def answers(self, moves: list[int], effort: int) -> list[int] | None:
        """The moves that can matter if the opponent would win by threats, should the player to move pass; None if not.

        They lie on cells of that win, or make a three or a four of the player's own.
        """
        self.place([(cell, self.game.turn(ply)[0]) for ply, cell in enumerate(moves)])
        player = self.game.turn(len(moves))[0]
        self._effort = effort
        if int(self._run(self.data, ATTACK, 1 - player, TRACE, effort, MOST_THREES)) < 0:
            return None
        zone: set[Int] = set(np.flatnonzero(self.record.zone).tolist())
        for line in range(4 * self.record.span):
            marks = self.record.marks[line * GROUPS + player * KINDS : line * GROUPS + player * KINDS + KINDS]
            useful = int(marks[FIVE] | marks[FOUR] | marks[TWICE])
            zone.update(cell_at(self.record, line, place) for place in range(LONGEST_SIDE) if useful >> place & 1)
        return sorted(int(cell) for cell in zone)

    @property
    def used(self) -> int:
        """How much of its effort the last search took."""
        return self._effort - int(self.record.effort)

    @property
    def exhausted(self) -> bool:
        """Whether the last search ended because its effort was spent."""
        return bool(self.record.effort < 0)


def _layout(table: int) -> np.dtype[Any]:
    """The prover's board and memory: one size for all boards, so that it is compiled once."""
    cells, lines = LONGEST_SIDE * LONGEST_SIDE, 4 * span_of(LONGEST_SIDE, LONGEST_SIDE)
    return np.dtype(
        [
            ("lines", "i8", 2 * lines),
            ("whole", "i8", lines),
            ("marks", "i8", GROUPS * lines),
            ("busy", "i8", 4 * GROUPS),
            ("saved", "i8", cells * SAVED),
            ("placed", "i8"),
            ("key", "i8"),
            ("row", "i8", cells),
            ("rows", "i8"),
            ("columns", "i8"),
            ("span", "i8"),
            ("k", "i8"),
            ("exact", "i8"),
            ("effort", "i8"),  # how many more positions may be searched for fours
            ("cut", "i8"),  # whether more threes than were allowed could have been tried
            ("tracing", "i8"),  # whether the cells of a win are being marked
            ("zone", "i1", cells),  # the cells that matter to a win; tracing marks them
            ("stack", "i2", STACK),  # cells to try, those of a position above those of the one before it
            ("top", "i8"),
            ("sequence", "i2", SEQUENCE),  # the cells of the last win by fours
            ("sequence_length", "i8"),
            ("worth", "i2", cells),  # scratch space: how many threes a cell makes
            ("killer", "i2", 2 * (MOST_THREES + 1)),
            ("table", "i8", table),
        ]
    )


def _query_bytes(dtype: np.dtype[Any]) -> Callable[..., Any]:
    """`query` for the bytes of a record, to be compiled."""
    record = record_view(dtype, jit_enabled())

    def query_bytes(data: StateBytes, what: Int, first: Int, second: Int, effort: Int, threes: Int) -> Any:
        return query(record(data), what, first, second, effort, threes)

    return query_bytes


def _compiled(dtype: np.dtype[Any]) -> Any:
    """`query` for the bytes of a record."""
    if not jit_enabled():
        return _query_bytes(dtype)
    from ponderosa.compile.native import INT, STATE, compiled

    return compiled(_query_bytes(dtype), INT(STATE, INT, INT, INT, INT, INT), scope=str(dtype), error_model="numpy")


def compile_ahead(game: Connect) -> None:
    """Let another process compile what a prover and the rules of its game need, while this one does other things."""
    if not jit_enabled():
        return
    from ponderosa.compile import ahead
    from ponderosa.compile.native import INT, STATE, is_ready

    dtype = _layout(TABLE)
    signature = INT(STATE, INT, INT, INT, INT, INT)
    if not is_ready(_query_bytes(dtype), signature, scope=str(dtype), error_model="numpy"):
        ahead.compile_ahead(f"{__name__}:compile_here", game.m, game.n, game.k, game.q, game.exact)


def compile_here(m: int, n: int, k: int, q: int, exact: bool) -> None:
    """What another process does for `compile_ahead`."""
    game = Connect(m, n, k=k, p=1, q=q, exact=exact)
    Prover(game)
    game.new_initial_state()
