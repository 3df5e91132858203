"""Many trees at once: ten thousand positions searched together in compiled code, and whole games played inside it.

Start at forest.py, which people call; run.py is one run of it, kernel.py says what is done with one tree, by the loop
of mcts/loops, cores.py does it for all trees on all cores, and card.py makes kernels for CUDA cards of it. lockstep.py
plays games. It imports ponderosa.mcts, and no game.
"""
