"""PettingZoo's environments as games of ours (game.py), and our games as its environments (ours.py).

Start at game.py. It imports the registry and what is below it, and the adapters of Gymnasium.
"""
