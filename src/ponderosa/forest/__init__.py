"""Many trees at once: ten thousand positions searched together in compiled code, and whole games played inside it.

Start at forest.py, which people call; kernel.py says what is done with one tree, by the loop of mcts/loops, and cores.py
does it for all trees on all cores. It imports ponderosa.mcts, and no game.
"""
