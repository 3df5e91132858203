"""Matches and tournaments: fair games, honest statistics, nothing lost.

Start at match.py and tournament.py, what people call, then event.py, what is played, and schedule.py, in which order.
running/ plays games in processes, results/ keeps and counts them; training.py lets one agent learn. It imports
ponderosa.registry and what is below.
"""
