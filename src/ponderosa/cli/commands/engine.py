"""`ponderosa engine`: Ponderosa as a program that other programs play with. Start at engine."""

from __future__ import annotations

import enum
import sys
from typing import Annotated

import typer


class Protocol(enum.StrEnum):
    """What the other program speaks."""

    gomocup = "gomocup"


def engine(
    protocol: Annotated[Protocol, typer.Argument(metavar="PROTOCOL", help="gomocup: five in a row, as in Piskvork.")],
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT", help="Who thinks; the other program says how long.", show_default="strong for gomocup"
        ),
    ] = None,
) -> None:
    """Be the brain of another program: read its commands, answer with moves."""
    if protocol is Protocol.gomocup:
        from ponderosa.cli.engines import gomocup

        gomocup.serve(agent)


def pbrain() -> None:
    """`pbrain-ponderosa`, the name by which tournament managers know a brain."""
    from ponderosa.cli import main

    main(["engine", Protocol.gomocup.value, *sys.argv[1:]])
