"""The API for other programs.

Start at api.py; models.py is what it takes and gives. It imports ponderosa.web.model.
"""
