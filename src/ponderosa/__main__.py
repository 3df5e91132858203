"""The programs `ponderosa` and `pbrain-ponderosa`; `python -m ponderosa` is the first. Start at main.

To load them takes a moment, and Ctrl-C is looked after before it begins.
"""

from __future__ import annotations

from ponderosa.system.leaving import leave_when_interrupted


def main() -> None:
    """Run the command line."""
    leave_when_interrupted()
    from ponderosa.cli import main as run
    from ponderosa.system.interrupts import end_at_the_second

    end_at_the_second()
    run()


def pbrain() -> None:
    """Run the brain for Gomoku tournament managers."""
    leave_when_interrupted()
    from ponderosa.cli.commands.engine import pbrain as run
    from ponderosa.system.interrupts import end_at_the_second

    end_at_the_second()
    run()


if __name__ == "__main__":
    main()
