"""One file an experiment; lab/experiment_names.py lists them.

Start at bandits.py. It imports the rest of ponderosa.lab and what is below.
"""
