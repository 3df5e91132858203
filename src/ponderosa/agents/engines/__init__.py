"""How other programs are talked to, a protocol a file, for the agent in ponderosa.agents.engine.

Start at client.py, what a client of a protocol does. It imports ponderosa.agents.program, ponderosa.protocols,
ponderosa.games and what is below.
"""
