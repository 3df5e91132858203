"""The inside of a search as rows that unfold. Start at draw_rows."""

from __future__ import annotations

from html import escape

from ponderosa.mcts.report.reader import Path, TreeNode, percent
from ponderosa.pictures.board import draw_small, short


def told(node: TreeNode) -> str:
    """A node's numbers in words."""
    visits = "1 visit" if node.visits == 1 else f"{short(node.visits)} visits"
    return f"{percent(node.value)}, {visits}" + (f", proven {node.proven}" if node.proven else "")


def draw_rows(nodes: list[TreeNode], open_paths: set[Path]) -> str:
    """The unfolded tree as rows of HTML; a click on data-fold folds or unfolds the node of that row."""
    return f'<div role="tree">{"".join(_row(number, node, open_paths) for number, node in enumerate(nodes))}</div>'


def _row(number: int, node: TreeNode, open_paths: set[Path]) -> str:
    is_open = node.path in open_paths
    sign = "" if not node.child_count else "▾" if is_open else "▸"
    expanded = f' aria-expanded="{str(is_open).lower()}"' if node.child_count else ""
    name = escape(node.name) if node.path else "this position"
    bar = f'<span class="track"><span class="bar" style="width:{5 * node.share:.2f}rem"></span></span>'
    return (
        f'<div class="node" role="treeitem" aria-level="{len(node.path) + 1}"{expanded} '
        f'style="padding-left:{1.5 * len(node.path):.1f}rem">'
        f'<button class="fold" data-fold="{number}" aria-label="unfold {name}">{sign}</button>'
        f"{draw_small(node.state)}<b>{name}</b>{bar}<span>{escape(told(node))}</span></div>"
    )
