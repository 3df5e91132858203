"""The contract between games and everything else: what a game, a state and a rule are.

Start at game.py, which authors subclass, then state.py, and rules.py, where rules become operations, compiled or plain.
plain.py takes any Python object for a state; bounds.py says what is certain of a position; checks/ holds a game against
its promises. It imports ponderosa.compile and what is below.
"""
