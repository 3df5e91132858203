"""`ponderosa watch`: agents play each other, and everything is shown. Start at watch."""

from __future__ import annotations

from typing import Annotated

import typer

from ponderosa.cli.common import ByTheClock, DiceSeed, GameName, Moves, ShowThinking, names_of_agents
from ponderosa.cli.console import preparing, remark
from ponderosa.cli.session import Session
from ponderosa.core.notation import position
from ponderosa.errors import SettingError


def watch(
    game: GameName,
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT...",
            help="One for each player, in their order: mcts:seconds=1 random",
            autocompletion=names_of_agents,
        ),
    ],
    moves: Moves = None,
    show_thinking: ShowThinking = False,
    time_control: ByTheClock = None,
    seed: DiceSeed = None,
) -> None:
    """Watch agents play each other; what their players do not see is shown too."""
    from ponderosa.core.clock import TimeControl
    from ponderosa.registry import game_for_people, load_agent

    control = None if time_control is None else TimeControl.of(time_control)
    with preparing(game):
        rules = game_for_people(game)
        if rules.players != len(agents):
            players = f"{rules.players} player{'s' * (rules.players > 1)}"
            raise SettingError(f"{rules.title()} has {players}: name one agent for each, not {len(agents)}")
        state = position(rules, moves)
        seated = [load_agent(agent, rules) for agent in agents]
    if rules.viewed:
        remark("You see everything; each agent sees what its player may see.")
    session = Session(rules, state, dict(enumerate(agents)), show_thinking, seed=seed, agents=seated, control=control)
    session.run(lambda: session.let_play(seated[session.state.to_move()]))
