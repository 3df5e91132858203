"""Does a game keep its promises? By its looks (forms.py), by a rehearsal in plain Python, by random games.

Start at check_game.py, what people call; rehearsal.py is the part of it that runs before a first search. promises.py
says in words what is wrong with an answer. It imports ponderosa.core and what is below.
"""
