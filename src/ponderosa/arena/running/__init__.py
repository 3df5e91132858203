"""Playing the games of an event, in processes that may hang or die.

Start at play.py, which plays what is missing; supervisor.py watches a worker.py, in which referee.py plays a game and
judge.py says what it came to; guest.py leads to agents of somebody's own in processes of theirs; venues.py and
cluster.py say where. It imports ponderosa.arena.results and ponderosa.registry.
"""
