"""The page in the browser, and the API beside it.

Start at server.py. model/ is games, tables and searches without any picture, drawing/ turns them into HTML and SVG,
views/ show them, api/ is for other programs, doors/ says who may talk. It imports ponderosa.arena, lab and what is
below.
"""
