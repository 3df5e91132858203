"""Python into machine code, kept on disk between runs. Only this room knows Numba inside.

A function is compiled once for a signature and found again under a fingerprint of all that it reaches. Start at
native.py, which also names the types that signatures are made of, then fingerprint.py and code_on_disk.py.
linked_code.py and known_calls.py make compiling quick, desk.py hands arrays over by their addresses.
cuda_code.py makes kernels for cards, which kernels_on_disk.py keeps.
record_view.py shows the bytes of a state as a record, annotations.py tells type checkers what compiled functions take,
atomics.py and bits.py are single instructions. progress.py tells what is compiled, waiting.py how far
that is. It imports ponderosa.system and ponderosa.errors.
"""
