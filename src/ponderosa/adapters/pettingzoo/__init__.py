"""PettingZoo's environments as games of ours. Start at game.py.

It imports the registry and what is below it, and the adapters of Gymnasium.
"""
