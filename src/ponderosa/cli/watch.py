"""`ponderosa watch`: two agents play each other. Start at watch."""

from __future__ import annotations

from typing import Annotated

import typer

from ponderosa.cli.common import GameName, Moves, ShowThinking
from ponderosa.cli.console import preparing
from ponderosa.cli.session import Session
from ponderosa.core.errors import SettingError
from ponderosa.core.notation import position


def watch(
    game: GameName,
    first: Annotated[str, typer.Argument(metavar="AGENT", help="The first player: mcts:seconds=1, random, ...")],
    second: Annotated[str, typer.Argument(metavar="AGENT", help="The second player.")],
    moves: Moves = None,
    show_thinking: ShowThinking = False,
) -> None:
    """Watch two agents play each other."""
    from ponderosa.registry import game_for_people, load_agent

    with preparing():
        rules = game_for_people(game)
        if rules.players != 2:
            raise SettingError(f"{rules.title()} has {rules.players} players; games of two can be watched")
        state = position(rules, moves)
        agents = [load_agent(first, rules), load_agent(second, rules)]
    session = Session(rules, state, {0: first, 1: second}, show_thinking)
    session.run(lambda: session.let_play(agents[session.state.current_player()]))
