"""One file an experiment; lab/catalogue.py lists them.

Start at bandits.py. It imports the rest of ponderosa.lab and what is below.
"""
