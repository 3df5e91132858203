"""A tree as text in DOT, the language of Graphviz. Start at to_dot."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import Any

from ponderosa.core.state import State
from ponderosa.core.text import draw_cells
from ponderosa.mcts.report.reader import Path, TreeNode, percent

COLOURS = {"win": "#cfeacb", "draw": "#f4e8b8", "loss": "#f6cfc9"}
"""Of nodes whose result is proven, for the player who moved into them."""
MOST_LINES, MOST_LETTERS = 24, 60
"""So much of a position's text is drawn."""
CAPTION = "Values are for the player who moved into a node; at the top, for the player to move. Dashed: chance."


def to_dot(nodes: list[TreeNode]) -> str:
    """The nodes with visits, values, small boards and what is proven; each stands behind its parent in the list."""
    numbers = {node.path: number for number, node in enumerate(nodes)}
    drawn = Counter(node.path[:-1] for node in nodes if node.path)
    lines = [
        "digraph search {",
        f"  graph [label={_quoted(CAPTION)}, ordering=out];",
        '  node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="sans-serif", fontsize=10];',
        '  edge [fontname="sans-serif", fontsize=10, arrowsize=0.6, color="#667085"];',
        *(_node(numbers[node.path], node, drawn[node.path]) for node in nodes),
        *(_edge(numbers, node) for node in nodes if node.path),
        "}",
    ]
    return "\n".join(lines) + "\n"


def board_lines(state: Any) -> list[str]:
    """A position in a few lines: the game's cells without labels, or its text."""
    cells = state.game.cells(state.record) if isinstance(state, State) else None
    text = "" if state is None else str(state) if cells is None else draw_cells(cells)
    return [line[:MOST_LETTERS] for line in text.splitlines()[:MOST_LINES]]


def left_out(node: TreeNode, drawn: int) -> str:
    """How many children of a node are not in a picture that shows some of them, in words."""
    return f"+ {node.child_count - drawn} more" if 0 < drawn < node.child_count else ""


def _node(number: int, node: TreeNode, drawn: int) -> str:
    words = [f"{percent(node.value)}, {node.visits} visits"]
    words += [f"proven {node.proven}"] if node.proven else []
    words += [text] if (text := left_out(node, drawn)) else []
    board = "".join(f'{_shown(line)}<BR ALIGN="LEFT"/>' for line in board_lines(node.state))
    picture = f'<FONT FACE="monospace">{board}</FONT><BR/>' if board else ""
    colour = f', fillcolor="{COLOURS[node.proven]}"' if node.proven else ""
    return f"  n{number} [label=<{picture}{'<BR/>'.join(map(_shown, words))}>{colour}];"


def _edge(numbers: dict[Path, int], node: TreeNode) -> str:
    name = node.name if node.chance is None else f"{node.name} ({percent(node.chance)})"
    style = "" if node.chance is None else ", style=dashed"
    ends = f"n{numbers[node.path[:-1]]} -> n{numbers[node.path]}"
    return f"  {ends} [label={_quoted(name)}, penwidth={1 + 4 * min(node.share, 1.0):.2f}{style}];"


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _shown(text: str) -> str:
    """Within a label of HTML, where several spaces count as one."""
    return escape(_printable(text), quote=False).replace(" ", "&#160;")


def _quoted(text: str) -> str:
    return '"' + _printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
