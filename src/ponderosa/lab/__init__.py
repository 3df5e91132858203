"""The lab: experiments, sweeps and tuning, with figures and reports. Start at experiment.py."""
