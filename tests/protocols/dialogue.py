"""Dialogues with a brain, in this process. Start at dialogue."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable
from typing import Any

from ponderosa.games.connect import Connect
from ponderosa.protocols.gomocup import Board, Brain, Thought


@functools.cache
def game(rows: int, columns: int, exact: bool) -> Connect:
    return Connect(rows, columns, exact=exact)


def new_state(rows: int, columns: int, exact: bool) -> Any:
    return game(rows, columns, exact).new_initial_state()


class Player:
    """Plays the cells that it is given, then the first free one from the top left; remembers what it was asked."""

    def __init__(self, *cells: str, value: float | None = None, note: str = "") -> None:
        self.cells, self.value, self.note = list(cells), value, note
        self.states: list[Any] = []
        self.seconds: list[float] = []
        self.most: list[float] = []
        self.nodes: list[int | None] = []

    def __call__(
        self, state: Any, seconds: float, max_nodes: int | None, should_stop: Callable[[], bool], *, most_seconds: float
    ) -> Thought:
        self.most.append(most_seconds)
        self.states.append(state.clone())
        self.seconds.append(seconds)
        self.nodes.append(max_nodes)
        board = Board(state.game.m, state.game.n)
        if self.cells:
            return Thought(board.read(self.cells.pop(0)), self.value, self.note)
        first = min(state.legal_actions(), key=lambda action: (-(action // board.columns), action % board.columns))
        return Thought(first, self.value, self.note)


class Clock:
    """Shows what it is set to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def dialogue(*lines: str, think: Any = None, clock: Any = None, empty: Any = new_state) -> list[str]:
    """The brain's answers to lines."""
    output = io.StringIO()
    Brain(empty, think or Player(), output, clock or Clock()).run(lines)
    return output.getvalue().splitlines()


def started(*lines: str, **options: Any) -> list[str]:
    """The answers to lines after a start on six rows of seven columns."""
    first, *answers = dialogue("RECTSTART 7,6", *lines, **options)
    assert first == "OK"
    return answers
