"""Rungs of the ladder that are no plain searches: `strong` and `perfect`, on their own games. Start at rivals_of.

The games of a pairing are played move by move together: the network searches for all of them in one forest, the rival
thinks about one after the other.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from ponderosa.arena.openings import NONE, opening_state
from ponderosa.core.dice import roll_on
from ponderosa.core.game import Game
from ponderosa.core.rng import seed_of
from ponderosa.core.state import State
from ponderosa.errors import GameError
from ponderosa.forest.forest import Forest
from ponderosa.registry import load_agent, written_out

STRONG, PERFECT = "strong:iterations=5000", "perfect"
SOLVED_WITHIN = 1_000_000
"""Perfect play takes too long where the beginning of the game is not solved by looking at so many positions."""


def rivals_of(game: Game) -> list[str]:
    """The agents that a network of this game is measured against, beside searches."""
    if game.players != 2:
        return []
    found = [STRONG] if written_out(STRONG, game) == STRONG and _plays(STRONG, game) else []
    if _plays(f"{PERFECT}:positions={SOLVED_WITHIN}", game):
        found.append(PERFECT)
    return found


def _plays(agent: str, game: Game) -> bool:
    try:
        load_agent(agent, game).step(game.new_initial_state())
    except GameError:
        return False
    return True


def scores_against(
    game: Game, network: Mapping[str, Any], rival: str, games: int, openings: int, seed: int, device: str
) -> list[tuple[int, float]]:
    """What a search with a network scores against an agent in each game, with the number of the opening.

    Each opening, of so many random moves, is played by both seats.
    """
    contender = dict(network)
    iterations, most = contender.pop("iterations"), contender.pop("max_nodes")
    forest, agent = Forest(game, 1, device=device, **contender), load_agent(rival, game)
    kind = f"random:{openings}" if openings else NONE
    states = [opening_state(game, kind, None, seed_of(seed, number // 2)) for number in range(games)]
    dice = [random.Random(seed_of(seed, games + number // 2)) for number in range(games)]
    while open_games := _rolled(game, states, dice):
        mine = [number for number in open_games if states[number].to_move() == number % 2]
        if mine:
            report = forest.beside(len(mine)).run(
                [states[number] for number in mine], iterations=iterations, max_nodes=most
            )
            _go_on(report)
            for number, action in zip(mine, np.asarray(report.best_actions).tolist(), strict=True):
                states[number].apply_action(action)
        for number in set(open_games).difference(mine):
            action = agent.step(states[number])
            _go_on(agent.last_report)
            states[number].apply_action(action)
    return [(number // 2, _score(game, state, number % 2)) for number, state in enumerate(states)]


def _rolled(game: Game, states: list[State], dice: list[random.Random]) -> list[int]:
    """Let dice fall; the games that go on."""
    for state, luck in zip(states, dice, strict=True):
        roll_on(state, luck)
    return [
        number for number, state in enumerate(states) if not state.is_terminal() and len(state.history()) < game.longest
    ]


def _go_on(report: Any) -> None:
    """Whoever searches ends at Ctrl-C with what there is; here, that ends the games."""
    if report is not None and report.stopped == "interrupted":
        raise KeyboardInterrupt


def _score(game: Game, state: State, seat: int) -> float:
    """From 0 to 1; a game that is too long is a draw."""
    if not state.is_terminal():
        return 0.5
    own, other = state.returns()[seat], state.returns()[1 - seat]
    return 0.5 if own == other else float(own > other)
