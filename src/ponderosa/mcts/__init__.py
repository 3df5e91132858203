"""One tree search with replaceable phases, for every class of games.

Start at loops/loop.py for how it works, at search.py for how it is called; settings.py is all that can be set.
policies/ holds the phases, tree/ what grows, engines/ run a loop for compiled and for Python games, parallel/ does it
on several threads, report/ says what was found. It knows no game: it imports ponderosa.core and what is below.
"""
