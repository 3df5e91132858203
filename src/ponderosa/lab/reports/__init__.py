"""Tables, figures and reports as files.

Start at report.py; tables.py and figures.py are its parts, library.py lists what is there. It imports ponderosa.system.
"""
