"""One search on several threads: several trees (root.py), one tree (tree.py), or one leaf (leaf.py).

Start at kinds.py, which names them. It imports ponderosa.mcts.search and all below.
"""
