"""The inside of a search: its tree node by node, with small boards, and as one picture. Start at TreeReader."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from ponderosa.core.state import State
from ponderosa.search.node import PROVEN_NAMES, PROVEN_VALUES, ROOT, for_opponent
from ponderosa.web.board import draw_small, layout, short

MOST_CHILDREN = 8
"""So many children of a node are shown, the most visited first."""
MOST_NODES = 400
"""So many nodes are unfolded at once, at most."""

Path = tuple[int, ...]
"""The numbers of the actions from the root to a node."""


@dataclass(frozen=True)
class TreeNode:
    """One node as people see it."""

    path: Path
    """The way to it."""
    name: str
    """The move that led to it."""
    state: State
    """The position."""
    visits: int
    """Iterations that went through it."""
    share: float
    """Its part of its parent's visits."""
    value: float | None
    """The mean result for the player who moved into it, from 0 to 1; at the root, for the player to move."""
    proven: str | None
    """What is certain, for the same player."""
    children: int
    """How many children are in the tree."""


class TreeReader:
    """Reads the tree of a search, which may still grow."""

    def __init__(self, search: Any, state: State) -> None:
        """`state` is the position that the tree grows from."""
        self._engine, self._nodes, self._state = search.engine, search.tree.nodes, state

    def root(self) -> TreeNode:
        """The position that was searched."""
        node = self._nodes[ROOT]
        visits, mover = int(node["visits"]), int(node["mover"])
        player = self._state.to_move()
        proven = int(node["proven"]) if mover == player else int(for_opponent(int(node["proven"])))
        mean = float(node["value"]) / visits if visits else None
        children = self._order(ROOT)
        best = self._nodes[children[0]] if children else None
        value = float(best["value"]) / int(best["visits"]) if best is not None and best["visits"] else mean
        value = PROVEN_VALUES.get(proven, value)
        return TreeNode((), "", self._state, visits, 1.0, value, PROVEN_NAMES.get(proven), int(node["count"]))

    def children(self, parent: TreeNode) -> list[TreeNode]:
        """The children of a node, the most visited first."""
        index = self._find(parent.path)
        return [] if index is None else [self._read(child, parent) for child in self._order(index)[:MOST_CHILDREN]]

    def unfolded(self, paths: Iterable[Path]) -> list[TreeNode]:
        """The root, and the children of every node whose path is given, in the order of a book."""
        wanted, found = set(paths), [self.root()]
        place = 0
        while place < len(found) and len(found) < MOST_NODES:
            if found[place].path in wanted:
                found[place + 1 : place + 1] = self.children(found[place])
            place += 1
        return found

    def _find(self, path: Path) -> int | None:
        """The node at the end of a path."""
        index = ROOT
        for number in path:
            index = next((child for child in self._order(index) if int(self._nodes[child]["action"]) == number), -1)
            if index < 0:
                return None
        return index

    def _order(self, index: int) -> list[int]:
        first, count = int(self._nodes[index]["first"]), int(self._nodes[index]["count"])
        children = range(first, first + count) if first > 0 else range(0)
        return sorted(children, key=lambda child: -int(self._nodes[child]["visits"]))

    def _read(self, index: int, parent: TreeNode) -> TreeNode:
        node = self._nodes[index]
        visits, proven, number = int(node["visits"]), int(node["proven"]), int(node["action"])
        action = self._engine.action(number)
        value = PROVEN_VALUES.get(proven, float(node["value"]) / visits if visits else None)
        return TreeNode(
            path=(*parent.path, number),
            name=parent.state.action_to_string(action),
            state=parent.state.child(action),
            visits=visits,
            share=visits / max(parent.visits, 1),
            value=value,
            proven=PROVEN_NAMES.get(proven),
            children=int(node["count"]),
        )


def told(node: TreeNode) -> str:
    """A node's numbers in words."""
    value = "-" if node.value is None else f"{100 * node.value:.1f} %"
    return f"{value}, {short(node.visits)} visits" + (f", proven {node.proven}" if node.proven else "")


