"""A position as a picture: SVG from the game's cells, or its text with a button an action. Start at draw_position.

Every text from a game is escaped here. Whoever shows the picture listens for clicks on elements with data-action, the
place of an action in the list of legal ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ponderosa.core.game import Game
from ponderosa.core.notation import read_action
from ponderosa.core.state import State
from ponderosa.errors import PonderosaError
from ponderosa.mcts.report.report import ActionReport, Report

UNIT = 48
"""The side of a cell."""
EDGE = 24
"""Room for labels."""
SMALL_BOARD = 5
"""On boards of at most this many rows and columns, marks are drawn as letters and not as stones."""
PROVEN_SIGNS = {"win": "✓", "draw": "=", "loss": "✗"}

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


@dataclass(frozen=True)
class Shown:
    """What is drawn over the bare position."""

    report: Report | None = None
    """What was thought of it, written into the cells."""
    line: tuple[str, ...] = ()
    """Moves to draw ahead, as people write them."""
    hint: str | None = None
    """A move to point at."""
    clickable: bool = False
    """Whether somebody may move."""
    falls: bool = False
    """Whether the last stone is seen falling, where stones fall."""


def choices(state: State) -> list[Any]:
    """What whoever looks may do, or, with everything in sight, what may happen; on the others' turns nothing."""
    return [] if state.viewer is not None and state.to_move() != state.viewer else state.legal_actions()


def layout(state: State) -> Layout | None:
    """Where the actions are; None when the game has no board."""
    game: Game = state.game
    cells = game.cells(state.record)
    if cells is None:
        return None
    actions = {action: index for index, action in enumerate(choices(state))}
    meant = game.cell_actions(state.record) or []
    places: dict[int, list[Place]] = {}
    for row, row_actions in enumerate(meant):
        for column, action in enumerate(row_actions):
            if action is not None and action in actions:
                places.setdefault(actions[action], []).append((row, column))
    clicks = {place: index for index, found in places.items() for place in found}
    listed = list(actions)
    landings = {
        index: found[0] if len(found) == 1 else _landing(state, listed[index], cells, found)
        for index, found in places.items()
    }
    everywhere = [action for row_actions in meant for action in row_actions if action is not None]
    return Layout(cells, clicks, landings, len(set(everywhere)) < len(everywhere))


def _landing(state: State, action: Any, cells: Sequence[Sequence[str]], found: list[Place]) -> Place:
    """The cell that an action changes, among those whose click means it."""
    after = state.game.cells(state.child(action).record) or cells
    return next((place for place in found if _at(after, place) != _at(cells, place)), found[-1])


def _at(cells: Sequence[Sequence[str]], place: Place) -> str:
    return cells[place[0]][place[1]]


def changed_cells(before: State | None, after: State) -> list[Place]:
    """The cells in which two positions differ: where the last move was made."""
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


def draw_position(state: State, before: State | None, shown: Shown) -> str:
    """The position as HTML: a board if the game has one, and a button for every action without a cell."""
    found = layout(state)
    entries = _entries(state, shown.report)
    buttons = _buttons(state, found, entries, shown)
    if found is None:
        return f'<pre class="position" aria-label="position">{escape(str(state))}</pre>{buttons}'
    return _Drawing(state, found, entries, shown).svg(changed_cells(before, state)) + buttons


def draw_small(state: State) -> str:
    """A small picture without labels and numbers, for trees and lists; the game's text when it has no board."""
    found = layout(state)
    if found is None:
        return f'<pre class="small position">{escape(str(state))}</pre>'
    return _Drawing(state, found, {}, Shown()).svg([], small=True)


def _entries(state: State, report: Report | None) -> dict[int, ActionReport]:
    """What the report says of each legal action."""
    if report is None:
        return {}
    known = {entry.action: entry for entry in report.actions}
    return {index: known[action] for index, action in enumerate(choices(state)) if action in known}


def _buttons(state: State, found: Layout | None, entries: dict[int, ActionReport], shown: Shown) -> str:
    """A button for every action that no cell stands for."""
    placed = found.landings if found is not None else {}
    buttons = []
    for index, action in enumerate(choices(state)):
        if index in placed:
            continue
        name, entry = state.action_to_string(action), entries.get(index)
        words = f"<small>{escape(_words(entry))}</small>" if entry is not None else ""
        kind = "action hint" if name == shown.hint else "action"
        off = "" if shown.clickable else " disabled"
        data = f'data-action="{index}" data-move="{escape(name)}"'
        buttons.append(f'<button class="{kind}" {data}{off}>{escape(name)}{words}</button>')
    return f'<div class="actions">{"".join(buttons)}</div>' if buttons else ""


