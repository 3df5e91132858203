"""Connect Four to the end: what every column brings, and after how many stones at best. Start at Distances.

A position is worth 60 - n to the player who wins with n stones on the board, as much less than nothing to the one who
loses so, and 0 in a draw: whoever plays for the greatest worth wins as fast and loses as slowly as possible. First it
is asked who wins, then with how few stones, each a question of `connect4_solver`; all questions share its table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ponderosa.compile.annotations import Ints
from ponderosa.connect.connect4_openings import shipped
from ponderosa.connect.connect4_solver import (
    BETTER_THAN_LATEST,
    NO,
    OPEN,
    YES,
    Board,
    Question,
    aligned,
    bits_of,
)
from ponderosa.games.connect4 import Connect4

FIRST_SLICE, MOST_SLICE = 1 << 14, 1 << 19
"""So many positions are searched at a time: ever more, up to so many."""
SLOWEST = 0.5
"""Less than any win is worth whose length is known, and more than a draw."""


@dataclass(frozen=True)
class Outcome:
    """What is certain of a move."""

    value: float | None = None
    """1 if it wins, 0.5 if it draws, 0 if it loses; None: not known yet."""
    stones: int | None = None
    """How many stones are on the board at the end; None: not known yet."""

    @property
    def worth(self) -> float:
        """What to sort moves by, so far; what is not known yet comes behind a draw."""
        if self.value is None or self.value == 0.5:
            return 0.0 if self.value else -SLOWEST / 2
        speed = SLOWEST if self.stones is None else BETTER_THAN_LATEST - self.stones
        return speed if self.value else -speed


class Distances:
    """What every column brings to the player to move; it grows with work."""

    def __init__(self, game: Connect4, state: Any, table: Ints, slice_: int = FIRST_SLICE) -> None:
        """`table` is of the solver, and may be used by others at the same time.

        So many positions are searched for one question, at first, before it is another's turn.
        """
        board, (own, mask) = Board.of(game.rows, game.cols), bits_of(game, state)
        self._cells, known = game.rows * game.cols, shipped(board)
        self._lines: dict[int, Line] = {}
        self._won: dict[int, Outcome] = {}
        for column in state.legal_actions():
            after = mask | (mask + (1 << column * (game.rows + 1)))
            if aligned(own | (after ^ mask), game.rows):
                self._won[column] = Outcome(1.0, mask.bit_count() + 1)
            else:
                worth = None if known is None else known.worth(own ^ mask, after)
                self._lines[column] = Line(board, own ^ mask, after, table, worth, slice_)
        self._whole = Line(board, own, mask, table, None if known is None else known.worth(own, mask), slice_)
        self.best: int | None = next(iter(self._won), None)
        """A column that is as good as any; None: not known yet."""
        self._look_for_best()

    @property
    def open(self) -> list[int]:
        """The columns that are not solved yet."""
        return [column for column, line in self._lines.items() if line.worth is None and column != self.best]

    def decide(self) -> None:
        """Search on for the best column, for a part of a second.

        First what the whole position is worth, in which good columns are tried first and the others soon refuted; then
        which column brings that.
        """
        if self._whole.worth is None:
            self._whole.work()
        else:
            self._lines[min(self._candidates(), key=self.positions)].work_for(-self._whole.worth)
        self._look_for_best()

    def _candidates(self) -> list[int]:
        """The columns that may be best."""
        return [column for column, line in self._lines.items() if line.fulfils is None]

    def _look_for_best(self) -> None:
        worth = self._whole.worth
        if self.best is None and worth is not None:
            lines = self._lines.items()
            self.best = next((column for column, line in lines if line.fulfils or line.worth == -worth), None)

    def work(self) -> None:
        """Search on after the column that was searched least, for a part of a second."""
        if self.open:
            self._lines[min(self.open, key=self.positions)].work()

    @property
    def searched(self) -> int:
        """How many positions were looked at in all."""
        return self._whole.positions + sum(map(self.positions, self._lines))

    def positions(self, column: int) -> int:
        """How many positions were looked at for a column."""
        return self._lines[column].positions if column in self._lines else 0

    def outcome(self, column: int) -> Outcome:
        """What is certain of a column."""
        if column in self._won:
            return self._won[column]
        line = self._lines[column]
        worth = line.worth
        if worth is None and column == self.best and self._whole.worth is not None:
            worth = -self._whole.worth
        if worth == 0:
            return Outcome(0.5, self._cells)
        if worth is not None:
            return Outcome(float(worth < 0), BETTER_THAN_LATEST - abs(worth))
        return Outcome(None if line.winner is None else 1.0 - line.winner)


class Line:
    """One position on its way to an exact worth, from the view of the player to move there."""

    def __init__(
        self, board: Board, own: int, mask: int, table: Ints, worth: int | None = None, slice_: int = FIRST_SLICE
    ) -> None:
        """`worth` is what the position is worth, where that is known before."""
        self._board, self._own, self._mask, self._table = board, own, mask, table
        self._cells, self._loses = board.rows * board.columns, False
        self._who = [self._asked(attacks, self._cells) for attacks in (True, False)]
        self._slice, self._stones = slice_, 0
        self._question: Question | None = None
        self._limit: Question | None = None
        self._counted = 0
        self.worth = 0 if mask == board.full else worth
        """What the position is worth, when that is known."""

    def _asked(self, attacks: bool, stones: int) -> Question:
        return Question(self._board, self._own, self._mask, attacks, stones)

    @property
    def winner(self) -> bool | None:
        """Whether the player to move wins; None: not known yet, or nobody does."""
        return next(
            (wins for wins, question in zip((True, False), self._who, strict=True) if question.answer == YES), None
        )

    @property
    def positions(self) -> int:
        """How many positions were looked at."""
        asked = (*self._who, self._question, self._limit)
        return self._counted + sum(question.positions for question in asked if question is not None)

    @property
    def fulfils(self) -> bool | None:
        """Whether the position is worth no more than what was asked for; None: not known yet."""
        if self._limit is None or self._limit.answer == OPEN:
            return None
        return (self._limit.answer == YES) == self._loses

    def work_for(self, most: int) -> None:
        """Search on for a while for the answer whether the position is worth no more than this."""
        if self._limit is None:
            self._loses = most < 0
            # it loses soon enough; or it does not win, or not so soon
            stones = BETTER_THAN_LATEST - abs(most) - (0 if self._loses else 2)
            self._limit = self._asked(not self._loses, stones if most != 0 else self._cells)
        self._limit.work(self._slice, self._table)
        self._slice = min(2 * self._slice, MOST_SLICE)

    def work(self) -> None:
        """Search on for a while."""
        if self.winner is not None:
            self._count_stones(self.winner)
            return
        for question in self._who:
            if question.work(self._slice, self._table) == YES:
                return
        self._slice = min(2 * self._slice, MOST_SLICE)
        if all(question.answer == NO for question in self._who):
            self.worth = 0

    def _count_stones(self, wins: bool) -> None:
        """Ask whether a few stones are enough, and then two more, and so on."""
        if self._question is None:
            fewest = self._mask.bit_count() + (1 if wins else 2)
            self._stones = max(fewest, self._stones + 2)
            self._question = self._asked(wins, self._stones)
        answer = self._question.work(self._slice, self._table)
        if answer == OPEN:
            self._slice = min(2 * self._slice, MOST_SLICE)
            return
        if answer == YES:
            worth = BETTER_THAN_LATEST - self._stones
            self.worth = worth if wins else -worth
        self._counted, self._question = self._counted + self._question.positions, None


def exact_worth(board: Board, own: int, mask: int, table: Ints) -> int:
    """What a position in which nobody has won yet is worth to the player to move, however long that takes."""
    line = Line(board, own, mask, table)
    while line.worth is None:
        line.work()
    return line.worth
