"""The protocol of Gomoku tournaments (Gomocup, Piskvork), as the brain speaks it. Start at Brain.

A manager sends lines and the brain answers each command with a line; INFO gets no answer, and BOARD and SWAP2BOARD go
on until DONE. A cell is `x,y`, counted from 0 at the top left. (https://plastovicka.github.io/protocl2en.htm)
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Any, NamedTuple, Protocol, TextIO

from ponderosa.errors import PonderosaError
from ponderosa.protocols.limits import INTERPRETER_BYTES, Limits
from ponderosa.protocols.listening import GoneError, Inbox
from ponderosa.protocols.thought import Thought as Thought

FIVE = 5
"""Stones in a row that win; no side of a board is shorter."""
OWN, OTHER = 1, 2
"""Whose stone it is, as BOARD says it."""
EXACT = 1
"""The rule by which a line of six or more does not win; 0 is freestyle, and there is no other that we know."""
ATTEMPTS = 20
"""How many orders are tried for stones that came without one."""

NewState = Callable[[int, int, bool], Any]
"""An empty board of this many rows and columns, with or without the rule EXACT; also the time to get ready."""


class Think(Protocol):
    """Whoever thinks for the brain."""

    def __call__(
        self,
        state: Any,
        seconds: float,
        max_nodes: int | None,
        should_stop: Callable[[], bool],
        /,
        *,
        most_seconds: float,
    ) -> Thought:
        """Choose in a state, within so many seconds and nodes, or until the function says that it should stop.

        Where a match has a limit, a hard move may take `most_seconds`, and what a clear one saves is there later.
        """


class RefusedError(PonderosaError):
    """A command that cannot be obeyed; the manager gets the message, and nothing has changed."""


class Board(NamedTuple):
    """The size of a board, and its cells as the protocol writes them. Row 0 of an action is at the bottom."""

    rows: int
    columns: int

    def action(self, x: int, y: int) -> int:
        """The action of the cell in column x and in row y from the top."""
        if not (0 <= x < self.columns and 0 <= y < self.rows):
            raise RefusedError(f"{x},{y} is not on the board of {self.columns} columns and {self.rows} rows")
        return (self.rows - 1 - y) * self.columns + x

    def cell(self, action: int) -> str:
        """An action as `x,y`."""
        return f"{action % self.columns},{self.rows - 1 - action // self.columns}"

    def read(self, text: str) -> int:
        """The action of a text `x,y`."""
        x, y = whole_numbers(text, 2)
        return self.action(x, y)


def whole_numbers(text: str, count: int) -> list[int]:
    """How many whole numbers with commas between."""
    pieces = [piece.strip() for piece in text.split(",")]
    if len(pieces) != count or not all(re.fullmatch(r"[+-]?[0-9]{1,18}", piece) for piece in pieces):
        form = ",".join(("x", "y", "field")[:count]) if count > 1 else "a number"
        raise RefusedError(f"{text[:40]!r} is not of the form {form}")
    return [int(piece) for piece in pieces]


class Brain:
    """Plays for a manager: one game after the other, on boards of any size that `new_state` makes."""

    def __init__(
        self, new_state: NewState, think: Think, output: TextIO, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._new_state, self._think, self._output, self._clock = new_state, think, output, clock
        self.limits = Limits()
        self.board: Board | None = None
        self.stones: dict[int, int] = {}
        """Whose stone is on which cell's action, in the order in which they came."""
        self._state: Any = None
        """The stones as a state; None: to be put together from them."""
        self._inbox = Inbox(self._heard, clock)
        self._ended = False
        self._received = self._answered = 0.0
        """When the command came that is being obeyed, and when the one before it was answered."""

    def run(self, lines: Iterable[str]) -> None:
        """Obey a manager's lines until END, or until there are no more."""
        self._inbox.listen(lines)
        with contextlib.suppress(GoneError, BrokenPipeError):
            while True:
                came, line = self._inbox.next()
                self._received = max(came, self._answered)  # whoever did not wait for an answer waits for the next
                self._obey(line)

    def _heard(self, line: str) -> bool:
        """END is obeyed at once, also while the brain thinks."""
        if line.upper() == "END":
            self._ended = True
            self._inbox.left.set()
        return self._ended

    def _stopped(self) -> bool:
        return self._ended

    def _say(self, line: str) -> None:
        self._output.write(" ".join(line.split()) + "\n")  # one line, whatever it quotes
        self._output.flush()
        self._answered = self._clock()

    def _obey(self, line: str) -> None:
        name, rest = [*line.split(maxsplit=1), "", ""][:2]
        if not name:
            return
        command = _COMMANDS.get(name.upper())
        if command is None:
            self._say(f"UNKNOWN command {name[:40]}")
            return
        before = self.stones.copy()
        try:
            command(self, rest)
        except PonderosaError as error:
            self.stones, self._state = before, None
            self._say(f"ERROR {error}")

    def _about(self, text: str) -> None:
        self._say(
            f'name="Ponderosa", version="{version("ponderosa")}", author="The Ponderosa authors", country="World"'
        )

    def _info(self, text: str) -> None:
        key, _, value = text.partition(" ")
        before = self.limits.rule
        with contextlib.suppress(RefusedError):  # nobody listens for an answer to INFO
            self.limits.hear(key.lower(), whole_numbers(value, 1)[0])
        if key.lower() == "max_memory" and self.limits.too_little_memory:
            self._say(f"MESSAGE max_memory is less than the {INTERPRETER_BYTES // 2**20} MB that Python and NumPy take")
        if self.board is not None and self.limits.rule != before:
            self._state = None if self.stones else self._empty()

    def _start(self, text: str) -> None:
        size = whole_numbers(text, 1)[0]
        self._new_board(Board(size, size))

    def _start_rectangle(self, text: str) -> None:
        columns, rows = whole_numbers(text, 2)
        self._new_board(Board(rows, columns))

    def _new_board(self, board: Board) -> None:
        if min(board) < FIVE:
            raise RefusedError(f"no side of the board may be shorter than {FIVE}")
        before, self.board = self.board, board
        try:
            self._clear()
        except PonderosaError:
            self.board = before
            raise
        self._say("OK")

    def _restart(self, text: str) -> None:
        self._clear()
        self._say("OK")

    def _clear(self) -> None:
        self.stones, self._state = {}, self._empty()
        self.limits.new_match()

    def _empty(self) -> Any:
        board = self._the_board()
        return self._new_state(board.rows, board.columns, bool(self.limits.rule & EXACT))

    def _begin(self, text: str) -> None:
        self._the_board()
        if self.stones:
            raise RefusedError("BEGIN is for an empty board; RESTART clears it")
        self._say(self._move())

    def _turn(self, text: str) -> None:
        self._place(self._the_board().read(text), OTHER)
        self._say(self._move())

    def _play(self, text: str) -> None:
        action = self._the_board().read(text)
        self._place(action, OWN)
        self._say(self._the_board().cell(action))

    def _take_back(self, text: str) -> None:
        action = self._the_board().read(text)
        if action not in self.stones:
            raise RefusedError(f"there is no stone on {text}")
        del self.stones[action]
        self._state = None
        self._say("OK")

    def _set_board(self, text: str) -> None:
        lines = self._lines_until_done()
        board = self._the_board()
        self._lay_out([_stone(board, line) for line in lines])
        self._say(self._move())

    def _swap2(self, text: str) -> None:
        """The opening in which the second player may choose the colour: the first stone is black, white moves next."""
        lines = self._lines_until_done()
        board = self._the_board()
        actions = [board.read(",".join(line.split(",")[:2])) for line in lines]
        if not actions:
            self._say(" ".join(board.cell(action) for action in opening(board)))
            return
        if len(actions) not in (3, 5):
            raise RefusedError(f"SWAP2BOARD has 0, 3 or 5 stones, not {len(actions)}")
        self._lay_out([(action, OWN if place % 2 else OTHER) for place, action in enumerate(actions)])
        thought = self._thought()
        if thought.value is not None and thought.value < 0.5:  # the player to move is white
            self._lay_out([(action, OTHER if place % 2 else OWN) for place, action in enumerate(actions)])
            self._say("SWAP")
        else:
            self._place(thought.action, OWN)
            self._say(board.cell(thought.action))

    def _lines_until_done(self) -> list[str]:
        lines = []
        while (line := self._inbox.next()[1]).upper() != "DONE":
            lines += [line] if line else []
        return lines

    def _the_board(self) -> Board:
        if self.board is None:
            raise RefusedError("there is no board yet: START comes first")
        return self.board

    def _lay_out(self, stones: Iterable[tuple[int, int]]) -> None:
        """A new position, whatever there was."""
        self.stones, self._state = {}, None
        for action, owner in stones:
            self._place(action, owner)

    def _place(self, action: int, owner: int) -> None:
        if action in self.stones:
            raise RefusedError(f"there is a stone on {self._the_board().cell(action)} already")
        in_turn = not self.stones or next(reversed(self.stones.values())) != owner
        self.stones[action] = owner
        if self._state is not None and in_turn and not self._state.is_terminal():
            self._state.apply_action(action)
        else:
            self._state = None

    def _move(self) -> str:
        """Think, place the stone, and say where."""
        action = self._thought().action
        self._place(action, OWN)
        return self._the_board().cell(action)

    def _thought(self) -> Thought:
        state = self._position()
        if self._ended:
            raise GoneError
        used = self._clock() - self._received
        seconds, most = self.limits.seconds(used), self.limits.most_seconds(used)
        thought = self._think(state, seconds, self.limits.max_nodes(), self._stopped, most_seconds=most)
        self.limits.spend(self._clock() - self._received)
        if self._ended:  # nothing may be said after END
            raise GoneError
        if thought.note:
            self._say(f"MESSAGE {thought.note}")
        return thought

    def _position(self) -> Any:
        """The state in which the brain is to move."""
        if self.limits.rule not in (0, EXACT):
            raise RefusedError(f"rule {self.limits.rule} is not known here: 0 is freestyle, {EXACT} exactly five")
        if self._state is None:
            self._state = arranged(self._empty(), self.stones)
        if self._state.is_terminal():
            raise RefusedError("the game is over")
        return self._state


