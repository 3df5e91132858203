"""Iterations a second on a pure Python state, against a well-known package. Start at main.

    pip install ".[bench]" && python benchmarks/versus_packages.py

The plain path of Ponderosa and monte-carlo-tree-search 2.1.0 search the same tic-tac-toe class.
"""

from __future__ import annotations

from mcts.searcher.mcts import MCTS
from own_tictactoe import PlainTicTacToe
from rounds import compare, print_table

from ponderosa import Search

SIMULATIONS = 2_000


def ours():
    """Ponderosa's plain path."""
    search = Search(PlainTicTacToe(), solve=False, seed=1)

    def run():
        search.reset()
        return search.run(iterations=SIMULATIONS).iterations

    return run


def theirs():
    """The package's searcher."""

    def run():
        MCTS(iteration_limit=SIMULATIONS).search(PlainTicTacToe())
        return SIMULATIONS

    return run


def main():
    """Print the table of ratios."""
    print_table("pure Python tic-tac-toe", [("monte-carlo-tree-search 2.1.0", compare(ours(), theirs()), 1)])


if __name__ == "__main__":
    main()
