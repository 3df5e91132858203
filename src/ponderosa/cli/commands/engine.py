"""`ponderosa engine`: Ponderosa as a program that other programs play with. Start at engine."""

from __future__ import annotations

import enum
import sys
from typing import Annotated

import typer

from ponderosa.errors import SettingError


class Protocol(enum.StrEnum):
    """What the other program speaks."""

    gomocup = "gomocup"
    gtp = "gtp"
    uci = "uci"


def engine(
    protocol: Annotated[
        Protocol,
        typer.Argument(
            metavar="PROTOCOL",
            help="gomocup: five in a row, as in Piskvork. gtp: Go, Othello, Hex, Gomoku and Connect6, as in "
            "Sabaki and GoGui. uci: chess, as in Cute Chess and Arena.",
        ),
    ],
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="Who thinks; the other program says how long.",
            show_default="strong; in chess minimax",
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="gtp: the game to begin with; set_game changes it.", show_default="go"),
    ] = None,
) -> None:
    """Be the brain of another program: read its commands, answer with moves."""
    if game is not None and protocol is not Protocol.gtp:
        raise SettingError(f"{protocol.value} is for one game alone; --game goes with gtp")
    if protocol is Protocol.gomocup:
        from ponderosa.cli.engines import gomocup

        gomocup.serve(agent)
    elif protocol is Protocol.gtp:
        from ponderosa.cli.engines import gtp

        gtp.serve(agent, game)
    else:
        from ponderosa.cli.engines import uci

        uci.serve(agent)


def pbrain() -> None:
    """`pbrain-ponderosa`, the name by which tournament managers know a brain."""
    from ponderosa.cli import main

    main(["engine", Protocol.gomocup.value, *sys.argv[1:]])
