"""What was played and what it shows: the store, the statistics, the reports.

Start at store.py, then tally.py, statistics.py with posterior.py, and report.py; ratings.py rates many agents. It
imports ponderosa.registry and what is below.
"""
