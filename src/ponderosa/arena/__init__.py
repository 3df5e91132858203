"""Matches and tournaments: fair games, honest statistics, nothing lost.

Start at match.py and tournament.py, what people call; conditions.py has what holds for every game, planned.py runs an
event for the terminal, Python and the page alike. event.py is what is played, schedule.py in which order; running/
plays games in processes, results/ keeps and counts them; training.py lets one agent learn. It imports
ponderosa.registry and what is below.
"""
