"""What a program needs of the machine below it: files, limits of memory, signals, other processes.

Files are written whole or not at all (files.py), a step that must not be cut in two waits for Ctrl-C (interrupts.py),
work that overruns is ended (watchdog.py), and programs that we start end with us (programs.py). Start at files.py. It
imports nothing but ponderosa.errors.
"""
