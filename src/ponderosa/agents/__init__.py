"""Ways of choosing a move, one file each. Start at agent.py."""
