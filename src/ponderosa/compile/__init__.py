"""Python into machine code, kept on disk between runs. Only this room knows Numba inside.

A function is compiled once for a signature and found again under a fingerprint of all that it reaches. Start at
native.py, then fingerprint.py and code_on_disk.py; record_view.py shows the bytes of a state to compiled rules,
atomics.py and bits.py are single instructions. It imports ponderosa.system and ponderosa.errors.
"""
