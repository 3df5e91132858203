"""Where the actions of a position are on its board, and which one touched cells mean. Start at layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ponderosa.core.game import Game
from ponderosa.core.state import State

Place = tuple[int, int]
"""Row and column of a cell, the top row first."""


@dataclass(frozen=True)
class Layout:
    """Where the actions of a position are on its board."""

    cells: Sequence[Sequence[str]]
    """What each cell shows."""
    clicks: dict[Place, int]
    """The action that a click on a cell means, by its place in the list of legal actions."""
    landings: dict[int, Place]
    """The cell in which an action is seen."""
    drops: bool
    """Whether stones fall: a click above means the same action."""
    paths: dict[int, tuple[Place, ...]] = field(default_factory=dict)
    """The cells that are touched in turn to mean an action, where pieces move."""

    def after(self, touched: tuple[Place, ...]) -> dict[int, tuple[Place, ...]]:
        """The paths that begin with these cells."""
        return {index: path for index, path in self.paths.items() if path[: len(touched)] == touched}

    def next_cells(self, touched: tuple[Place, ...]) -> set[Place]:
        """The cells that may be touched next."""
        return {path[len(touched)] for path in self.after(touched).values() if len(path) > len(touched)}


@dataclass(frozen=True)
class Touched:
    """The cells that somebody has touched so far to mean a move."""

    cells: tuple[Place, ...] = ()
    """In the order in which they were touched."""
    offered: tuple[int, ...] = ()
    """The actions that they can mean, to choose among; by their place in the list of legal ones."""


NOTHING = Touched()


def touch(found: Layout, touched: Touched, place: Place) -> Touched | int:
    """What is touched after one more cell; or the action that is meant, by its place in the list of legal ones.

    A cell that leads nowhere drops what was touched; one where another move begins takes its place. The last cell of a
    long way may be touched at once, and the one that a way may end in already, twice.
    """
    cells = touched.cells
    if cells and place == cells[-1] and not touched.offered:
        return _meant([index for index, path in found.after(cells).items() if path == cells], NOTHING)
    if place in found.next_cells(cells):
        cells = (*cells, place)
        ways = found.after(cells)
        return _meant([*ways], Touched(cells)) if all(path == cells for path in ways.values()) else Touched(cells)
    ends = [index for index, path in found.after(cells).items() if path[-1] == place] if cells else []
    if ends:
        return _meant(ends, Touched((*cells, place)))
    return touch(found, NOTHING, place) if cells else NOTHING


def _meant(actions: list[int], touched: Touched) -> Touched | int:
    """The only action; or what is touched, with a choice among several."""
    if len(actions) == 1:
        return actions[0]
    return Touched(touched.cells, tuple(actions))


def choices(state: State) -> list[Any]:
    """What whoever looks may do, or, with everything in sight, what may happen; on the others' turns nothing."""
    return [] if state.viewer is not None and state.to_move() != state.viewer else state.legal_actions()


def layout(state: State) -> Layout | None:
    """Where the actions are; None when the game has no board."""
    game: Game = state.game
    cells = game.cells(state.record)
    if cells is None:
        return None
    listed = choices(state)
    paths = _paths(state, listed, cells)
    if paths:
        return Layout(cells, {}, {index: path[-1] for index, path in paths.items()}, False, paths)
    actions = {action: index for index, action in enumerate(listed)}
    meant = game.cell_actions(state.record) or []
    places: dict[int, list[Place]] = {}
    for row, row_actions in enumerate(meant):
        for column, action in enumerate(row_actions):
            if action is not None and action in actions:
                places.setdefault(actions[action], []).append((row, column))
    clicks = {place: index for index, found in places.items() for place in found}
    landings = {
        index: found[0] if len(found) == 1 else _landing(state, listed[index], cells, found)
        for index, found in places.items()
    }
    return Layout(cells, clicks, landings, _drops(cells, meant))


def _paths(state: State, listed: list[Any], cells: Sequence[Sequence[str]]) -> dict[int, tuple[Place, ...]]:
    """The cells of every action that has some, all of them on the board."""
    found = {}
    for index, action in enumerate(listed):
        path = tuple((int(row), int(column)) for row, column in state.game.action_cells(state.record, action))
        if path and all(0 <= row < len(cells) and 0 <= column < len(cells[row]) for row, column in path):
            found[index] = path
    return found


def _drops(cells: Sequence[Sequence[str]], meant: Sequence[Sequence[Any]]) -> bool:
    """Whether all cells of a column mean one action, which a block of equal cells may do by chance."""
    columns = max(map(len, meant), default=0)
    whole = [
        [row_actions[column] for row_actions in meant if len(row_actions) > column and row_actions[column] is not None]
        for column in range(columns)
    ]
    if len(meant) < 2 or not any(whole) or any(found and len({*found}) > 1 for found in whole):
        return False
    if any(found and len(found) < len(meant) for found in whole):
        return False
    return not all(cells[0][column] and len({row[column] for row in cells}) == 1 for column in range(columns))


def _landing(state: State, action: Any, cells: Sequence[Sequence[str]], found: list[Place]) -> Place:
    """The cell that an action changes, among those whose click means it."""
    after = state.game.cells(state.child(action).record) or cells
    return next((place for place in found if cell_at(after, place) != cell_at(cells, place)), found[-1])


def cell_at(cells: Sequence[Sequence[str]], place: Place) -> str:
    """What a cell shows."""
    return cells[place[0]][place[1]]


def changed_cells(before: State | None, after: State) -> list[Place]:
    """The cells in which the texts of two positions differ."""
    if before is None:
        return []
    old, new = before.game.cells(before.record), after.game.cells(after.record)
    if old is None or new is None:
        return []
    return [
        (row, column)
        for row, texts in enumerate(new)
        for column, text in enumerate(texts)
        if row >= len(old) or column >= len(old[row]) or old[row][column] != text
    ]


def last_cells(before: State | None, after: State) -> list[Place]:
    """Where the last move was made: its own cells where it has some, else all that have changed."""
    changed = changed_cells(before, after)
    past = after.history()
    if before is None or len(changed) < 2 or len(past) != len(before.history()) + 1 or past[-1] not in choices(before):
        return changed
    found, index = layout(before), choices(before).index(past[-1])
    if found is not None and index in found.paths:
        path = found.paths[index]
        return [*dict.fromkeys((path[0], path[-1]))]
    if found is not None and index in found.landings:
        place = found.landings[index]
        return [place] if cell_at(found.cells, place) == "" else []
    return changed
