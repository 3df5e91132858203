"""Tables, figures and reports as files.

Start at report.py; tables.py and figures.py are its parts, folder.py is where they go, library.py lists what is there.
It imports ponderosa.system.
"""
