"""The search itself: select, expand, play out, back up, again and again.

Start at loop.py, the textbook's loop and the way down; workspace.py is what all loops get. Every other file exchanges
some of their steps: general.py for dice, one player and policies that learn, priors.py, static_values.py, batches.py
for evaluators, bounded.py for scores, graph.py for transpositions, information_sets.py for hidden things,
shared_tree.py and shared_top.py for threads. It imports ponderosa.mcts.tree.
"""
