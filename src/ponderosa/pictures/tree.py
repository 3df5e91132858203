"""The tree of a search as one picture. Start at tree_svg."""

from __future__ import annotations

import textwrap
from collections import Counter
from html import escape

from ponderosa.core.state import State
from ponderosa.mcts.report.graphviz import COLOURS, board_lines, left_out
from ponderosa.mcts.report.reader import Path, TreeNode, percent
from ponderosa.pictures.board import draw_small, layout, short
from ponderosa.pictures.style import style_alone

BOX, GAP_X, GAP_Y, TEXT_ROOM = 84, 16, 34, 47
MOST_LINES, MOST_LETTERS = 6, 16
STYLE = (
    "text{font-family:sans-serif;fill:#1f2430;text-anchor:middle}text:not(.mark){font-size:11px}"
    ".name{font-weight:bold}.edge{stroke:#98a2b3;fill:none}.chance{stroke-dasharray:6 4}"
)


def tree_svg(nodes: list[TreeNode]) -> str:
    """The nodes as a drawing of their own: parents above, lines as thick as the share of visits, dashed for chance."""
    places, drawn = _places(nodes), Counter(node.path[:-1] for node in nodes if node.path)
    width = max(x for x, _ in places.values()) + BOX + GAP_X
    height = max(y for _, y in places.values()) + BOX + TEXT_ROOM + GAP_Y
    edges = "".join(_edge(places[node.path[:-1]], places[node.path], node) for node in nodes if node.path)
    boxes = "".join(_box(node, drawn[node.path], *places[node.path]) for node in nodes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}"><style>{STYLE}{style_alone()}</style>'
        f'<rect width="100%" height="100%" fill="#fff"/>{edges}{boxes}</svg>\n'
    )


def _places(nodes: list[TreeNode]) -> dict[Path, tuple[float, float]]:
    """Where each node stands: leaves side by side, a parent above the middle of its children."""
    families: dict[Path, list[Path]] = {}
    for node in nodes:
        if node.path:
            families.setdefault(node.path[:-1], []).append(node.path)
    places: dict[Path, tuple[float, float]] = {}
    right = [float(GAP_X)]

    def put(path: Path) -> float:
        below = [put(child) for child in families.get(path, [])]
        if below:
            x = (below[0] + below[-1]) / 2
        else:
            x = right[0]
            right[0] += BOX + GAP_X
        places[path] = (x, GAP_Y / 2 + len(path) * (BOX + TEXT_ROOM + GAP_Y))
        return x

    put(())
    return places


def _edge(above: tuple[float, float], below: tuple[float, float], node: TreeNode) -> str:
    (x1, y1), (x2, y2) = above, below
    top, middle = y1 + BOX + TEXT_ROOM, (y1 + BOX + TEXT_ROOM + y2) / 2
    left, right = x1 + BOX / 2, x2 + BOX / 2
    curve = f"M{left:.1f} {top:.1f} C{left:.1f} {middle:.1f} {right:.1f} {middle:.1f} {right:.1f} {y2:.1f}"
    kind = "edge" if node.chance is None else "edge chance"
    return f'<path class="{kind}" stroke-width="{1 + 5 * min(node.share, 1.0):.2f}" d="{curve}"/>'


def _box(node: TreeNode, drawn: int, x: float, y: float) -> str:
    name = node.name if node.chance is None else f"{node.name} ({percent(node.chance)})"
    value = "" if node.value is None else f"{100 * node.value:.0f} %, "
    words = f"{value}{short(node.visits)}" + (f" {node.proven}" if node.proven else "")
    texts = [
        (' class="name"', textwrap.shorten(name, MOST_LETTERS, placeholder="...") or "root"),
        ("", words),
        ("", left_out(node, drawn)),
    ]
    below = "".join(
        f'<text{kind} x="{x + BOX / 2:.1f}" y="{y + BOX + 13 + 13 * line:.1f}">{escape(text)}</text>'
        for line, (kind, text) in enumerate(texts)
        if text
    )
    return _frame(node, x, y) + _board(node, x, y) + below


def _frame(node: TreeNode, x: float, y: float) -> str:
    """The colour of what is proven, around the whole node."""
    if node.proven is None:
        return ""
    size = f'width="{BOX + 12}" height="{BOX + TEXT_ROOM + 6}"'
    return f'<rect class="proven" x="{x - 6:.1f}" y="{y - 6:.1f}" {size} rx="8" fill="{COLOURS[node.proven]}"/>'


def _board(node: TreeNode, x: float, y: float) -> str:
    if isinstance(node.state, State) and layout(node.state) is not None:
        frame = f'<svg x="{x:.1f}" y="{y:.1f}" width="{BOX}" height="{BOX}" '
        return draw_small(node.state).replace("<svg ", frame, 1)
    return "".join(
        f'<text x="{x + BOX / 2:.1f}" y="{y + 12 + 13 * number:.1f}">{escape(line)}</text>'
        for number, line in enumerate(_fitted(board_lines(node.state)))
    )


def _fitted(lines: list[str]) -> list[str]:
    """Text broken into lines that fit the box; what does not is told by dots."""
    fitted = [part for line in lines for part in textwrap.wrap(line, MOST_LETTERS)]
    return fitted if len(fitted) <= MOST_LINES else [*fitted[: MOST_LINES - 1], "..."]
