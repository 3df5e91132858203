"""Tuning: the settings of an agent that win most.

Start at tune.py; tuner.py runs the study, hill.py chooses what to try, strength_model.py judges from all games at once.
It imports ponderosa.lab.reports, ponderosa.arena.
"""
