"""Connect Four: what is certain of every move, a win, a draw or a loss, as far as there was time. Start at Values.

First it is asked what the whole position is worth: its search tries good moves first, and the others are soon refuted.
Then a move is looked for that brings as much. All questions are those of `connect4_solver`, and share its table.
"""

from __future__ import annotations

from typing import Any

from ponderosa.compile.annotations import Ints
from ponderosa.connect.connect4_openings import shipped
from ponderosa.connect.connect4_solver import NO, YES, Board, Question, aligned, bits_of
from ponderosa.games.connect4 import Connect4

Bounds = tuple[float, float]
"""The least and the most that somebody gets, 0 a loss and 1 a win."""
WIN, DRAW, LOSS = 1.0, 0.5, 0.0


class Values:
    """What is certain of every move of a position; it grows with work."""

    def __init__(self, game: Connect4, state: Any, table: Ints) -> None:
        """`table` is of the solver, and may be used by others at the same time."""
        board, (own, mask) = Board.of(game.rows, game.cols), bits_of(game, state)
        known = shipped(board)
        self._table = table
        self._whole = Value(board, own, mask, None if known is None else known.worth(own, mask))
        self._after: dict[int, Value] = {}
        self._won: dict[int, Bounds] = {}
        for column in state.legal_actions():
            after = mask | (mask + (1 << column * (game.rows + 1)))
            if aligned(own | (after ^ mask), game.rows):
                self._won[column] = (WIN, WIN)
            else:
                worth = None if known is None else known.worth(own ^ mask, after)
                self._after[column] = Value(board, own ^ mask, after, worth)

    @property
    def bounds(self) -> dict[int, Bounds]:
        """The least and the most that each move brings."""
        ceiling = self._whole.bounds[1]
        after = {column: value.bounds for column, value in self._after.items()}
        moves = {column: (1.0 - most, min(1.0 - least, ceiling)) for column, (least, most) in after.items()}
        return {column: (self._won | moves)[column] for column in sorted(self._won | moves)}

    @property
    def open(self) -> list[int]:
        """The moves whose result is not certain and may still matter."""
        bounds, least_in_all = self.bounds, self._whole.bounds[0]
        certain = max(least for least, _ in bounds.values())
        return [
            column
            for column, (least, most) in bounds.items()
            if least < most and most > certain and most >= least_in_all
        ]

    def work(self, column: int, positions: int) -> None:
        """Search some positions: for the worth of the whole, and when that is known, for that of a move."""
        least, most = self._whole.bounds
        if least < most:
            self._whole.work(positions, self._table)
        elif most == WIN:
            self._after[column].loses.work(positions, self._table)
        else:
            self._after[column].wins.work(positions, self._table)


class Value:
    """What a position is worth to the player to move, as far as two questions are answered."""

    def __init__(self, board: Board, own: int, mask: int, worth: int | None) -> None:
        """`worth` is more than 0 if the player wins, and less if the other does, where that is known before."""
        self.wins, self.loses = Question(board, own, mask, attacks=True), Question(board, own, mask, attacks=False)
        if worth is not None:
            self.wins.answer, self.loses.answer = YES if worth > 0 else NO, YES if worth < 0 else NO

    def work(self, positions: int, table: Ints) -> None:
        """Search some positions for both answers."""
        if self.wins.work(positions // 2, table) != YES:
            self.loses.work(positions - positions // 2, table)

    @property
    def bounds(self) -> Bounds:
        """The least and the most that the player gets."""
        least = WIN if self.wins.answer == YES else DRAW if self.loses.answer == NO else LOSS
        most = LOSS if self.loses.answer == YES else DRAW if self.wins.answer == NO else WIN
        return least, most
