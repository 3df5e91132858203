"""A position as a picture: SVG from the game's cells, or its text with a button an action. Start at draw_position.

Every text from a game is escaped here, and every colour checked. Whoever shows the picture listens for clicks on
elements with data-action, the place of an action in the list of legal ones, and data-cell, the number of a cell that is
touched to mean a move of a piece (places.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ponderosa.core.cell import BOARDS
from ponderosa.core.game import Game
from ponderosa.core.notation import read_action
from ponderosa.core.state import State
from ponderosa.errors import PonderosaError, SettingError
from ponderosa.mcts.report.report import ActionReport, Report
from ponderosa.pictures.arrows import draw_arrow
from ponderosa.pictures.colours import checked, stone_colours
from ponderosa.pictures.grounds import Crossings, Hexagons, ground_of
from ponderosa.pictures.inside import DISC, MIDDLE, disc, draw_content, draw_prior, draw_thought, short
from ponderosa.pictures.own import picture_address
from ponderosa.pictures.places import (
    NOTHING,
    Layout,
    Place,
    Touched,
    cell_at,
    changed_cells,
    choices,
    last_cells,
    layout,
)

__all__ = ["Shown", "changed_cells", "draw_position", "draw_small", "layout", "short"]

SMALL_BOARD = 5
"""On plain boards of at most this many rows and columns, marks are drawn as letters and not as stones."""
CLEAR = ' style="fill-opacity:0;stroke:none"'
WRONG = (
    f'<circle class="wrong" cx="{MIDDLE:g}" cy="{MIDDLE:g}" r="{DISC - 3:g}"/>'
    f'<text class="mark wrong" x="{MIDDLE:g}" y="{MIDDLE:g}" font-size="{DISC:g}">✗</text>'
)
"""A move that is warned of."""
WIDE = 10
"""On boards of more columns than this, a finger aims before it plays: static/page.js."""
MANY = 24
"""Among more moves that were thought of than this, all but the best are drawn faintly."""
MOST_ARROWS = 5
"""How many moves of pieces that were thought of are drawn."""


@dataclass(frozen=True)
class Shown:
    """What is drawn over the bare position."""

    report: Report | None = None
    """What was thought of it, written into the cells."""
    line: tuple[str, ...] = ()
    """Moves to draw ahead, as people write them."""
    hint: str | None = None
    """A move to point at."""
    mistake: str | None = None
    """A move to warn of."""
    clickable: bool = False
    """Whether somebody may move."""
    falls: bool = False
    """Whether the last stone is seen falling, where stones fall."""
    touched: Touched = NOTHING
    """What somebody has touched so far to mean a move."""


def draw_position(state: State, before: State | None, shown: Shown) -> str:
    """The position as HTML: a board if the game has one, and a button for every action without a cell."""
    found = layout(state)
    entries = _entries(state, shown.report)
    buttons = _buttons(state, found, entries, shown)
    if found is None:
        return f'{_own(state)}<pre class="position" aria-label="position">{escape(str(state))}</pre>{buttons}'
    drawing = _Drawing(state, found, entries, shown)
    return drawing.svg(last_cells(before, state)) + _remarks(state) + _chooser(state, entries, shown) + buttons


def draw_small(state: State) -> str:
    """A small picture without labels and numbers, for trees and lists; the game's text when it has no board."""
    found = layout(state)
    if found is None:
        return _own(state, "small ") or f'<pre class="small position">{escape(str(state))}</pre>'
    return _Drawing(state, found, {}, Shown(), small=True).svg([])


def _own(state: State, kind: str = "") -> str:
    """The game's own picture, above its text; nothing where it has none."""
    address = picture_address(state)
    return "" if address is None else f'<img class="{kind}own" alt="" src="{address}"/>'


def _remarks(state: State) -> str:
    """What is said of the position, below its board."""
    said = state.game.remarks(state.record)
    return f'<p class="remarks">{" · ".join(map(escape, said))}</p>' if said else ""


def _entries(state: State, report: Report | None) -> dict[int, ActionReport]:
    """What the report says of each legal action."""
    if report is None:
        return {}
    known = {entry.action: entry for entry in report.actions}
    return {index: known[action] for index, action in enumerate(choices(state)) if action in known}


def _buttons(state: State, found: Layout | None, entries: dict[int, ActionReport], shown: Shown) -> str:
    """A button for every action that no cell stands for."""
    placed = found.landings if found is not None else {}
    buttons = "".join(
        _button(state, index, entries.get(index), shown) for index in range(len(choices(state))) if index not in placed
    )
    return f'<div class="actions">{buttons}</div>' if buttons else ""


