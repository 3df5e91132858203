"""One tiny game of each class, for the tests of all that plays games. Start at SMALL_GAMES."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ponderosa import CHANCE, SIMULTANEOUS, Game, below, rule

FILE = Path(__file__)


def spec(game: type[Game]) -> str:
    """What to write for one of these games, wherever it is read."""
    return f"{FILE}:{game.__name__}"


class Doubling(Game):
    """One player and dice: stop and keep your points, or flip a coin that doubles them or takes them all."""

    players = 1
    chance = True
    min_utility, max_utility = 0.0, float("inf")
    dtype = np.dtype([("points", "i4"), ("flips", "i4"), ("flying", "i1"), ("over", "i1")])

    def setup(self, s: Any) -> None:
        s.points = 1

    @rule
    def current_player(s):
        return CHANCE if s.flying else 0

    @rule
    def chance_outcomes(s):
        yield 0, 0.4
        yield 1, 0.6

    @rule
    def legal_actions(s):
        yield 0
        if s.flips < 5:
            yield 1

    @rule
    def apply_action(s, a):
        if s.flying:
            s.points *= 2 * a
            s.flips += 1
            s.flying, s.over = False, s.points == 0
        else:
            s.flying, s.over = a == 1, a == 0

    @rule
    def is_terminal(s):
        return s.over != 0

    @rule
    def returns(s):
        return (float(s.points),)

    def action_to_string(self, s: Any, a: Any) -> str:
        return "flip" if a else "stop"

    def outcome_to_string(self, s: Any, outcome: Any) -> str:
        return "heads" if outcome else "tails"

    def draw(self, s: Any) -> str:
        return f"{s.points} points"


class HighCard(Game):
    """Hidden cards: each of two gets one from 0 to 9 and may bet; who bets alone wins, else the higher card does."""

    chance = hidden = True
    min_utility, max_utility = -2.0, 2.0
    dtype = np.dtype([("card", "i1", 2), ("bet", "i1", 2), ("step", "i1")])

    def setup(self, s: Any) -> None:
        s.card[:] = -1

    @rule
    def current_player(s):
        return CHANCE if s.step < 2 else s.step - 2

    @rule
    def chance_outcomes(s):
        for card in range(10):
            if card != s.card[0]:
                yield card, 0.1 if s.step == 0 else 1.0 / 9.0

    @rule
    def legal_actions(s):
        yield 0
        yield 1

    @rule
    def apply_action(s, a):
        if s.step < 2:
            s.card[s.step] = a
        else:
            s.bet[s.step - 2] = a
        s.step += 1

    @rule
    def is_terminal(s):
        return s.step == 4

    @rule
    def returns(s):
        stake = 1.0 + (s.bet[0] and s.bet[1])
        first = s.bet[0] > s.bet[1] or (s.bet[0] == s.bet[1] and s.card[0] > s.card[1])
        return (stake, -stake) if first else (-stake, stake)

    @rule
    def conceal(s, player):
        s.card[1 - player] = -1

    @rule
    def determinize(s, player, rng):
        if s.step > 1 - player:
            card = below(rng, 9)
            s.card[1 - player] = card + (card >= s.card[player])

    def action_to_string(self, s: Any, a: Any) -> str:
        return "bet" if a else "pass"

    def outcome_to_string(self, s: Any, outcome: Any) -> str:
        return f"card{outcome}"

    def draw(self, s: Any) -> str:
        cards = " ".join("hidden" if card < 0 else f"card{card}" for card in s.card)
        return f"{cards} bets {s.bet[0]} {s.bet[1]}"


class Pennies(Game):
    """Choices at once: both show a coin three times; equal ones are the first player's."""

    simultaneous = True
    min_utility, max_utility = -3.0, 3.0
    dtype = np.dtype([("won", "i1"), ("round", "i1"), ("shown", "i1", 2)])

    @rule
    def current_player(s):
        return SIMULTANEOUS

    @rule
    def legal_actions(s, player):
        yield 0
        yield 1

    @rule
    def apply_actions(s, actions):
        s.shown[0], s.shown[1] = actions[0], actions[1]
        s.won += 1 if actions[0] == actions[1] else -1
        s.round += 1

    @rule
    def is_terminal(s):
        return s.round == 3

    @rule
    def returns(s):
        return (float(s.won), -float(s.won))

    def action_to_string(self, s: Any, a: Any) -> str:
        return "heads" if a else "tails"

    def draw(self, s: Any) -> str:
        return f"round {s.round}, first player {s.won:+d}"


