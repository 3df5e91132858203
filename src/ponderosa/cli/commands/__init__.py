"""One file a subcommand; cli/__init__.py lists them.

Start at play.py. A command imports what it needs when it runs, so that help is quick: ponderosa.cli, and everything
below.
"""