def _button(state: State, index: int, entry: ActionReport | None, shown: Shown) -> str:
    name = state.action_to_string(choices(state)[index])
    words = f"<small>{escape(_words(entry))}</small>" if entry is not None else ""
    kind = "action hint" if name == shown.hint else "action mistake" if name == shown.mistake else "action"
    off = "" if shown.clickable else " disabled"
    data = f'data-action="{index}" data-move="{escape(name)}"'
    return f'<button class="{kind}" {data}{off}>{escape(name)}{words}</button>'


def _chooser(state: State, entries: dict[int, ActionReport], shown: Shown) -> str:
    """The actions that the touched cells can mean, to choose among."""
    if not shown.touched.offered or not shown.clickable:
        return ""
    known = range(len(choices(state)))
    buttons = "".join(
        _button(state, index, entries.get(index), shown) for index in shown.touched.offered if index in known
    )
    return f'<div class="actions chooser" role="dialog" aria-label="which move">{buttons}</div>'


def _words(entry: ActionReport) -> str:
    """A move's report in a few words."""
    if entry.value is None and entry.prior is not None and not entry.visits:
        return f"{100 * entry.prior:.1f} % before any search"
    value = "not tried" if entry.value is None else f"{100 * entry.value:.0f} %"
    return f"{value}, {short(entry.visits)} visits" + (f", proven {entry.proven}" if entry.proven else "")


