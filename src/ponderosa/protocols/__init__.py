"""Text protocols that other programs speak, one file each. Start at gomocup.py."""
