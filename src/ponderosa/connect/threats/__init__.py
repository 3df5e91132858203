"""Wins by threats: sequences in which the defender has no choice, found and proven.

Start at threat_search.py (on lines alone, in microseconds), then prover.py (deep, with a board of marks and a table).
windows.py reads lines, turn_prover.py is for several stones a turn. It imports ponderosa.games and ponderosa.compile.
"""
