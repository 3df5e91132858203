"""Positions and trees as pictures: SVG that needs no browser.

Start at tree.py, and board.py; alone.py has pictures for files and notebooks.
It imports ponderosa.mcts.report and ponderosa.core.
"""
