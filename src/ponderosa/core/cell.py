"""What a cell of a board shows, in text and in pictures. Start at Cell."""

from __future__ import annotations

import re
from typing import Self

from ponderosa.core.field_texts import with_field_texts
from ponderosa.errors import SettingError

BOARDS = ("squares", "chequered", "crossings", "hexagons")
"""How a board can be drawn: plain squares, light and dark ones, lines with stones on their crossings, a rhombus of
hexagons (each row half a cell further to the right)."""
COLOUR = re.compile(r"#[0-9a-fA-F]{3}(?:[0-9a-fA-F]{3})?|[a-z]{3,20}")
"""A colour as CSS writes it: `#fd0`, `#ffdd00`, `gold`."""


@with_field_texts
class Cell(str):
    """The text of a cell, and how a picture shows it: `Cell("X", stone="black")`, `Cell("512", fill="#edc22e")`.

    A plain text will do wherever a Cell will.
    """

    fill: str | None
    """The colour of the cell."""
    stone: str | None
    """The colour of a disc in the cell; the text is not written on it, but `sign` is."""
    sign: str | None
    """What pictures write in the place of the text: a chess piece for its letter."""
    ink: str | None
    """The colour in which it is written."""

    def __new__(
        cls,
        text: str = "",
        *,
        fill: str | None = None,
        stone: str | None = None,
        sign: str | None = None,
        ink: str | None = None,
    ) -> Self:
        cell = super().__new__(cls, text)
        for colour in (fill, stone, ink):
            if colour is not None and not COLOUR.fullmatch(colour):
                raise SettingError(f"a colour is written like '#fd0', '#ffdd00' or 'gold', not {colour!r}")
        cell.fill, cell.stone, cell.sign, cell.ink = fill, stone, sign, ink
        return cell
