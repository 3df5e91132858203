"""What every view has: the frame, links, boards to click, panels. Start at frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from nicegui import ui
from nicegui.events import GenericEventArguments

from ponderosa.core.state import State
from ponderosa.pictures.board import Shown, draw_position
from ponderosa.pictures.places import NOTHING, Touched, layout, touch
from ponderosa.pictures.style import STYLE

STATIC = Path(__file__).parents[1] / "static"
STATIC_URL = "/page-files"
BOARD_STYLE = f"{STATIC_URL}/board.css"
VIEWS = {
    "/": "Games",
    "/play": "Play",
    "/analysis": "Analysis",
    "/saved": "Saved games",
    "/arena": "Arena",
    "/lab": "Lab",
    "/learning": "Learning",
    "/docs": "Docs",
    "/api/docs": "API",
}

CLICK_ACTION = """(e) => {
    const board = e.target.closest('[data-ply]'), cell = e.target.closest('[data-action], [data-cell]');
    if (!board || (cell ? cell.disabled : !board.querySelector('.holding'))) return;
    emit(Number(cell?.dataset.action ?? -1), Number(cell?.dataset.cell ?? -1), Number(board.dataset.ply));
}"""


def frame(here: str, kind: str, title: str = "") -> ui.element:
    """The header, and the element that a view fills; its title is that of its place in the header, or another one."""
    title = title or VIEWS[here]
    name_page(title)
    stamp = int(max(file.stat().st_mtime for file in (*STATIC.iterdir(), STYLE)))
    ui.add_head_html(
        f'<link rel="stylesheet" href="{BOARD_STYLE}?{stamp}">'
        f'<link rel="stylesheet" href="{STATIC_URL}/page.css?{stamp}">'
        f'<script src="{STATIC_URL}/page.js?{stamp}" defer></script>'
    )
    ui.colors(primary="#1c7c7d")
    with ui.header().classes("top items-center no-wrap gap-4 py-2 px-4"):
        ui.label("Ponderosa").classes("brand")
        for path, name in VIEWS.items():
            ui.link(name, path).classes("here" if path == here else "")
        ui.space()
        icon_button("contrast", "Light or dark", lambda: ui.run_javascript("window.ponderosa.looks()"))
    filled = ui.element("div").classes(f"frame {kind}")
    with filled:
        ui.html(escape(title), sanitize=False, tag="h1").classes("unseen")
    return filled


def name_page(title: str) -> None:
    """Tell the browser, its tabs and its history what is shown."""
    ui.page_title(f"{title} · Ponderosa")


def link_to(path: str, **facts: str) -> str:
    """The address of a view with what it shows."""
    said = {key: value for key, value in facts.items() if value}
    return f"{path}?{urlencode(said)}" if said else path


def icon_button(icon: str, words: str, on_click: Callable[..., Any]) -> ui.button:
    """A small button with a picture; the words are its tooltip and its name for screen readers."""
    button = ui.button(icon=icon, on_click=on_click).props(f'flat round dense aria-label="{words}"')
    with button:
        ui.tooltip(words)
    return button


def panel(title: str) -> ui.element:
    """A box with a heading."""
    box = ui.element("section").classes("panel").props(f'aria-label="{title}"')
    with box:
        ui.html(title, sanitize=False, tag="h2")
    return box


class Html:
    """HTML of our own making that changes: sent only when it is different. Every text from outside is escaped in it."""

    def __init__(self, classes: str = "", tag: str = "div", **attributes: str) -> None:
        self.element = ui.html("", sanitize=False, tag=tag).classes(classes)
        for key, value in attributes.items():
            self.element.props(f'{key.replace("_", "-")}="{value}"')

    def show(self, content: str) -> None:
        """Show other content."""
        if self.element.content != content:
            self.element.set_content(content)


class Headline:
    """Above a board: whose turn it is, and which game it is; a touch on its name tells its rules."""

    def __init__(self) -> None:
        with ui.element("div").classes("headline"):
            self.status = Html("status", role="status", aria_live="polite")
            self._name = Html("rules")

    def tell(self, name: str, rules: str) -> None:
        """Say which game it is."""
        words = escape(name)
        self._name.show(f"<details><summary>{words}</summary><p>{escape(rules)}</p></details>" if rules else words)


class BoardPicture(Html):
    """A position that can be clicked, and whose pieces can be moved: from, to."""

    def __init__(self, on_action: Callable[[int, int], Any]) -> None:
        """`on_action` gets the place of the action among the legal ones, and the number of moves before it."""
        super().__init__("picture")
        self._on_action = on_action
        self._fallen = (0, "")
        self._position: tuple[int, State, State | None, Shown] | None = None
        self._touched: Touched = NOTHING
        self.element.on("click", lambda event: self._clicked(*_numbers(event, 3)), js_handler=CLICK_ACTION)

    def draw(self, ply: int, state: State, before: State | None, shown: Shown) -> None:
        """Show a position after this many moves.

        A stone falls once: after its move, and not again when numbers change around it. What somebody has touched of a
        move is forgotten in another position.
        """
        last = self._position
        if self._touched != NOTHING and (last is None or last[0] != ply or not _same_moves(last[1], state)):
            self._touched = NOTHING
        self._position = ply, state, before, shown
        shown = replace(shown, touched=self._touched)
        falling = f'<div data-ply="{ply}">{draw_position(state, before, replace(shown, falls=True))}</div>'
        if ply != self._fallen[0]:
            forward = ply == self._fallen[0] + 1
            self._fallen = (ply, falling if forward else "")
        still = falling == self._fallen[1]
        self.show(falling if still else f'<div data-ply="{ply}">{draw_position(state, before, shown)}</div>')

    def clear(self) -> None:
        """Show nothing."""
        self._position = None
        self.show("")

    def _clicked(self, index: int, cell: int, ply: int) -> None:
        """An action was clicked, or a cell, or, with neither, what was touched is dropped."""
        if index >= 0:
            self._on_action(index, ply)
            return
        if self._position is None or self._position[0] != ply or not self._position[3].clickable:
            return
        found = layout(self._position[1])
        if found is None or not found.paths:
            return
        columns = max(len(row) for row in found.cells)
        meant = touch(found, self._touched, divmod(cell, columns)) if cell >= 0 else NOTHING
        if isinstance(meant, int):
            self._touched = NOTHING
            self._on_action(meant, ply)
        elif meant != self._touched:
            self._touched = meant
        else:
            return
        self.draw(*self._position)

    def steer(self, by_arrows: bool) -> None:
        """Let the arrow keys play on this board, and neither scroll the page nor go from cell to cell."""
        if by_arrows != ("data-steered" in self.element.props):
            self.element.props("data-steered" if by_arrows else "", remove="" if by_arrows else "data-steered")


def _same_moves(one: State, other: State) -> bool:
    """Whether two positions look the same to whoever moves a piece."""
    return one is other or layout(one) == layout(other)


class Clickable(Html):
    """Content with places to click, each with a number in one of its data attributes."""

    def __init__(self, attribute: str, on_click: Callable[[int], Any], classes: str = "") -> None:
        super().__init__(classes)
        handler = f"""(e) => {{
            const found = e.target.closest('[data-{attribute}]');
            if (found) emit(Number(found.dataset.{attribute}));
        }}"""
        self.element.on("click", lambda event: on_click(*_numbers(event, 1)), js_handler=handler)


def _numbers(event: GenericEventArguments, count: int) -> list[int]:
    """What a click said, as whole numbers: a browser may send anything."""
    given = event.args if isinstance(event.args, list) else [event.args]
    numbers = [int(value) if isinstance(value, int | float) and abs(value) < 2**31 else -1 for value in given[:count]]
    return numbers + [-1] * (count - len(numbers))
