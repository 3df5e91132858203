"""What a search grows: nodes in one array, proofs in them, and the files that keep them.

Start at node.py, then tree.py; graph.py is the tree in which equal positions are one node, solver.py proves, pruning.py
makes room in the memory that memory.py grants, storage.py saves and loads. It imports ponderosa.core and what is below.
"""
