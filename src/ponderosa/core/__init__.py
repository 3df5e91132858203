"""The contract between games and everything else. Start at game.py."""
