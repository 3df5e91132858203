"""Games, seats, searches and saved games of the server, without any page.

Start at session.py, one game; table.py seats browsers at it, director.py lets machines move, runner.py runs searches,
hub.py is what all visitors share; saved_games.py keeps games, arena.py has the matches. It imports ponderosa.arena and
what is below.
"""
