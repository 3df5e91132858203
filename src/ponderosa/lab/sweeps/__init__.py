"""Sweeps: an agent with every combination of some settings.

Start at sweep.py; ranges.py reads what varies, sweep_report.py writes what came out. It imports ponderosa.lab.reports,
ponderosa.arena.
"""
