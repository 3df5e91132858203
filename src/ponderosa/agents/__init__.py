"""Ways of choosing a move, one file each; connect/ has those of the Connect family, engines/ talks to other programs.

Start at agent.py, what an agent is; adapter.py makes one of any object with `step`. mcts.py is the one that searches,
memory.py what it may keep between games. It imports the searches (ponderosa.mcts, alphabeta, connect),
ponderosa.protocols and what is below.
"""
