"""`ponderosa engine`, a protocol a file: what the command passes to ponderosa.protocols, which speaks.

Start at thinker.py, the agent that thinks for all of them. It imports ponderosa.registry and what is below.
"""
