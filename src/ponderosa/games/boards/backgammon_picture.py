"""A backgammon board in text, in cells and as SVG. Start at picture.

Points have the numbers that the player to move gives them. White's home is at the lower right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ponderosa.compile.annotations import Record
from ponderosa.core.cell import Cell
from ponderosa.core.text import draw_cells
from ponderosa.games.boards.table import DIE, drawn_die

Place = tuple[int, int]
"""Row and column of a cell."""

OFF, POINTS, BAR = 0, 24, 25
PLACES = 26
ROWS, COLUMNS = 12, 14
STACK = 5
"""So many checkers are drawn one behind the other; the last of more has their number."""
BAR_COLUMN, TRAY_COLUMN = 6, 13
LETTERS = ("W", "B")
UNIT = 40
CHECKERS = (("#f6f0dd", "#8d7f5c", "#2b2b2b"), ("#38302b", "#0f0c0a", "#f6f0dd"))
"""Of each player: the colour of a checker, of its rim, and of the number on it."""
FRAME, FIELD, LIGHT, DARK, FAINT = "#5b3a21", "#2f6b4f", "#d9c08c", "#9c4a2f", "#e9dfc4"


def cell_of(player: int, place: int, depth: int) -> Place:
    """Where a player's checker is drawn, the first at a place having depth 0."""
    depth = min(depth, STACK - 1)
    if place in (OFF, BAR):
        column = BAR_COLUMN if place == BAR else TRAY_COLUMN
        row = STACK - 1 - depth if place == BAR else depth
        return (ROWS - 1 - row if player == 0 else row), column
    point = place if player == 0 else BAR - place
    if point > POINTS // 2:
        return depth, point - 13 + (point > 18)
    return ROWS - 1 - depth, 12 - point + (point < 7)


def cells_of_move(s: Record, player: int, place: int, target: int) -> list[Place]:
    """Where the checker lies that moves, and where it comes to lie."""
    there = 0 if target == OFF else int(s.count[player * PLACES + target])
    return [cell_of(player, place, int(s.count[player * PLACES + place]) - 1), cell_of(player, target, there)]


def cells(s: Record) -> list[list[Cell]]:
    """A letter for each checker, and the number of those that are behind it or off the board."""
    board = [[Cell(" " if row in (STACK, STACK + 1) else "") for _ in range(COLUMNS)] for row in range(ROWS)]
    for row in range(ROWS):
        board[row][BAR_COLUMN], board[row][TRAY_COLUMN] = Cell("|"), Cell(" ")
    for player, place, count in _stacks(s):
        last = min(count, STACK) - 1 if place != OFF else 0
        for depth in range(last + 1):
            row, column = cell_of(player, place, depth)
            number = str(count) if depth == last and (count > STACK or place == OFF) else ""
            board[row][column] = Cell(number + LETTERS[player])
    return board


def as_text(s: Record, names: Sequence[str]) -> str:
    """The board with the numbers of its points, and what is to be played."""
    upper, lower = ([""] * COLUMNS for _ in range(2))
    for point in range(1, POINTS + 1):
        line = upper if point > POINTS // 2 else lower
        line[cell_of(0, point, 0)[1]] = _number(s, point)
    upper[BAR_COLUMN] = lower[BAR_COLUMN] = "bar"
    upper[TRAY_COLUMN] = lower[TRAY_COLUMN] = "off"
    board = draw_cells(cells(s), column_labels=lower)
    above = " ".join(f"{label:>3}" for label in upper)
    return f"{above.rstrip()}\n{board}\n{_words(s, names)}"


def picture(s: Record) -> str:
    """The board as SVG; its cells are UNIT wide and high."""
    width, height = COLUMNS * UNIT, ROWS * UNIT
    parts = [f'<rect width="{width}" height="{height}" rx="6" fill="{FRAME}"/>']
    for left in (0, BAR_COLUMN + 1):
        parts.append(f'<rect x="{left * UNIT + 2}" y="2" width="{6 * UNIT - 4}" height="{height - 4}" fill="{FIELD}"/>')
    parts += [_triangle(s, point) for point in range(1, POINTS + 1)]
    for player, place, count in _stacks(s):
        parts += _tray(player, count) if place == OFF else _stack(player, place, count)
    parts += _dice(s)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">'
        f"{''.join(parts)}</svg>"
    )


