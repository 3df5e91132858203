"""Games and results as HTML and SVG; every text from outside is escaped.

Start at summary.py. It imports ponderosa.web.model, ponderosa.pictures and ponderosa.arena.
"""
