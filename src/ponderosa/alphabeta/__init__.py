"""The general alpha-beta search, for every two-player game with static values: what `minimax` and `perfect` run.

Start at alphabeta.py, the search on an array as its stack, so that it stops anywhere and goes on later; deepening.py
runs it one ply deeper at a time, operations.py gives it a game, compiled or plain. It imports ponderosa.mcts.report and
core.
"""
