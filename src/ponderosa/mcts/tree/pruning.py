"""Making room in a tree where it lies: what stays slides to the front of its array. Start at slide.

A copy would need a second tree in memory just when the first one is full. Links lead forward, from a node to the block
of its children, so one pass from front to back is enough: a node that has found its new place leaves a note of it where
its children begin, and the pass will come by there (threading: Jonkers 1979, "A fast garbage compaction algorithm").
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ponderosa.core.rules import jit_enabled
from ponderosa.mcts.tree.node import ROOT, UNTRIED, Nodes


def slide(nodes: Nodes, node: int, used: int, least: int) -> int:
    """Make a node the root, and slide all below it to the front; returns how many nodes are left.

    What lies below a node of fewer visits than the least is left out: that node is a leaf again. Behind what is left,
    the array is as it was.
    """
    nodes[ROOT] = nodes[node]
    if nodes[ROOT]["first"] <= 0:
        return 1
    place, scanned = 1, nodes[ROOT]["first"] + 0
    announce(nodes, ROOT)
    while scanned < used:
        if nodes[scanned]["visits"] >= 0:
            scanned += 1
            continue
        count = arrive(nodes, scanned, place)
        end = scanned + count
        while scanned < end or (nodes[scanned]["first"] == UNTRIED and nodes[scanned]["visits"] >= 0):
            nodes[place] = nodes[scanned]
            if nodes[place]["first"] > 0 and nodes[place]["visits"] < least:
                nodes[place]["first"] = 0
                nodes[place]["count"] = 0
            elif nodes[place]["first"] > 0:
                announce(nodes, place)
            place, scanned = place + 1, scanned + 1
    return place


def recycle(nodes: Nodes, used: int, most: int, blank: Nodes) -> int:
    """Give up the least visited subtrees, until half of this many nodes are left; returns how many nodes are left.

    Those behind them become like the blank one. Nothing is given up where that does not help.
    """
    if 2 * fewest(nodes) > most:
        return used
    left, least = used, 1
    while least == 1 or 2 * left > most:
        least *= 2
        before, left = left, slide(nodes, ROOT, left, least)
        for place in range(left, before):
            nodes[place] = blank[0]
    return left


def fewest(nodes: Nodes) -> int:
    """How many nodes are left when all is given up but the root and its slots."""
    size: int = nodes[ROOT]["count"] + 0
    begin = nodes[ROOT]["first"]
    while begin > 0 and nodes[begin + size]["first"] == UNTRIED:
        size += 1
    return 1 + size


def announce(nodes: Nodes, place: int) -> None:
    """Leave a node's place, as a negative number of visits, where its children begin; it keeps the visits meanwhile."""
    begin = nodes[place]["first"] + 0
    nodes[place]["first"] = nodes[begin]["visits"]
    nodes[begin]["visits"] = -1 - place


def arrive(nodes: Nodes, begin: int, place: int) -> Any:
    """Tell the parent that left its place where a block begins that it will lie at another; returns its children."""
    parent = -1 - nodes[begin]["visits"]
    nodes[begin]["visits"] = nodes[parent]["first"]
    nodes[parent]["first"] = place
    return nodes[parent]["count"] + 0


@functools.cache
def compiled_slide(layout: np.dtype[Any]) -> Any:
    """`slide` for nodes of a layout, as machine code."""
    if not jit_enabled():
        return slide
    from ponderosa.compile.native import INT, compiled, records

    signature = INT(records(layout), INT, INT, INT)
    return compiled(slide, signature, scope=str(layout), error_model="numpy", _nrt=False)
