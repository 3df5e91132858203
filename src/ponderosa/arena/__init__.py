"""Matches and tournaments: fair games, honest statistics, nothing lost. Start at match.py and event.py."""
