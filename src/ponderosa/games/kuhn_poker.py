"""Kuhn poker: three cards, two players, one bet. Start at KuhnPoker."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, Record
from ponderosa.compile.marks import inlined
from ponderosa.core.game import CHANCE, Game, rule
from ponderosa.core.rng import Rng, below
from ponderosa.games.boards.table import drawn_card, table

CARDS = ("jack", "queen", "king")
PASS, BET = 0, 1


class KuhnPoker(Game):
    """Each puts one into the pot, gets one of three cards, and may bet one more; who does not match a bet is out.

    When the game is over, the cards are shown. H. W. Kuhn, "A simplified two-person poker" (1950).
    """

    name = "kuhn_poker"
    label = "Kuhn poker"
    chance = hidden = True
    min_utility, max_utility = -2.0, 2.0
    max_game_length = 5  # two cards, and at most pass, bet, and the answer
    max_actions = len(CARDS)
    dtype = np.dtype(
        [
            ("card", "i1", 2),  # 1 jack, 2 queen, 3 king; 0: none, or not seen
            ("bet", "i1", 2),  # what each has put into the pot after the first one
            ("dealt", "i1"),
            ("played", "i1"),
        ]
    )

    @rule
    def current_player(s: Record) -> Any:
        return CHANCE if s.dealt < 2 else s.played % 2

    @rule
    def chance_outcomes(s: Record) -> Any:
        for card in range(3):
            if card + 1 != s.card[0]:
                yield card, 0.5 if s.card[0] else 1.0 / 3.0

    @rule
    def legal_actions(s: Record) -> Any:
        yield PASS
        yield BET

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return below(rng, 2)

    @rule
    def apply_action(s: Record, a: Int) -> None:
        if s.dealt < 2:
            s.card[s.dealt] = a + 1
            s.dealt += 1
        else:
            s.bet[s.played % 2] = a
            s.played += 1

    @rule
    def is_terminal(s: Record) -> Any:
        return is_over(s)

    @rule
    def returns(s: Record) -> Any:
        stake = 1.0 + min(s.bet[0], s.bet[1])
        first_wins = s.bet[0] > s.bet[1] or (s.bet[0] == s.bet[1] and s.card[0] > s.card[1])
        return (stake, -stake) if first_wins else (-stake, stake)

    @rule
    def conceal(s: Record, player: Int) -> None:
        if not is_over(s):
            s.card[1 - player] = 0

    @rule
    def determinize(s: Record, player: Int, rng: Rng) -> None:
        own = s.card[player]
        if not is_over(s) and s.dealt > 1 - player:  # the other has a card
            card = 1 + below(rng, 2 if own else 3)
            s.card[1 - player] = card + (own != 0 and card >= own)

    def action_to_string(self, s: Record, a: int) -> str:
        return "bet" if a == BET else "pass"

    def outcome_to_string(self, s: Record, outcome: int) -> str:
        return CARDS[outcome]

    def ending(self, s: Record) -> str:
        return "the higher card" if s.bet[0] == s.bet[1] else "the other folded"

    def draw(self, s: Record) -> str:
        hands = [f"{self.player_name(player)}: {shown(s, player)}, {1 + s.bet[player]} in the pot" for player in (0, 1)]
        return "\n".join(hands)

    def picture(self, s: Record) -> str:
        return table([(self.player_name(player), [hand_of(s, player)], coins(1 + s.bet[player])) for player in (0, 1)])


@inlined
def is_over(s: Record) -> Any:
    """Whether both have had their say: the first has another one after a pass and a bet."""
    return s.played == 3 or (s.played == 2 and s.bet[0] >= s.bet[1])


def hand_of(s: Record, player: int) -> str:
    """A player's card as a picture; its back where it is not seen."""
    number = int(s.card[player])
    return drawn_card("JQK"[number - 1], "♠") if number else drawn_card() if s.dealt > player else ""


def coins(count: int) -> str:
    """What a player has put into the pot."""
    return f"{'●' * int(count)} {count} in the pot"


def shown(s: Record, player: int) -> str:
    """A player's card in words."""
    if s.card[player]:
        return CARDS[s.card[player] - 1]
    return "a card" if s.dealt > player else "no card"