class BlindRow(Game):
    """Hidden marks on a board of 1x4: players mark cells in turn; who finds a cell taken has wasted a move."""

    hidden = True
    players = 2
    dtype = np.dtype([("owner", "i1", 4), ("seen", "i1", (2, 4)), ("moves", "i1")])
    max_actions = 4

    @rule
    def current_player(s):
        return s.moves % 2

    @rule
    def legal_actions(s):
        for cell in range(4):
            if s.seen[s.moves % 2, cell] == 0:
                yield cell

    @rule
    def apply_action(s, a):
        player = s.moves % 2
        if s.owner[a] == 0:
            s.owner[a] = player + 1
        s.seen[player, a] = s.owner[a]
        s.moves += 1

    @rule
    def is_terminal(s):
        return s.moves == 4

    @rule
    def returns(s):
        first = 0
        for cell in range(4):
            first += (s.owner[cell] == 1) - (s.owner[cell] == 2)
        value = 1.0 if first > 0 else -1.0 if first < 0 else 0.0
        return (value, -value)

    @rule
    def conceal(s, player):
        for cell in range(4):
            s.owner[cell] = s.seen[player, cell]
            s.seen[1 - player, cell] = 0

    @rule
    def determinize(s, player, rng):
        other = 1 - player
        left = (s.moves + player) // 2  # as many moves as the other has made
        for cell in range(4):
            if s.owner[cell] == other + 1:
                s.seen[other, cell] = other + 1
                left -= 1
        while left > 0:
            cell = below(rng, 4)
            if s.seen[other, cell] == 0:
                if s.owner[cell] == 0:
                    s.owner[cell] = other + 1
                s.seen[other, cell] = s.owner[cell]
                left -= 1

    def player_name(self, player: int) -> str:
        return "XO"[player]

    def action_to_string(self, s: Any, a: Any) -> str:
        return "abcd"[a]

    def cells(self, s: Any) -> list[list[str]]:
        return [[["", "X", "O"][owner] for owner in s.owner]]

    def cell_actions(self, s: Any) -> list[list[int]]:
        return [[0, 1, 2, 3]]

    def column_labels(self) -> list[str]:
        return list("abcd")


class Race(Game):
    """Three players and a die: take a step of one, or of what the die shows; who is furthest after two rounds wins."""

    players = 3
    chance = True
    min_utility, max_utility = 0.0, 1.0
    dtype = np.dtype([("place", "i1", 3), ("turn", "i1"), ("rolling", "i1")])

    @rule
    def current_player(s):
        return CHANCE if s.rolling else s.turn % 3

    @rule
    def chance_outcomes(s):
        for shown in range(4):
            yield shown, 0.25

    @rule
    def legal_actions(s):
        yield 0
        yield 1

    @rule
    def apply_action(s, a):
        if s.rolling:
            s.place[s.turn % 3] += a
            s.rolling = 0
            s.turn += 1
        elif a == 1:
            s.rolling = 1
        else:
            s.place[s.turn % 3] += 1
            s.turn += 1

    @rule
    def is_terminal(s):
        return s.turn == 6 and not s.rolling

    @rule
    def returns(s):
        best = max(s.place[0], s.place[1], s.place[2])
        return (
            1.0 if s.place[0] == best else 0.0,
            1.0 if s.place[1] == best else 0.0,
            1.0 if s.place[2] == best else 0.0,
        )


SMALL_GAMES = (Doubling, HighCard, Pennies, BlindRow, Race)