def _stacks(s: Record) -> Iterator[tuple[int, int, int]]:
    """Player, place and number of checkers, of each place where there are any."""
    for player in range(2):
        for place in range(PLACES):
            if s.count[player * PLACES + place]:
                yield player, place, int(s.count[player * PLACES + place])


def _number(s: Record, point: int) -> str:
    """What the player to move calls White's point."""
    return str(point if s.player == 0 else BAR - point)


def _words(s: Record, names: Sequence[str]) -> str:
    left = [str(die) for die, times in zip(s.dice, s.left, strict=True) for _ in range(times)]
    pips = [sum(place * int(s.count[player * PLACES + place]) for place in range(1, PLACES)) for player in range(2)]
    to_go = ", ".join(f"{name} has {count} to go" for name, count in zip(names, pips, strict=True))
    return to_go + (f"; {names[s.player]} plays {' '.join(left)}" if left else "")


def _triangle(s: Record, point: int) -> str:
    """A point, and its number at the tip."""
    row, column = cell_of(0, point, 0)
    x, base, tip = column * UNIT, (row + (row > 0)) * UNIT, (STACK if row == 0 else ROWS - STACK) * UNIT
    fill, label = (LIGHT, DARK)[point % 2], tip + (11 if row == 0 else -11)
    return f'<path d="M{x + 2} {base}H{x + UNIT - 2}L{x + UNIT / 2:g} {tip}Z" fill="{fill}"/>' + _text(
        x + UNIT / 2, label, _number(s, point), 12, FAINT
    )


def _stack(player: int, place: int, count: int) -> list[str]:
    fill, rim, ink = CHECKERS[player]
    parts = []
    for depth in range(min(count, STACK)):
        row, column = cell_of(player, place, depth)
        x, y = (column + 0.5) * UNIT, (row + 0.5) * UNIT
        parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{UNIT / 2 - 2}" fill="{fill}" stroke="{rim}" stroke-width="2"/>'
        )
    if count > STACK:
        parts.append(_text(x, y, str(count), 17, ink))
    return parts


def _tray(player: int, count: int) -> list[str]:
    """What was borne off lies on edge."""
    fill, rim, _ = CHECKERS[player]
    x, step, thick = TRAY_COLUMN * UNIT + 5, STACK * UNIT / 15, 11
    starts = [index * step + 2 for index in range(count)]
    tops = [ROWS * UNIT - start - thick if player == 0 else start for start in starts]
    box = f'width="{UNIT - 10}" height="{thick}" rx="3" fill="{fill}" stroke="{rim}"'
    return [f'<rect x="{x}" y="{top:.1f}" {box}/>' for top in tops]


def _dice(s: Record) -> list[str]:
    """The dice in the half of the player to move; those that were used are faint."""
    if s.dice[0] == 0:
        return []
    double = s.dice[0] == s.dice[1]
    faces = [(s.dice[0], s.left[0] > index) for index in range(4)] if double else list(zip(s.dice, s.left, strict=True))
    size, gap = 36, 8
    x = (10 if s.player == 0 else 3) * UNIT - (len(faces) * (size + gap) - gap) / 2
    y = STACK * UNIT + UNIT - size / 2
    parts = []
    for index, (face, unused) in enumerate(faces):
        place = f"translate({x + index * (size + gap):g} {y - 4:g}) scale({size / DIE:.3f})"
        parts.append(f'<g transform="{place}" opacity="{1 if unused else 0.35}">{drawn_die(int(face))}</g>')
    return parts


def _text(x: float, y: float, text: str, size: int, ink: str) -> str:
    place = f'x="{x:g}" y="{y:g}" text-anchor="middle" dominant-baseline="central"'
    return f'<text {place} font-size="{size}" font-weight="600" fill="{ink}">{text}</text>'
