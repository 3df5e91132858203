"""Games as files: plain text, JSON, SGF, PGN; a file a format. Start at formats.py.

It imports ponderosa.core and what is below; how a game's name becomes a game is passed in.
"""
