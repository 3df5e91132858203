"""`python -m ponderosa` is the command line."""

from ponderosa.cli import main

if __name__ == "__main__":
    main()
