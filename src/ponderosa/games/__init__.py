"""The games that come with Ponderosa: rules only, a file a game. What boards share is in boards/.

Start at connect.py. A game imports ponderosa.core, ponderosa.compile and boards/ alone; it knows no search.
"""
