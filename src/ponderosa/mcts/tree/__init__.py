"""What a search grows: nodes in one array, proofs in them, and the files that keep them.

Start at node.py, then tree.py; counters.py is what loops count of a tree, graph.py the tree in which equal positions
are one node, solver.py proves, pruning.py makes room in the memory that memory.py grants, storage.py saves and loads.
It imports ponderosa.core and what is below.
"""
