"""Backgammon: fifteen checkers each, home and off the board, as the dice allow. Start at Backgammon.

A player's points are numbered as that player goes: 24 the farthest, 6 to 1 home, BAR behind 24, OFF behind 1. A turn is
a roll and then an action for each checker that is moved.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record
from ponderosa.compile.bits import count_bits, leading_zeros, lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.core.cell import Cell
from ponderosa.core.game import CHANCE, Game, rule
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import Rng, below
from ponderosa.core.state import State
from ponderosa.games.boards import backgammon_picture

OFF, HOME, POINTS, BAR = 0, 6, 24, 25
PLACES = 26
CHECKERS = 15
START = {24: 2, 13: 5, 8: 3, 6: 5}
"""Where a player's checkers begin."""
FACES = 6
PASS = FACES * FACES
"""Outcomes of dice are before it: (one - 1) * FACES + other - 1."""
MOVE = PASS + 1
"""Actions are MOVE + place * FACES + die - 1."""
NAMES = ("White", "Black")
PIPS_A_ROLL, VARIANCE = 49 / 6, 665 / 36
"""What dice give in a turn, doubles counted four times: its mean, and its variance."""
UNITS = 4
"""Numbers that tell a network of a point: one or more checkers, two, three, and half of those above three."""
SEEN_OF_PLAYER = UNITS * POINTS + 2
HASH = (np.random.SeedSequence(1929).generate_state(2 * PLACES * 16, np.uint64) >> np.uint64(1)).astype(np.int64)
"""Of a player's places with so many checkers (A. L. Zobrist 1970), at (player * PLACES + place) * 16 + checkers."""
TURN_FACTOR = 0x9E3779B1


