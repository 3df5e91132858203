"""Other packages' worlds as games of ours, and our games as theirs. Start at world.py, then openspiel.py.

A world is named by its package: `openspiel:chess`. Its package is imported when a game of it is made, never before.
Environments of Gymnasium, which have rewards along the way, are planned in as they are: gymnasium/.
PettingZoo's are games: pettingzoo/. Ours in theirs: pettingzoo/ours.py, ours_in_openspiel.py.
Imports the registry and what is below it; nobody imports this folder but by name.
"""