def _words(entry: ActionReport) -> str:
    """A move's report in a few words."""
    value = "not tried" if entry.value is None else f"{100 * entry.value:.0f} %"
    return f"{value}, {short(entry.visits)} visits" + (f", proven {entry.proven}" if entry.proven else "")


def short(number: float) -> str:
    """A count in few letters: 950, 1.2k, 31k, 4.5M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size * 0.9995:
            return f"{number / size:.1f}{letter}" if number < 9.95 * size else f"{number / size:.0f}{letter}"
    return f"{number:.0f}"


class _Drawing:
    """One board as SVG."""

    def __init__(self, state: State, found: Layout, entries: dict[int, ActionReport], shown: Shown) -> None:
        self.state, self.layout, self.entries, self.shown = state, found, entries, shown
        self.game: Game = state.game
        self.rows = len(found.cells)
        self.columns = max((len(row) for row in found.cells), default=0)
        self.marks = {self.game.player_name(player): player for player in range(self.game.players)}
        self.mover = state.to_move()
        self.names = [state.action_to_string(action) for action in choices(state)]
        self.letters = max(self.rows, self.columns) <= SMALL_BOARD
        self.landed = {place: index for index, place in found.landings.items()}
        self.ahead = self._ahead()
        self.small = False
        self.most = max((entry.visits for entry in entries.values()), default=0)

    def svg(self, last: list[Place], small: bool = False) -> str:
        """The whole picture."""
        self.small = small
        won = set(self.game.winning_cells(self.state.record))
        edge = 4 if small else EDGE
        width, height = self.columns * UNIT + 2 * edge, self.rows * UNIT + 2 * edge
        inner = "".join(
            self._cell((row, column), last, won, edge)
            for row, texts in enumerate(self.layout.cells)
            for column in range(len(texts))
        )
        kind = f"board{' small' if small else ''}{' drops' if self.layout.drops else ''}"
        labels = "" if small else self._labels()
        words = 'aria-hidden="true"' if small else f'role="group" aria-label="board of {escape(self.game.title())}"'
        return (
            f'<svg class="{kind}" viewBox="0 0 {width} {height}" {words} xmlns="http://www.w3.org/2000/svg">'
            f'<rect class="ground" x="{edge - 4}" y="{edge - 4}" width="{self.columns * UNIT + 8}" '
            f'height="{self.rows * UNIT + 8}" rx="8"/>{inner}{labels}</svg>'
        )

    def _cell(self, place: Place, last: list[Place], won: set[Place], edge: int) -> str:
        row, column = place
        text = _at(self.layout.cells, place)
        action = self.layout.clicks.get(place)
        landing = self.landed.get(place)
        kinds = ["cell"]
        if self.shown.clickable and action is not None:
            kinds.append("legal")
        kinds += [kind for kind, found in (("last", place in last), ("won", place in won)) if found]
        if landing is not None:
            kinds.append("landing")
            if self.names[landing] == self.shown.hint:
                kinds.append("hint")
        x, y = edge + column * UNIT, edge + row * UNIT
        return (
            f'<g class="{" ".join(kinds)}" transform="translate({x} {y})"{self._words(place, action)}>'
            f'<rect class="square" width="{UNIT}" height="{UNIT}"/>'
            f"{self._inside(place, text, landing, place in last)}</g>"
        )

    def _words(self, place: Place, action: int | None) -> str:
        """What a cell tells a screen reader and the click handler."""
        if self.small:
            return ""
        text = _at(self.layout.cells, place)
        label = f"{self._place_name(place)}: {text or 'empty'}"
        if action is None:
            return f' role="img" aria-label="{escape(label)}"'
        entry = self.entries.get(action)
        label += f", {_words(entry)}" if entry is not None and place in self.landed else ""
        data = f' data-action="{action}" data-move="{escape(self.names[action])}"'
        if not self.shown.clickable:
            return f' role="img" aria-label="{escape(label)}"{data}'
        focus = "0" if place == min(self.layout.clicks) else "-1"
        label = f"play {self.names[action]}, {label}"
        return f' role="button" tabindex="{focus}" aria-label="{escape(label)}"{data}'

    def _place_name(self, place: Place) -> str:
        rows, columns = self.game.row_labels(), self.game.column_labels()
        if rows and columns:
            return f"{columns[place[1]]}{rows[place[0]]}"
        column = columns[place[1]] if columns else str(place[1] + 1)
        return f"column {column}, row {rows[place[0]] if rows else place[0] + 1}"

    def _inside(self, place: Place, text: str, landing: int | None, is_last: bool) -> str:
        entry = self.entries.get(landing) if landing is not None else None
        thought = self._thought(entry) if entry is not None and entry.value is not None else ""
        if text:
            return self._mark(text, place, is_last) + thought
        drawn = f'<circle class="hole" cx="{UNIT / 2}" cy="{UNIT / 2}" r="{0.4 * UNIT}"/>' if self.layout.drops else ""
        if place in self.ahead:
            return drawn + self._future(*self.ahead[place])
        return drawn if landing is None else drawn + thought + self._ghost()

    def _mark(self, text: str, place: Place, is_last: bool) -> str:
        middle, player = UNIT / 2, self.marks.get(text)
        if player is None or self.letters:
            kind = "" if player is None else f" p{player}"
            size = 0.7 * UNIT if len(text) == 1 else min(0.5 * UNIT, 1.3 * UNIT / len(text))
            return f'<text class="mark{kind}" x="{middle}" y="{middle}" font-size="{size:.1f}">{escape(text)}</text>'
        falls = is_last and self.layout.drops and self.shown.falls
        kind, style = (" falls", f' style="--fall:{-(place[0] + 1) * UNIT}px"') if falls else ("", "")
        round_ = f'cx="{middle}" cy="{middle}" r="{0.4 * UNIT}"'
        stone = f'<circle class="stone p{player}{kind}" {round_}{style}/>'
        hole = f'<circle class="hole" {round_}/>' if falls else ""
        dot = f'<circle class="dot" cx="{middle}" cy="{middle}" r="{0.1 * UNIT}"/>' if is_last else ""
        return hole + stone + dot

    def _ghost(self) -> str:
        """The stone that a click would bring, seen under the pointer."""
        return f'<circle class="ghost p{self.mover}" cx="{UNIT / 2}" cy="{UNIT / 2}" r="{0.4 * UNIT}"/>'

    def _thought(self, entry: ActionReport) -> str:
        """Share of visits as shade, the most visited darkest; value and visits as numbers."""
        share = entry.visits / self.most if self.most else 0.0  # alpha-beta counts no visits
        kind = f"share {entry.proven}" if entry.proven else "share"
        value = f"{100 * (entry.value or 0.0):.0f}"
        sign = PROVEN_SIGNS.get(entry.proven or "", "")
        middle = UNIT / 2
        shape = (
            f'circle cx="{middle}" cy="{middle}" r="{0.4 * UNIT}"'
            if self.layout.drops
            else f'rect x="1.5" y="1.5" width="{UNIT - 3}" height="{UNIT - 3}" rx="6"'
        )
        return (
            f'<{shape} class="{kind}" style="--share:{0.06 + 0.8 * share:.3f}"/>'
            f'<text class="value" x="{middle}" y="{0.4 * UNIT:.1f}">{sign}{value}</text>'
            f'<text class="visits" x="{middle}" y="{0.74 * UNIT:.1f}">{short(entry.visits)}</text>'
        )

    def _future(self, number: int, player: int) -> str:
        middle = UNIT / 2
        return (
            f'<circle class="stone future p{player}" cx="{middle}" cy="{middle}" r="{0.4 * UNIT}"/>'
            f'<text class="number" x="{middle}" y="{middle}">{number}</text>'
        )

    def _ahead(self) -> dict[Place, tuple[int, int]]:
        """The cells of the moves that are drawn ahead, with their number and player."""
        places: dict[Place, tuple[int, int]] = {}
        state = self.state
        for number, name in enumerate(self.shown.line, start=1):
            try:
                after = state.child(read_action(self.game, name, state))
            except PonderosaError:
                break
            for place in changed_cells(state, after):
                places.setdefault(place, (number, state.to_move()))
            state = after
        return places

    def _labels(self) -> str:
        middle = UNIT / 2
        sides = [
            f'<text class="label" x="{EDGE / 2 - 2}" y="{EDGE + row * UNIT + middle}">{escape(label)}</text>'
            for row, label in enumerate(self.game.row_labels())
        ]
        below = [
            f'<text class="label" x="{EDGE + column * UNIT + middle}" y="{EDGE + self.rows * UNIT + EDGE / 2 + 2}">'
            f"{escape(label)}</text>"
            for column, label in enumerate(self.game.column_labels())
        ]
        return "".join(sides + below)
