"""Liar's dice: bid on what lies under all cups, or doubt the last bid. Start at LiarsDice."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Record
from ponderosa.compile.marks import inlined
from ponderosa.core.game import CHANCE, Game, rule
from ponderosa.core.rng import Rng, below
from ponderosa.errors import SettingError
from ponderosa.games.boards.sets import numbers_in
from ponderosa.games.boards.table import drawn_die, table

FACES = 6
MOST_PLAYERS, MOST_DICE = 5, 2


class LiarsDice(Game):
    """Each looks at their own dice only; bids on the dice of all go up, until one says liar. One round.

    A bid, say three fours, says that there are at least this many. More dice are a higher bid, and of as many the
    higher face; ones are the highest and, with `wild`, count as any face. Of the one who doubts and the one who bid
    last, who is wrong loses 1, which the others share. The action of a bid is (dice - 1) * 6 + rank of the face, and of
    `liar` the next number after the highest bid.
    """

    name = "liars_dice"
    label = "Liar's dice"
    chance = hidden = True
    players = 3

    def __init__(self, players: int = 3, dice: int = 1, wild: bool = True) -> None:
        if not 2 <= players <= MOST_PLAYERS:
            raise SettingError(f"liars_dice is for 2 to {MOST_PLAYERS} players, not {players}")
        if not 1 <= dice <= MOST_DICE:
            raise SettingError(f"liars_dice: dice, those of each player, must be 1 to {MOST_DICE}, not {dice}")
        self.players, self.dice, self.wild = players, dice, wild
        everything = players * dice
        self.max_actions = FACES * everything + 1
        self.max_game_length = everything + FACES * everything + 1
        self.dtype = np.dtype(
            [
                ("bids", "i8"),  # all bids so far, one bit each: they go up and round, so this tells who made which
                ("face", "i1", MOST_PLAYERS * MOST_DICE),  # 1 to 6, each player's in order; 0: not rolled, or not seen
                ("all_dice", "i1"),
                ("rolled", "i1"),  # how many dice are rolled, those of the first player first
                ("last", "i1"),  # the last bid, plus 1
                ("player", "i1"),
                ("loser", "i1"),  # player + 1; 0: nobody yet
                ("players", "i1"),
                ("dice", "i1"),
                ("wild", "i1"),
            ]
        )

    def setup(self, s: Record) -> None:
        s.players, s.dice, s.wild = self.players, self.dice, self.wild
        s.all_dice = self.players * self.dice

    @rule
    def current_player(s: Record) -> Any:
        return CHANCE if s.rolled < s.all_dice else s.player

    @rule
    def chance_outcomes(s: Record) -> Any:
        for face in range(1, FACES + 1):
            yield face, 1.0 / FACES

    @rule
    def chance_outcome(s: Record, rng: Rng) -> Any:
        return 1 + below(rng, FACES)

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        count = choices_left(s)
        for index in range(count):
            actions[index] = s.last + index
        return count

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        return s.last + below(rng, choices_left(s))

    @rule
    def apply_action(s: Record, a: Int) -> None:
        if s.rolled < s.all_dice:
            put_die(s, s.rolled // s.dice, s.rolled % s.dice, a)
            s.rolled += 1
        elif a < FACES * s.all_dice:
            s.bids |= np.int64(1) << a
            s.last = a + 1
            s.player = (s.player + 1) % s.players
        else:
            bidder = (s.player + s.players - 1) % s.players
            s.loser = 1 + (s.player if bid_is_true(s) else bidder)

    @rule
    def is_terminal(s: Record) -> Any:
        return s.loser != 0

    @rule
    def returns(s: Record) -> Any:
        scores = np.full(s.players, 1.0 / (s.players - 1))
        scores[s.loser - 1] = -1.0
        return scores

    @rule
    def conceal(s: Record, player: Int) -> None:
        if s.loser == 0:
            for die in range(s.all_dice):
                if die // s.dice != player:
                    s.face[die] = 0

    @rule
    def determinize(s: Record, player: Int, rng: Rng) -> None:
        if s.loser == 0:
            for die in range(s.rolled):
                if die // s.dice != player:
                    put_die(s, die // s.dice, die % s.dice, 1 + below(rng, FACES))

    def action_to_string(self, s: Record, a: int) -> str:
        if a == self.max_actions - 1:
            return "liar"
        return f"{a // FACES + 1} x {face_of(a)}"

    def outcome_to_string(self, s: Record, outcome: int) -> str:
        return str(outcome)

    def ending(self, s: Record) -> str:
        return f"{self.player_name(s.loser - 1)} lost the challenge"

    def picture(self, s: Record) -> str:
        bids = [self.action_to_string(s, bid) for bid in numbers_in(s.bids)]
        rows = []
        for player in range(self.players):
            dice = range(player * self.dice, min((player + 1) * self.dice, int(s.rolled)))
            said = ", ".join(bids[player :: self.players])
            rows.append(
                (self.player_name(player), [drawn_die(int(s.face[at])) for at in dice], said and f"bids {said}")
            )
        return table(rows)

    def draw(self, s: Record) -> str:
        lines = []
        for player in range(self.players):
            dice = range(player * self.dice, (player + 1) * self.dice)
            cup = " ".join(str(s.face[die] or ("?" if die < s.rolled else "-")) for die in dice)
            lines.append(f"{self.player_name(player)}: {cup}")
        bids = [self.action_to_string(s, bid) for bid in numbers_in(s.bids)]
        said = [f"{self.player_name(turn % self.players)} {bid}" for turn, bid in enumerate(bids)]
        lines.append(f"bids: {', '.join(said) or 'none'}")
        return "\n".join(lines)


@inlined
def face_of(bid: Int) -> Any:
    """The face that a bid is about: twos are the lowest, ones the highest."""
    return (bid + 1) % FACES + 1


@inlined
def choices_left(s: Record) -> Any:
    """How many choices there are: every higher bid, and liar once there is a bid."""
    return FACES * s.all_dice - s.last + (s.last > 0)


def bid_is_true(s: Record) -> Any:
    """Whether there are as many dice as the last bid says."""
    bid, count = s.last - 1, 0
    for die in range(s.all_dice):
        if s.face[die] == face_of(bid) or (s.wild and s.face[die] == 1):
            count += 1
    return count > bid // FACES


def put_die(s: Record, player: Int, number: Int, face: Int) -> None:
    """Put a die beside the others of its player, in order: which one was rolled first means nothing."""
    place = player * s.dice + number
    while place > player * s.dice and s.face[place - 1] > face:
        s.face[place] = s.face[place - 1]
        place -= 1
    s.face[place] = face
