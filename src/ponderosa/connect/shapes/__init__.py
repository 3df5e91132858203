"""Alpha-beta over shapes: what a stone makes of the cells around it is looked up in a table.

Start at player.py, which searches deeper and deeper; pvs.py is the principal-variation search, shape_board.py its
board, shape_table.py and shape_weights.py what shapes are and are worth, lazy_smp.py its threads, two_stone_threats.py
forced wins of Connect6. It imports ponderosa.connect.threats.windows and ponderosa.games.
"""