def draw_rows(nodes: list[TreeNode], open_paths: set[Path]) -> str:
    """The unfolded tree as rows of HTML; a click on data-fold folds or unfolds the node of that row."""
    return f'<div role="tree">{"".join(_row(number, node, open_paths) for number, node in enumerate(nodes))}</div>'


def _row(number: int, node: TreeNode, open_paths: set[Path]) -> str:
    is_open = node.path in open_paths
    sign = "" if not node.children else "▾" if is_open else "▸"
    expanded = f' aria-expanded="{str(is_open).lower()}"' if node.children else ""
    name = escape(node.name) if node.path else "this position"
    bar = f'<span class="track"><span class="bar" style="width:{5 * node.share:.2f}rem"></span></span>'
    return (
        f'<div class="node" role="treeitem" aria-level="{len(node.path) + 1}"{expanded} '
        f'style="padding-left:{1.5 * len(node.path):.1f}rem">'
        f'<button class="fold" data-fold="{number}" aria-label="unfold {name}">{sign}</button>'
        f"{draw_small(node.state)}<b>{name}</b>{bar}<span>{escape(told(node))}</span></div>"
    )


# --- the picture ---

BOX, GAP_X, GAP_Y, TEXT_ROOM = 84, 16, 34, 34
STYLE = (
    "text{font-family:sans-serif;font-size:11px;fill:#1f2430;text-anchor:middle}"
    ".name{font-weight:bold}.edge{stroke:#98a2b3;fill:none}"
    ".ground{fill:#d8d0bf}.square{fill:#f3efe6;stroke:#d8d0bf}.drops .ground,.drops .square{fill:#3f5f8f;stroke:none}"
    ".hole{fill:#fff}.ghost{opacity:0}.dot{fill:#fff}.mark{dominant-baseline:central;font-weight:bold}"
    ".p0{fill:#2f5fd0}.p1{fill:#e07a10}.p2{fill:#2b8a57}.p3{fill:#9c4fc4}"
)


def tree_svg(nodes: list[TreeNode]) -> str:
    """The unfolded nodes as a drawing of their own: parents above, lines as thick as the share of visits."""
    places = _places(nodes)
    width = max(x for x, _ in places.values()) + BOX + GAP_X
    height = max(y for _, y in places.values()) + BOX + TEXT_ROOM + GAP_Y
    edges = "".join(_edge(places[node.path[:-1]], places[node.path], node.share) for node in nodes if node.path)
    boxes = "".join(_box(node, *places[node.path]) for node in nodes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}"><style>{STYLE}</style>'
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


def _edge(above: tuple[float, float], below: tuple[float, float], share: float) -> str:
    (x1, y1), (x2, y2) = above, below
    top, middle = y1 + BOX + TEXT_ROOM, (y1 + BOX + TEXT_ROOM + y2) / 2
    left, right = x1 + BOX / 2, x2 + BOX / 2
    curve = f"M{left:.1f} {top:.1f} C{left:.1f} {middle:.1f} {right:.1f} {middle:.1f} {right:.1f} {y2:.1f}"
    return f'<path class="edge" stroke-width="{1 + 5 * share:.2f}" d="{curve}"/>'


def _box(node: TreeNode, x: float, y: float) -> str:
    if layout(node.state) is not None:
        frame = f'<svg x="{x:.1f}" y="{y:.1f}" width="{BOX}" height="{BOX}" '
        picture = draw_small(node.state).replace("<svg ", frame, 1)
    else:
        lines = str(node.state).splitlines()[:6]
        picture = "".join(
            f'<text x="{x + BOX / 2:.1f}" y="{y + 12 + 13 * number:.1f}">{escape(line[:16])}</text>'
            for number, line in enumerate(lines)
        )
    value = "" if node.value is None else f"{100 * node.value:.0f} %, "
    words = f"{value}{short(node.visits)}" + (f" {node.proven}" if node.proven else "")
    middle = x + BOX / 2
    return (
        f'{picture}<text class="name" x="{middle:.1f}" y="{y + BOX + 13:.1f}">{escape(node.name) or "root"}</text>'
        f'<text x="{middle:.1f}" y="{y + BOX + 26:.1f}">{escape(words)}</text>'
    )
