"""What the rules of several games share: lines of bits on a board, sets of small numbers, fitted line values.

Start at lines.py. It imports ponderosa.core and ponderosa.compile.
"""
