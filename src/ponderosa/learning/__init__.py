"""Learning by self-play: a network for a game of anybody's own, in one call. Start at learn.py, which people call.

run.py is the loop: selfplay.py plays at many tables (tables.py), targets.py says what is learned from a position,
cluster.py does so on other machines, replay.py keeps them (held.py on a card), training.py brings the network nearer,
gate.py measures it, checkpoints.py loses nothing, report.py draws. settings.py has every setting. It imports
ponderosa.networks and forest, and of the arena and the lab the statistics and the figures.
"""
