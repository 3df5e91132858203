"""Who may talk to the server, and for how long.

Start at guard.py: hosts, origins, tokens, sizes; doorkeeper.py closes slow connections, noise.py keeps logs calm,
heads.py answers HEAD. It imports ponderosa.web.model.limits.
"""
