"""Learning by self-play."""
