"""What the rules of several games share, and boards to begin with: lines of bits, sets of small numbers, fitted line
values, coloured cells.

Start at lines.py. It imports ponderosa.core, ponderosa.compile and, to read a board from a file, ponderosa.system.
"""
