"""What the repeated experiments share: the works, agents set up as theirs, published figures compared with ours.

Start at works.py, then compare.py. It imports ponderosa.lab.reports, ponderosa.arena.
"""
