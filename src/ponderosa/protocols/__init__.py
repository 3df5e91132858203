"""Text protocols that other programs speak, one file each; what thinks is passed in.

Start at listening.py, which hears the other program, then at a protocol: gomocup.py, gtp.py, uci.py. It imports
ponderosa.core and what is below.
"""
