"""What a search found, for people and programs: numbers, lines, the tree node by node, every iteration.

Start at report.py; reporter.py makes it, search_tree.py is its tree, reader.py reads the nodes of it, graphviz.py draws
it, trace.py tells every iteration. It imports ponderosa.mcts.tree and ponderosa.core.
"""
