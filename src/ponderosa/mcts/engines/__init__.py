"""Running a loop for a game: compiled records, plain Python objects, graphs of positions.

Start at engine.py, what a search needs of a game; record.py, plain.py and graph.py are the three that there are.
kernels.py compiles loops, phases.py the policies for one game. It imports ponderosa.mcts.loops, policies and tree.
"""
