"""The games that come with Ponderosa, one file each."""
