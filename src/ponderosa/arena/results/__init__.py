"""What was played and what it shows: the store, the statistics, the tables.

Start at store.py, then tally.py, statistics.py with posterior.py, and display.py; ratings.py rates many agents. It
imports ponderosa.registry and what is below.
"""