def _stone(board: Board, line: str) -> tuple[int, int]:
    """A line of BOARD as an action and its owner."""
    x, y, owner = whole_numbers(line, 3)
    if owner not in (OWN, OTHER):
        raise RefusedError(f"{line}: a stone is {OWN}, mine, or {OTHER}, the opponent's; no game goes on after a five")
    return board.action(x, y), owner


def arranged(empty: Any, stones: dict[int, int]) -> Any:
    """A state with these stones and the brain to move, reached by turns and without a five on the way.

    Which order the stones had does not matter, but with the rule EXACT a line of six must not have been a five before:
    where an order gets stuck, the stones that were left over come first in the next one.
    """
    own, other = ([action for action, owner in stones.items() if owner == side] for side in (OWN, OTHER))
    if len(other) - len(own) not in (0, 1):
        raise RefusedError(f"it cannot be my turn with {len(own)} stones of mine and {len(other)} of the opponent's")
    order = [other, own] if len(other) > len(own) else [own, other]
    for _ in range(ATTEMPTS):
        state, waiting = empty.clone(), [list(side) for side in order]
        while waiting[state.current_player()]:
            player = state.current_player()
            after = _first_that_goes_on(state, waiting[player])
            if after is None:
                break
            state = after
            waiting[player].remove(state.history()[-1])
        else:
            return state
        order[player] = waiting[player] + [action for action in order[player] if action not in waiting[player]]
    raise RefusedError("the game is over: somebody has five in a row, or the board is full")


def _first_that_goes_on(state: Any, actions: list[int]) -> Any:
    """The state after the first of the actions that does not end the game, if there is one."""
    return next((after for action in actions if not (after := state.child(action)).is_terminal()), None)


def opening(board: Board) -> list[int]:
    """Three stones at the edge that favour nobody: on 15 x 15, 6 million positions of `strong` give white 0.51."""
    x = board.columns // 2
    return [board.action(x, 0), board.action(x + 1, 0), board.action(x + 2, 1)]


_COMMANDS: dict[str, Callable[[Brain, str], None]] = {
    "ABOUT": Brain._about,
    "BEGIN": Brain._begin,
    "BOARD": Brain._set_board,
    "INFO": Brain._info,
    "PLAY": Brain._play,
    "RECTSTART": Brain._start_rectangle,
    "RESTART": Brain._restart,
    "START": Brain._start,
    "SWAP2BOARD": Brain._swap2,
    "TAKEBACK": Brain._take_back,
    "TURN": Brain._turn,
}
