"""One file an experiment; lab/catalogue.py lists them."""
