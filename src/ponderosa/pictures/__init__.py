"""Positions and trees as pictures: SVG that needs no browser. Start at tree.py."""
