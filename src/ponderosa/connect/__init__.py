"""The playing engine of the Connect family: k in a row on a board, Connect Four included.

Start at shapes/player.py, the alpha-beta that `strong` plays with, and threats/prover.py, which proves wins.
informed.py and tactical.py are games that tell a tree search more; evaluations.py gives static values,
connect4_solver.py solves Connect Four, connect4_distances.py counts the moves to its end, connect4_openings.py knows
openings that were solved before. It imports ponderosa.games and what is below.
"""
