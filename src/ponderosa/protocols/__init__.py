"""Text protocols that other programs speak, one file each; what thinks is passed in.

Start at gomocup.py. It imports ponderosa.core and what is below.
"""
