"""What lies under the cells: squares, light and dark ones, lines that cross, hexagons. Start at ground_of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ponderosa.pictures.colours import (
    CHEQUERS,
    FELT,
    FELT_LINE,
    HEXAGON,
    HEXAGON_LINE,
    LACQUER,
    WOOD,
    WOOD_LINE,
)

UNIT = 48
"""The side of a cell, and the width of a hexagon."""
EDGE = 24
"""Room for labels."""
LABEL_ROOM, SHORT = 34, 2
"""A label beside a row that has more letters than that has room for so many times its height."""
NARROW = 4
"""The edge of a small picture."""
SIDE = UNIT / math.sqrt(3)
"""The side of a hexagon."""
PLAIN = "#f3efe6"
"""What plain squares count as, when the colour of a line around a stone is chosen; they go with the page."""


@dataclass(frozen=True)
class Ground:
    """A board of one kind and size; this one has plain squares, which go with the page."""

    rows: int
    columns: int
    small: bool = False

    fill: str | None = None
    """The colour of all cells; None: that of the page's style."""

    @property
    def edge(self) -> float:
        """The room around the cells."""
        return NARROW if self.small else EDGE

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole picture."""
        return self.columns * UNIT + 2 * self.edge, self.rows * UNIT + 2 * self.edge

    def corner(self, row: int, column: int) -> tuple[float, float]:
        """Where the box of a cell begins, in which everything is drawn."""
        return self.edge + column * UNIT, self.edge + row * UNIT

    def middle(self, row: int, column: int) -> tuple[float, float]:
        """The middle of a cell."""
        x, y = self.corner(row, column)
        return x + UNIT / 2, y + UNIT / 2

    def colour(self, row: int, column: int) -> str | None:
        """The colour of a cell; None: the style says."""
        return self.fill

    def shape(self, kind: str, style: str = "") -> str:
        """The outline of a cell."""
        return f'<rect class="{kind}" width="{UNIT}" height="{UNIT}"{style}/>'

    def below(self, colours: Sequence[str]) -> str:
        """What lies under all cells."""
        return self.plate("")

    def plate(self, style: str) -> str:
        """A plate with round corners, a little larger than the cells."""
        edge = self.edge - 4
        return (
            f'<rect class="ground" x="{edge:g}" y="{edge:g}" width="{self.columns * UNIT + 8}" '
            f'height="{self.rows * UNIT + 8}" rx="8"{style}/>'
        )

    def labels(self, rows: Sequence[str], columns: Sequence[str]) -> str:
        """What stands beside the rows and below the columns."""
        sides = [
            _label(self.edge / 2 - 2, self.middle(row, 0)[1], text, _small(text))
            for row, text in enumerate(rows[: self.rows])
        ]
        bottom = self.edge + self.rows * UNIT + self.edge / 2 + 2
        under = [_label(self.middle(0, column)[0], bottom, text) for column, text in enumerate(columns[: self.columns])]
        return "".join(sides + under)


class Felt(Ground):
    """Plain squares in the green of a table, on which black and white stones both stand out."""

    def colour(self, row: int, column: int) -> str | None:
        return FELT

    def below(self, colours: Sequence[str]) -> str:
        return self.plate(f' style="fill:{FELT_LINE}"')


class Frame(Ground):
    """An upright frame with holes, into which stones fall."""

    def colour(self, row: int, column: int) -> str | None:
        return LACQUER

    def below(self, colours: Sequence[str]) -> str:
        return self.plate(f' style="fill:{LACQUER}"')


class Chequers(Ground):
    """Light and dark squares in turn; the one at the lower left is dark."""

    def colour(self, row: int, column: int) -> str | None:
        return CHEQUERS[(self.rows - 1 - row + column + 1) % 2]

    def below(self, colours: Sequence[str]) -> str:
        return self.plate(f' style="fill:{CHEQUERS[1]}"')


class Crossings(Ground):
    """Lines with stones on their crossings, and star points."""

    def colour(self, row: int, column: int) -> str | None:
        return WOOD

    def shape(self, kind: str, style: str = "") -> str:
        """What lies between the lines is seen through every cell."""
        if kind == "square":
            style = f' style="fill:{WOOD};fill-opacity:0"'
        return super().shape(kind, style)

    def below(self, colours: Sequence[str]) -> str:
        (left, top), (right, bottom) = self.middle(0, 0), self.middle(self.rows - 1, self.columns - 1)
        lines = [f"M{left:g} {self.middle(row, 0)[1]:g}H{right:g}" for row in range(self.rows)]
        lines += [f"M{self.middle(0, column)[0]:g} {top:g}V{bottom:g}" for column in range(self.columns)]
        stars = "".join(
            f'<circle cx="{x:g}" cy="{y:g}" r="4" style="fill:{WOOD_LINE}"/>'
            for x, y in (self.middle(*place) for place in star_points(self.rows, self.columns))
        )
        style = f"fill:none;stroke:{WOOD_LINE};stroke-width:1.2"
        return (
            self.plate(f' style="fill:{WOOD}"') + f'<path class="lines" style="{style}" d="{"".join(lines)}"/>{stars}'
        )


class Hexagons(Ground):
    """A rhombus: each row is half a cell further to the right. Its edges have the colours of two players."""

    @property
    def size(self) -> tuple[float, float]:
        width = (self.columns + (self.rows - 1) / 2) * UNIT + 2 * self.edge
        return width, (self.rows - 1) * 1.5 * SIDE + 2 * SIDE + 2 * self.edge

    def corner(self, row: int, column: int) -> tuple[float, float]:
        return self.edge + (column + row / 2) * UNIT, self.edge + SIDE - UNIT / 2 + row * 1.5 * SIDE

    def colour(self, row: int, column: int) -> str | None:
        return HEXAGON

    def shape(self, kind: str, style: str = "") -> str:
        points = " ".join(f"{x + UNIT / 2:.1f},{y + UNIT / 2:.1f}" for x, y in OUTLINE)
        line = f"stroke:{HEXAGON_LINE};" if kind == "square" else ""
        own = style.removeprefix(' style="').removesuffix('"')
        return f'<polygon class="{kind}" points="{points}" style="{line}{own}"/>'

    def below(self, colours: Sequence[str]) -> str:
        """The edges: above and below the first player's, left and right the second's."""
        if len(colours) < 2:
            return ""
        rows, columns = range(self.rows), range(self.columns)
        last = self.rows - 1, self.columns - 1
        sides = (
            [self._corners((0, column), (4, 5, 0)) for column in columns],
            [self._corners((last[0], column), (3, 2, 1)) for column in columns],
            [self._corners((row, 0), (4, 3, 2) if row < last[0] else (4, 3)) for row in rows],
            [self._corners((row, last[1]), (5, 0, 1) if row else (0, 1)) for row in rows],
        )
        return "".join(
            f'<polyline points="{" ".join(side)}" style="fill:none;stroke:{colours[number // 2]};stroke-width:10;'
            'stroke-linejoin:round"/>'
            for number, side in enumerate(sides)
        )

    def _corners(self, place: tuple[int, int], numbers: tuple[int, ...]) -> str:
        x, y = self.middle(*place)
        return " ".join(f"{x + OUTLINE[number][0]:.1f},{y + OUTLINE[number][1]:.1f}" for number in numbers)

    def labels(self, rows: Sequence[str], columns: Sequence[str]) -> str:
        """Beside the rows, and above the columns."""
        sides = []
        for row, text in enumerate(rows[: self.rows]):
            x, y = self.middle(row, 0)
            sides.append(_label(x - UNIT / 2 - 14, y, text))
        over = [
            _label(self.middle(0, column)[0], self.edge / 2 - 2, text)
            for column, text in enumerate(columns[: self.columns])
        ]
        return "".join(sides + over)


OUTLINE = [
    (SIDE * math.cos(math.radians(60 * number - 30)), SIDE * math.sin(math.radians(60 * number - 30)))
    for number in range(6)
]
"""The corners of a hexagon around its middle: right above, right below, below, left below, left above, above."""


def ground_of(
    kind: str, rows: int, columns: int, small: bool = False, drops: bool = False, painted: bool = False
) -> Ground:
    """The ground of a board; `painted` if its stones have colours of their own, which go with no page."""
    if kind == "squares":
        made: type[Ground] = Frame if drops else Felt if painted else Ground
    else:
        made = {"chequered": Chequers, "crossings": Crossings, "hexagons": Hexagons}[kind]
    return made(rows, columns, small)


def star_points(rows: int, columns: int) -> list[tuple[int, int]]:
    """The crossings with a dot: on the fourth lines, on small boards the third, and in the middle."""

    def lines(count: int) -> list[int]:
        near = 3 if count >= 12 else 2
        middle = [count // 2] if count % 2 else []
        return sorted({near, count - 1 - near, *middle}) if count >= 7 else middle

    middle = rows // 2, columns // 2
    found = [(row, column) for row in lines(rows) for column in lines(columns)]
    if min(rows, columns) >= 17:
        return found
    return [place for place in found if place == middle or not (place[0] == middle[0] or place[1] == middle[1])]


def _small(text: str) -> str:
    """A long label beside a row is written smaller, so that it stays in its room."""
    return f' style="font-size:{LABEL_ROOM / len(text):.1f}px"' if len(text) > SHORT else ""


def _label(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text class="label" x="{x:g}" y="{y:g}"{style}>{escape(text)}</text>'