class _Drawing:
    """One board as SVG."""

    def __init__(
        self, state: State, found: Layout, entries: dict[int, ActionReport], shown: Shown, small: bool = False
    ) -> None:
        self.state, self.layout, self.entries, self.shown, self.small = state, found, entries, shown, small
        self.game: Game = state.game
        if self.game.board not in BOARDS:
            raise SettingError(
                f"the board of {self.game.title()} must be one of {', '.join(BOARDS)}, not {self.game.board!r}"
            )
        rows, columns = len(found.cells), max((len(row) for row in found.cells), default=0)
        self.own = picture_address(state)
        self.colours = stone_colours(self.game, found.drops)
        painted = bool(self.game.colours) or any(getattr(text, "stone", None) for row in found.cells for text in row)
        self.ground = ground_of(self.game.board, rows, columns, small, found.drops, painted)
        self.marks = {self.game.player_name(player): player for player in range(self.game.players)}
        self.mover = state.to_move()
        self.actions = choices(state)
        self.names = [state.action_to_string(action) for action in self.actions]
        self.letters = max(rows, columns) <= SMALL_BOARD and not self.colours
        self.landed = {} if found.paths else {place: index for index, place in found.landings.items()}
        self.best = None if shown.report is None else shown.report.best_action
        self.most = max((entry.visits for entry in entries.values()), default=0)
        tried = any(entry.value is not None for entry in entries.values())
        self.liked = 0.0 if tried else max((entry.prior or 0.0 for entry in entries.values()), default=0.0)
        """The largest prior, where nothing has been searched."""
        self.aims = (
            found.next_cells(shown.touched.cells) if shown.touched.cells and not shown.touched.offered else set()
        )
        self.starts = found.next_cells(()) if shown.clickable else set()
        self.steps, self.ahead = self._ahead()

    def svg(self, last: list[Place]) -> str:
        """The whole picture."""
        won = set(self.game.winning_cells(self.state.record))
        width, height = self.ground.size
        inner = "".join(
            self._cell((row, column), last, won)
            for row, texts in enumerate(self.layout.cells)
            for column in range(len(texts))
        )
        kinds = [
            "board",
            self.game.board,
            *(["small"] if self.small else []),
            *(["drops"] if self.layout.drops else []),
        ]
        kinds += ["wide"] if self.ground.columns > WIDE and not (self.small or self.layout.drops) else []
        kinds += ["holding"] if self.shown.touched.cells else []
        kinds += ["many"] if len(self.entries) > MANY else []
        labels = "" if self.small else self.ground.labels(self.game.row_labels(), self.game.column_labels())
        name = escape(self.game.people_call_it())
        words = 'aria-hidden="true"' if self.small else f'role="group" aria-label="board of {name}"'
        edges = self.colours if self.game.players == 2 else ()
        below = self.ground.below(edges) if self.own is None else self._own_ground()
        return (
            f'<svg class="{" ".join(kinds)}" viewBox="0 0 {width:g} {height:g}" {words} '
            f'xmlns="http://www.w3.org/2000/svg">{below}{inner}{labels}{self._arrows()}</svg>'
        )

    def _own_ground(self) -> str:
        """The game's own picture, stretched over the board."""
        (x, y), (width, height) = (self.ground.edge, self.ground.edge), self.ground.size
        size = f'x="{x:g}" y="{y:g}" width="{width - 2 * x:g}" height="{height - 2 * y:g}"'
        return f'<image {size} preserveAspectRatio="none" href="{self.own}"/>'

    def _cell(self, place: Place, last: list[Place], won: set[Place]) -> str:
        text = cell_at(self.layout.cells, place)
        fill = checked(getattr(text, "fill", None))
        own = fill or self.ground.colour(*place)
        x, y = self.ground.corner(*place)
        if self.own is not None:
            own = fill = None
        style = f' style="fill:{own}{";stroke:rgba(0,0,0,.3)" if fill else ""}"' if own else ""
        square = self.ground.shape("square", style if self.own is None else CLEAR)
        if fill and isinstance(self.ground, Crossings):
            square = f'<circle class="fill" cx="{MIDDLE:g}" cy="{MIDDLE:g}" r="{DISC:g}" style="fill:{fill}"/>' + square
        tint = "" if self.small else self.ground.shape("tint")
        inside = self._inside(place, text, own, place in last, place in won)
        kinds = [*self._kinds(place, last, won), *(["painted"] if fill else [])]
        return (
            f'<g class="{" ".join(kinds)}" transform="translate({x:g} {y:g})"'
            f"{self._told(place)}>{square}{tint}{inside}</g>"
        )

    def _kinds(self, place: Place, last: list[Place], won: set[Place]) -> list[str]:
        """The classes of a cell."""
        landing, touched = self.landed.get(place), self.shown.touched.cells
        hinted = next((path for index, path in self.layout.paths.items() if self.names[index] == self.shown.hint), ())
        facts = {
            "legal": self.shown.clickable and (place in self.layout.clicks or place in self.starts),
            "last": place in last,
            "won": place in won,
            "landing": landing is not None,
            "hint": place in hinted or (landing is not None and self.names[landing] == self.shown.hint),
            "held": place in touched,
            "aim": place in self.aims,
        }
        return ["cell", *(kind for kind, true in facts.items() if true)]

    def _told(self, place: Place) -> str:
        """What a cell tells a screen reader and the click handler."""
        if self.small:
            return ""
        action, text = self.layout.clicks.get(place), cell_at(self.layout.cells, place)
        what = self.game.people_call_player(self.marks[text]) if text in self.marks else text.strip()
        label = f"{self._place_name(place)}: {what or 'empty'}"
        number = place[0] * self.ground.columns + place[1]
        data = f' data-cell="{number}"' if self.layout.paths and self.shown.clickable else ""
        if place in self.starts or place in self.aims:
            what = "move to" if place in self.aims else "held, " if place in self.shown.touched.cells else "move"
            focus = "0" if place == min(self.starts) else "-1"
            return f' role="button" tabindex="{focus}" aria-label="{escape(f"{what} {label}")}"{data}'
        if action is None:
            return f' role="img" aria-label="{escape(label)}"{data}'
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
        if len(rows) > place[0] and len(columns) > place[1]:
            return f"{columns[place[1]]}{rows[place[0]]}"
        column = columns[place[1]] if len(columns) > place[1] else str(place[1] + 1)
        return f"column {column}, row {rows[place[0]] if len(rows) > place[0] else place[0] + 1}"

    def _inside(self, place: Place, text: str, ground: str | None, is_last: bool, won: bool) -> str:
        landing = self.landed.get(place)
        thought = self._thought(place, landing)
        hole = f'<circle class="hole" cx="{MIDDLE:g}" cy="{MIDDLE:g}" r="{DISC:g}"/>' if self.layout.drops else ""
        aim = f'<circle class="target" cx="{MIDDLE:g}" cy="{MIDDLE:g}" r="{0.14 * 2 * MIDDLE:.1f}"/>'
        aimed = aim if place in self.aims and not thought else ""
        if text.strip() and self.own is not None:
            return thought + aimed
        if text.strip():
            return hole + self._mark(text, place, ground, is_last, won) + thought + aimed
        if place in self.ahead:
            return hole + self._future(*self.ahead[place])
        ghost = disc(self._colour(self.mover), None, f"ghost p{self.mover}") if landing is not None else ""
        wrong = WRONG if landing is not None and self.names[landing] == self.shown.mistake else ""
        return hole + thought + aimed + ghost + wrong

    def _thought(self, place: Place, landing: int | None) -> str:
        """What is known of the move that ends here: of the best of those that the held piece may make."""
        if place in self.aims and not self.small:
            ways = self.layout.after(self.shown.touched.cells)
            at = len(self.shown.touched.cells)
            meant = [index for index, path in ways.items() if path[at : at + 1] == (place,)]
            known = [self.entries[index] for index in meant if index in self.entries]
            entry = max(known, key=lambda entry: (entry.visits, entry.prior or 0.0), default=None)
        else:
            entry = self.entries.get(landing) if landing is not None else None
        round_ = self.layout.drops or isinstance(self.ground, Crossings | Hexagons)
        if entry is not None and entry.prior is not None and self.liked:
            return draw_prior(entry.prior, self.liked, round_)
        if entry is None or entry.value is None:
            return ""
        return draw_thought(entry, self.most, entry.action == self.best, round_)

    def _mark(self, text: str, place: Place, ground: str | None, is_last: bool, won: bool) -> str:
        player = self.marks.get(text)
        falls = is_last and self.layout.drops and self.shown.falls
        stone = None if player is None or self.letters else disc(self._colour(player), ground, f"stone p{player}")
        drawn = draw_content(text, player, stone, ground)
        if falls:
            drawn = f'<g class="falls" style="--fall:{-(place[0] + 1) * 2 * MIDDLE:g}px">{drawn}</g>'
        if 'class="stone' not in drawn:
            return drawn
        is_last = is_last and "<text" not in drawn  # what is written on a stone is not written over
        ring = f'<circle class="ring" cx="{MIDDLE:g}" cy="{MIDDLE:g}" r="{DISC - 4:g}"/>' if won else ""
        dot = f'<circle class="dot" cx="{MIDDLE:g}" cy="{MIDDLE:g}" r="{0.25 * DISC:g}"/>' if is_last else ""
        return drawn + ring + dot

    def _colour(self, player: int | None) -> str | None:
        """The colour of a player's stones; None: the page's style says."""
        return self.colours[player] if player is not None and 0 <= player < len(self.colours) else None

    def _future(self, number: int, player: int) -> str:
        return (
            disc(self._colour(player), None, f"stone future p{player}")
            + f'<circle class="badge" cx="{MIDDLE:g}" cy="{MIDDLE:g}" r="{0.5 * DISC:g}"/>'
            + f'<text class="number" x="{MIDDLE:g}" y="{MIDDLE:g}">{number}</text>'
        )

    def _ahead(self) -> tuple[list[tuple[int, tuple[Place, ...]]], dict[Place, tuple[int, int]]]:
        """The moves that are drawn ahead: ways of pieces by number, and cells with their number and player."""
        steps: list[tuple[int, tuple[Place, ...]]] = []
        places: dict[Place, tuple[int, int]] = {}
        state = self.state
        for number, name in enumerate(self.shown.line, start=1):
            try:
                action = read_action(self.game, name, state)
                after = state.child(action)
            except PonderosaError:
                break
            path = tuple((int(row), int(column)) for row, column in self.game.action_cells(state.record, action))
            if len(path) > 1:
                steps.append((number, path))
            else:
                for place in last_cells(state, after):
                    places.setdefault(place, (number, state.to_move()))
            state = after
        return steps, places

    def _arrows(self) -> str:
        """The ways of pieces: those of the line that is pointed at, else of the moves that were thought of most."""
        if self.small:
            return ""
        wrong = self._wrong_arrow()
        if self.steps:
            return wrong + "".join(self._arrow(path, "future", str(number)) for number, path in self.steps)
        if wrong or self.shown.touched.cells or self.shown.line:
            return wrong
        known = [(index, entry) for index, entry in self.entries.items() if len(self.layout.paths.get(index, ())) > 1]
        known.sort(key=lambda pair: (pair[1].action != self.best, -self._weight(pair[1])))
        drawn = []
        for index, entry in known[:MOST_ARROWS]:
            share, number = self._weight(entry), entry.prior if self.liked else entry.value
            if number is not None and (share >= 0.05 or entry.action == self.best):
                kind = f"{entry.proven or ''} best" if entry.action == self.best else entry.proven or ""
                style = f"opacity:{0.35 + 0.55 * share:.2f}"
                drawn.append(self._arrow(self.layout.paths[index], kind, f"{100 * number:.0f}", style))
        return "".join(reversed(drawn))

    def _weight(self, entry: ActionReport) -> float:
        """How much was thought of a move, or, where nothing has been searched, how promising it is; at most one."""
        if self.liked:
            return (entry.prior or 0.0) / self.liked
        return entry.visits / self.most if self.most else 0.0

    def _wrong_arrow(self) -> str:
        """The way of a piece that is warned of."""
        ways = [path for index, path in self.layout.paths.items() if self.names[index] == self.shown.mistake]
        return "".join(self._arrow(path, "loss", "✗") for path in ways if len(path) > 1)

    def _arrow(self, path: Sequence[Place], kind: str, words: str, style: str = "") -> str:
        return draw_arrow([self.ground.middle(*place) for place in path], kind.strip(), words, style)
