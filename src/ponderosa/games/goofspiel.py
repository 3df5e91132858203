"""Goofspiel: both bid a card for the same prize, at once. Start at Goofspiel."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Record
from ponderosa.compile.bits import lowest_bit
from ponderosa.core.game import CHANCE, SIMULTANEOUS, Game, rule
from ponderosa.core.rng import Rng
from ponderosa.errors import SettingError
from ponderosa.games.boards.sets import numbers_in, one_of
from ponderosa.games.boards.table import drawn_card, table

MOST_CARDS = 13
ORDERS = ("random", "descending", "ascending")


class Goofspiel(Game):
    """Bid one of your cards 1 to n for a prize, each card once; the higher bid gets its points, equal bids nobody.

    `prizes`, worth 1 to n too, come in random, descending or ascending order; whoever has more points in the end wins.
    The action of a card is its number less one.
    """

    name = "goofspiel"
    label = "Goofspiel"
    chance = simultaneous = True

    def __init__(self, cards: int = 6, prizes: str = "random") -> None:
        if not 1 <= cards <= MOST_CARDS:
            raise SettingError(f"goofspiel is played with 1 to {MOST_CARDS} cards, not {cards}")
        if prizes not in ORDERS:
            raise SettingError(f"goofspiel: prizes come in one of the orders {', '.join(ORDERS)}, not {prizes!r}")
        self.cards, self.prizes = cards, prizes
        self.max_actions = cards
        self.max_game_length = 3 * cards  # a prize and two bids, each
        self.dtype = np.dtype(
            [
                ("hand", "i2", 2),  # the cards of each player, one bit each
                ("deck", "i2"),  # the prizes that are not yet on the table
                ("points", "i2", 2),
                ("prize", "i1"),  # what is bid for; 0: it is still to be turned up
                ("order", "i1"),  # its place in ORDERS
            ]
        )

    def setup(self, s: Record) -> None:
        s.hand[:] = s.deck = 2**self.cards - 1
        s.order = ORDERS.index(self.prizes)
        next_prize(s)

    @rule
    def current_player(s: Record) -> Any:
        return CHANCE if s.prize == 0 else SIMULTANEOUS

    @rule
    def chance_outcomes(s: Record) -> Any:
        count = 0
        for card in range(MOST_CARDS):
            count += s.deck >> card & 1
        for card in range(MOST_CARDS):
            if s.deck >> card & 1:
                yield card, 1.0 / count

    @rule
    def chance_outcome(s: Record, rng: Rng) -> Any:
        return one_of(s.deck, rng)

    @rule
    def legal_actions(s: Record, player: Int, actions: Actions) -> Any:
        cards, count = s.hand[player] | 0, 0
        while cards != 0:
            actions[count] = lowest_bit(cards)
            cards &= cards - 1
            count += 1
        return count

    @rule
    def random_action(s: Record, player: Int, rng: Rng) -> Any:
        return one_of(s.hand[player], rng)

    @rule
    def apply_action(s: Record, a: Int) -> None:
        turn_up(s, a)

    @rule
    def apply_actions(s: Record, actions: Actions) -> None:
        for player in range(2):
            s.hand[player] ^= 1 << actions[player]
            if actions[player] > actions[1 - player]:
                s.points[player] += s.prize
        s.prize = 0
        next_prize(s)

    @rule
    def is_terminal(s: Record) -> Any:
        return s.hand[0] == 0

    @rule
    def returns(s: Record) -> Any:
        lead = float(np.sign(s.points[0] - s.points[1]))
        return lead, -lead

    def action_to_string(self, s: Record, a: int) -> str:
        return str(a + 1)

    def outcome_to_string(self, s: Record, outcome: int) -> str:
        return str(outcome + 1)

    def ending(self, s: Record) -> str:
        return f"{s.points[0]} : {s.points[1]} points"

    def picture(self, s: Record) -> str:
        prize = [drawn_card(str(s.prize), "♦", red=True)] if s.prize else []
        rows = [("prize", prize, f"still to come: {written(s.deck)}")]
        for player in range(2):
            hand = [drawn_card(str(number + 1), "♣" if player else "♠") for number in numbers_in(s.hand[player])]
            rows.append((f"{self.player_name(player)}: {s.points[player]}", hand, ""))
        return table(rows)

    def draw(self, s: Record) -> str:
        lines = [f"prize: {s.prize or '-'}   still to come: {written(s.deck)}"]
        for player in range(2):
            lines.append(f"{self.player_name(player)}: {s.points[player]} points, cards {written(s.hand[player])}")
        return "\n".join(lines)


def turn_up(s: Record, card: Int) -> None:
    """A prize is on the table."""
    s.prize = card + 1
    s.deck ^= 1 << card


def next_prize(s: Record) -> None:
    """Where the order is fixed, the next prize is on the table without any chance."""
    if s.order == 0 or s.deck == 0:
        return
    card = lowest_bit(s.deck)
    if s.order == 1:
        while s.deck >> (card + 1) != 0:
            card += 1
    turn_up(s, card)


def written(cards: int) -> str:
    return " ".join(str(card + 1) for card in numbers_in(cards)) or "-"
