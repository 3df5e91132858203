"""Pig: roll on or hold what you have, and lose it all with a one. Start at Pig."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, Planes, Record
from ponderosa.core.game import CHANCE, Game, rule
from ponderosa.core.rng import Rng, below
from ponderosa.errors import SettingError
from ponderosa.games.boards.table import drawn_bar, drawn_die, table

ROLL, HOLD = 0, 1


class Pig(Game):
    """Roll as long as you dare: a 1 loses the points of this turn, to hold keeps them; the target wins.

    The winner gets 1, all others -1. After `horizon` decisions without a winner it is a draw, 0 for all.
    """

    name = "pig"
    label = "Pig"
    chance = True

    def __init__(self, target: int = 100, sides: int = 6, players: int = 2, horizon: int = 1000) -> None:
        if not 1 <= target <= 10_000:
            raise SettingError(f"pig: target, the points that win, must be from 1 to 10000, not {target}")
        if not 2 <= sides <= 100:
            raise SettingError(f"pig: sides of the die must be from 2 to 100, not {sides}")
        if not 2 <= players <= 10:
            raise SettingError(f"pig is for 2 to 10 players, not {players}")
        if not 1 <= horizon <= 1_000_000:
            raise SettingError(f"pig: horizon, the most decisions of a game, must be from 1 to 1000000, not {horizon}")
        self.target, self.sides, self.players, self.horizon = target, sides, players, horizon
        self.max_actions = max(2, sides)
        self.observation_shape = (players + 3,)
        self.max_game_length = 2 * horizon  # a roll may follow every decision
        self.dtype = np.dtype(
            [
                ("points", "i4", players),  # what each player has kept
                ("turn", "i4"),  # what the player to move would keep now
                ("left", "i4"),  # decisions until the game is a draw
                ("target", "i4"),
                ("result", "i1", players),  # what each player gets
                ("player", "i1"),
                ("rolling", "i1"),  # whether the die is in the air
                ("over", "i1"),
                ("sides", "i1"),
                ("players", "i1"),
            ]
        )

    def setup(self, s: Record) -> None:
        s.target, s.sides, s.players, s.left = self.target, self.sides, self.players, self.horizon

    @rule
    def current_player(s: Record) -> Any:
        return CHANCE if s.rolling else s.player

    @rule
    def chance_outcomes(s: Record) -> Any:
        for face in range(1, s.sides + 1):
            yield face, 1.0 / s.sides

    @rule
    def chance_outcome(s: Record, rng: Rng) -> Any:
        return below(rng, s.sides) + 1

    @rule
    def legal_actions(s: Record) -> Any:
        yield ROLL
        yield HOLD

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return below(rng, 2)

    @rule
    def apply_action(s: Record, a: Int) -> None:
        if s.rolling:
            s.rolling = 0
            if a == 1:
                pass_die(s)
            else:
                s.turn += a
        else:
            s.left -= 1
            if a == ROLL:
                s.rolling = 1
            else:
                hold(s)
        if s.left == 0 and s.rolling == 0:
            s.over = 1

    @rule
    def is_terminal(s: Record) -> Any:
        return s.over != 0

    @rule
    def returns(s: Record) -> Any:
        return s.result

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """What each player has kept, the one to move first, and what they would keep now; the die; what is left."""
        for seat in range(s.players):
            planes[seat] = s.points[(s.player + seat) % s.players] / s.target
        planes[s.players] = s.turn / s.target
        planes[s.players + 1] = s.rolling
        planes[s.players + 2] = math.log1p(s.left)

    def action_to_string(self, s: Record, a: int) -> str:
        return "hold" if a == HOLD else "roll"

    def ending(self, s: Record) -> str:
        return f"{' : '.join(map(str, s.points))} points"

    def picture(self, s: Record) -> str:
        rows = []
        for player in range(self.players):
            own = player == s.player and not s.over
            words = f"{s.points[player]} of {self.target}" + (f", and {s.turn} now" if own else "")
            things: list[str] = [
                drawn_bar(s.points[player] / self.target),
                *([drawn_die()] if own and s.rolling else []),
            ]
            rows.append((self.player_name(player), things, words))
        return table(rows)

    def draw(self, s: Record) -> str:
        rows = [f"{self.player_name(player)}: {s.points[player]} of {self.target}" for player in range(self.players)]
        if not s.over:
            rows[s.player] += f", and {s.turn} in this turn" + (", the die rolls" if s.rolling else "")
        return "\n".join(rows)


def hold(s: Record) -> None:
    """Keep the points of this turn; enough of them win."""
    s.points[s.player] += s.turn
    if s.points[s.player] >= s.target:
        s.result[:] = -1
        s.result[s.player] = 1
        s.over = 1
    else:
        pass_die(s)


def pass_die(s: Record) -> None:
    """The next player's turn begins."""
    s.turn = 0
    s.player = s.player + 1 if s.player + 1 < s.players else 0
