"""Boards as text. Start at draw_cells."""

from __future__ import annotations

from collections.abc import Sequence


def draw_cells(
    cells: Sequence[Sequence[str]], row_labels: Sequence[str] = (), column_labels: Sequence[str] = (), empty: str = "."
) -> str:
    """A grid of cells with labels at the left and below, every column as wide as its widest text."""
    side = max((len(label) for label in row_labels), default=0)
    width = max((len(text) for row in [*cells, column_labels] for text in row), default=1)
    lines = []
    for index, row in enumerate(cells):
        label = f"{row_labels[index]:>{side}}  " if side else ""
        lines.append(label + " ".join(f"{text or empty:>{width}}" for text in row))
    if column_labels:
        lines.append(" " * (side + 2 if side else 0) + " ".join(f"{label:>{width}}" for label in column_labels))
    return "\n".join(line.rstrip() for line in lines)
