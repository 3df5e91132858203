"""The lab: experiments, sweeps and tuning, with figures and reports.

Start at experiment.py, what a run is given; experiment_names.py lists experiments, experiments/ has one file each,
published/ what they share about the works that they repeat; sweeps/ vary settings, tuning/ looks for the best, reports/
writes. It imports ponderosa.arena and what is below.
"""
