"""What the loops count of a tree, by name. Start at COUNTERS."""

from __future__ import annotations

import numpy as np

COUNTERS = np.dtype(
    [
        ("used", "i8"),  # nodes in use
        ("status", "i8"),  # why the loop returned last: one of the numbers in mcts/loops/loop.py
        ("detail", "i8"),  # a number that explains it
        ("entries", "i8"),  # of graphs and information sets: how many nodes are in the table
        ("stamp", "i8"),  # of graphs: the number of the iteration, which marks the positions on its way
        ("waiting", "i8"),  # of batches: leaves that wait for the evaluator
        ("rows", "i8"),  # of batches: rows that are in use
    ],
    align=True,
)
Counters = np.void
"""One record of COUNTERS, changed in place."""


def new_counters() -> Counters:
    """The counters of a tree that has its root alone."""
    counters: Counters = np.zeros(1, COUNTERS)[0]
    counters["used"] = 1
    return counters


def copied(counters: Counters) -> Counters:
    """The same counts in memory of their own: a record from a pickle may be one that cannot be changed."""
    copy: Counters = np.array([counters], COUNTERS)[0]
    return copy