class Backgammon(Game):
    """Bring your checkers home and bear them off first; a single one that is hit begins again from the bar.

    Both dice must be used if there is a way, of two that cannot both be used the higher one, and doubles count four
    times. Points are written as the player to move counts them: 13/7, bar/20, 6/off, a hit 8/4*. With `gammons` a win
    counts two if the other has borne off nothing, and three if a checker of that is on the bar or in the winner's home.
    There is no doubling cube. After so many `turns` the game is a draw.
    """

    name = "backgammon"
    label = "Backgammon"
    colours = ("#f6f0dd", "#38302b")
    chance = True
    max_actions = FACES * FACES
    observation_shape = (2 * SEEN_OF_PLAYER + FACES + 1,)
    scratch = ("movers",)
    dtype = np.dtype(
        [
            ("held", "i4", 2),  # the places at which a player has checkers, a bit each
            ("barred", "i4", 2),  # the points at which the other has two or more, as this player counts them
            ("movers", "i4", 2),  # from where a checker can go by each die
            ("turn", "i2"),  # turns so far
            ("turns", "i2"),  # so many are a draw
            ("count", "i1", 2 * PLACES),  # each player's checkers at each place
            ("dice", "i1", 2),  # what they show, the higher one first; 0: they are to be rolled
            ("left", "i1", 2),  # how often each of them can still be used
            ("player", "i1"),
            ("result", "i1"),  # what the first player has won, less than 0 if lost
            ("gammons", "i1"),
        ]
    )

    def __init__(self, gammons: bool = False, turns: int = 500) -> None:
        check_number("backgammon: turns, after which it is a draw,", turns, 1, 10_000, whole=True)
        self.gammons, self.turns = gammons, turns
        self.max_utility = 3.0 if gammons else 1.0
        self.min_utility = -self.max_utility
        self.max_game_length = 5 * turns  # a roll, and four checkers at most

    def setup(self, s: Record) -> None:
        s.gammons, s.turns = self.gammons, self.turns
        for player in range(2):
            for place, checkers in START.items():
                for _ in range(checkers):
                    put(s, player, place)

    @rule
    def current_player(s: Record) -> Any:
        return CHANCE if s.dice[0] == 0 else s.player

    @rule
    def chance_outcomes(s: Record) -> Any:
        """Two dice; for the first turn one die of each player, until they differ: whoever has the higher one begins."""
        for one in range(FACES):
            for other in range(FACES):
                if s.turn == 0 and one != other:
                    yield one * FACES + other, 1.0 / (FACES * FACES - FACES)
                elif s.turn != 0 and one >= other:
                    yield one * FACES + other, (1.0 if one == other else 2.0) / (FACES * FACES)

    @rule
    def chance_outcome(s: Record, rng: Rng) -> Any:
        one, other = below(rng, FACES), below(rng, FACES)
        while s.turn == 0 and one == other:
            other = below(rng, FACES)
        return one * FACES + other if one > other or s.turn == 0 else other * FACES + one

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        count = 0
        for index in range(2):
            movers = s.movers[index]
            while movers != 0:
                actions[count] = MOVE + lowest_bit(movers) * FACES + s.dice[index] - 1
                movers &= movers - 1
                count += 1
        if count == 0:
            actions[0], count = PASS, 1
        return count

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        by_first = count_bits(s.movers[0])
        count = by_first + count_bits(s.movers[1])
        if count == 0:
            return np.int64(PASS)
        left = below(rng, count)
        index = 0 if left < by_first else 1
        movers = s.movers[index]
        for _ in range(left - index * by_first):
            movers &= movers - 1
        return np.int64(MOVE + lowest_bit(movers) * FACES + s.dice[index] - 1)

    @rule
    def apply_action(s: Record, a: Int) -> None:
        if s.dice[0] == 0:
            roll(s, a // FACES + 1, a % FACES + 1)
        elif a == PASS:
            end_turn(s)
        else:
            place, die = (a - MOVE) // FACES, (a - MOVE) % FACES + 1
            s.left[0 if die == s.dice[0] else 1] -= 1
            move(s, place, die)
            find_moves(s)
            if s.result != 0 or s.movers[0] | s.movers[1] == 0:
                end_turn(s)

    @rule
    def is_terminal(s: Record) -> Any:
        return s.result != 0 or s.turn > s.turns

    @rule
    def returns(s: Record) -> Any:
        return float(s.result), -float(s.result)

    @rule
    def evaluate(s: Record) -> Any:
        """As if no checker met another: who is ahead, by how much of what the dice still decide.

        A player with p pips to go takes about p / 49 * 6 more turns, and what each of them gives varies independently.
        """
        own, other = pips(s, s.player), pips(s, 1 - s.player)
        ahead = other - own + (0.5 if s.dice[0] == 0 else 1.0) * PIPS_A_ROLL
        spread = math.sqrt(VARIANCE * max(own + other, 1) / PIPS_A_ROLL)
        value = math.erf(ahead / spread / math.sqrt(2.0))
        return (value, -value) if s.player == 0 else (-value, value)

    @rule
    def key(s: Record) -> Any:
        rolled = (np.int64(s.turn) * (FACES + 1) + s.dice[0]) * (FACES + 1) + s.dice[1]
        found = (((rolled * 5 + s.left[0]) * 2 + s.left[1]) * 2 + s.player) * TURN_FACTOR
        for player in range(2):
            held = s.held[player]
            while held != 0:
                place = player * PLACES + lowest_bit(held)
                found ^= HASH[place * 16 + s.count[place]]
                held &= held - 1
        return found

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """What is at each point, on the bar and off the board, one's own and the other's; what the dice still give.

        After G. Tesauro, "Practical issues in temporal difference learning" (1992).
        """
        for seat in range(2):
            first, base = (s.player + seat) % 2 * PLACES, seat * SEEN_OF_PLAYER
            for point in range(1, POINTS + 1):
                checkers, at = s.count[first + point], base + (point - 1) * UNITS
                for least in range(1, UNITS):
                    planes[at + least - 1] = 1.0 if checkers >= least else 0.0
                planes[at + UNITS - 1] = max(checkers - 3, 0) / 2.0
            planes[base + UNITS * POINTS] = s.count[first + BAR] / 2.0
            planes[base + UNITS * POINTS + 1] = s.count[first + OFF] / CHECKERS
        for index in range(2):
            if s.left[index] != 0:
                planes[2 * SEEN_OF_PLAYER + s.dice[index] - 1] = s.left[index]
        planes[2 * SEEN_OF_PLAYER + FACES] = s.turn / s.turns

    def action_to_string(self, s: Record, a: int) -> str:
        if a == PASS:
            return "pass"
        place, die = (a - MOVE) // FACES, (a - MOVE) % FACES + 1
        target = max(place - die, OFF)
        begin = "bar" if place == BAR else str(place)
        if target == OFF:  # with a larger die than is needed, the die is named
            return f"{begin}/off" + (f"({die})" if die > place else "")
        return f"{begin}/{target}" + ("*" if s.held[1 - s.player] >> (BAR - target) & 1 else "")

    def outcome_to_string(self, s: Record, outcome: int) -> str:
        """The higher die first; of the first roll White's, then Black's."""
        return f"{outcome // FACES + 1}-{outcome % FACES + 1}"

    def parse_action(self, text: str, state: State) -> Any:
        """The star of a hit may be left out."""
        names = {state.action_to_string(action) for action in state.legal_actions()}
        return super().parse_action(f"{text.strip()}*" if f"{text.strip().lower()}*" in names else text, state)

    def cells(self, s: Record) -> list[list[Cell]]:
        return backgammon_picture.cells(s)

    def action_cells(self, s: Record, a: int) -> list[tuple[int, int]]:
        if a <= PASS:
            return []
        place, die = (a - MOVE) // FACES, (a - MOVE) % FACES + 1
        return backgammon_picture.cells_of_move(s, s.player, place, max(place - die, OFF))

    def picture(self, s: Record) -> str:
        return backgammon_picture.picture(s)

    def ending(self, s: Record) -> str:
        return ("too many turns", "all checkers borne off", "a gammon", "a backgammon")[abs(int(s.result))]

    def draw(self, s: Record) -> str:
        return backgammon_picture.as_text(s, NAMES)

    def player_name(self, player: int) -> str:
        return NAMES[player]


@inlined
def put(s: Record, player: Int, place: Int) -> None:
    """Put a checker at a place."""
    at = player * PLACES + place
    s.count[at] += 1
    if s.count[at] == 1:
        s.held[player] |= 1 << place
    elif s.count[at] == 2 and OFF < place < BAR:
        s.barred[1 - player] |= 1 << (BAR - place)


@inlined
def take(s: Record, player: Int, place: Int) -> None:
    """Take a checker from a place."""
    at = player * PLACES + place
    s.count[at] -= 1
    if s.count[at] == 0:
        s.held[player] ^= 1 << place
    elif s.count[at] == 1 and place < BAR:
        s.barred[1 - player] ^= 1 << (BAR - place)


@inlined
def roll(s: Record, one: Int, other: Int) -> None:
    """The dice show these numbers; the first ones, a die of each player, say who begins."""
    if s.turn == 0:
        s.player = 0 if one > other else 1
    s.dice[0], s.dice[1] = max(one, other), min(one, other)
    s.left[0], s.left[1] = (4, 0) if one == other else (1, 1)
    s.turn += 1
    find_moves(s)


@inlined
def end_turn(s: Record) -> None:
    """The other's dice are to be rolled; who has no turn left to do so ends the game."""
    s.dice[:] = 0
    s.left[:] = 0
    s.movers[:] = 0
    s.player = 1 - s.player
    if s.turn == s.turns:
        s.turn += 1


@inlined
def move(s: Record, place: Int, die: Int) -> None:
    """Move a checker, hit what stands alone where it comes, and see whether it was the last one."""
    player, target = s.player, max(place - die, OFF)
    take(s, player, place)
    put(s, player, target)
    if target == OFF:
        if s.count[player * PLACES + OFF] == CHECKERS:
            worth = worth_of_win(s, player)
            s.result = worth if player == 0 else -worth
    elif s.held[1 - player] >> (BAR - target) & 1:
        take(s, 1 - player, BAR - target)
        put(s, 1 - player, BAR)


@inlined
def worth_of_win(s: Record, winner: Int) -> Any:
    """One; with gammons two or three, if the other has borne off nothing."""
    other = 1 - winner
    if s.gammons == 0 or s.count[other * PLACES + OFF] != 0:
        return 1
    return 3 if s.held[other] >> (POINTS - HOME + 1) != 0 else 2


@inlined
def movable(held: Int, barred: Int, die: Int) -> Any:
    """From which places a checker can go by a die, of a player with checkers at the places `held`."""
    if held >> BAR & 1:
        return held & 0 if barred >> (BAR - die) & 1 else held & 1 << BAR
    found = held & ~(barred << die) & -(1 << (die + 1))
    if held >> (HOME + 1) == 0:  # all are home or off
        found |= held & 1 << die
        home = held & ~1
        if home != 0 and home >> die == 0:  # the dice show more than is needed: the farthest one may go
            found |= 1 << (63 - leading_zeros(np.int64(home)))
    return found


@inlined
def find_moves(s: Record) -> None:
    """From where a checker can go by each die, so that as many dice as possible are used, else the higher one."""
    player = s.player
    held, barred = s.held[player], s.barred[player]
    first = movable(held, barred, s.dice[0]) if s.left[0] != 0 else held & 0
    second = movable(held, barred, s.dice[1]) if s.left[1] != 0 else held & 0
    if s.left[0] == 1 and s.left[1] == 1:
        first_of_two = with_answer(s, first, second, s.dice[0], s.dice[1])
        second_of_two = with_answer(s, second, first, s.dice[1], s.dice[0])
        if first_of_two | second_of_two != 0:
            first, second = first_of_two, second_of_two
        elif first != 0:
            second = held & 0
    s.movers[0], s.movers[1] = first, second


@inlined
def with_answer(s: Record, movers: Int, others: Int, die: Int, other_die: Int) -> Any:
    """Those of the movers after whose move by one die there is one by the other die."""
    if others & (others - 1) != 0:  # a move of one checker spoils no other's
        return movers
    player = s.player
    found, left = movers, movers
    while left != 0:
        place = lowest_bit(left)
        left &= left - 1
        single = s.count[player * PLACES + place] == 1
        if others == 0 or (single and others >> place & 1):
            held = s.held[player] | 1 << max(place - die, OFF)
            if single:
                held ^= 1 << place
            if movable(held, s.barred[player], other_die) == 0:
                found ^= 1 << place
    return found


@inlined
def pips(s: Record, player: Int) -> Any:
    """How many points a player's checkers have to go in all."""
    found = 0
    for place in range(1, BAR + 1):
        found += place * s.count[player * PLACES + place]
    return found
