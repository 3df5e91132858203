"""Checkers, or English draughts: men and kings on the dark squares, and who can take must. Start at Checkers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Planes, Record
from ponderosa.compile.bits import count_bits, lowest_bit
from ponderosa.compile.marks import inlined
from ponderosa.core.cell import Cell
from ponderosa.core.game import Game, rule
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import Rng, below
from ponderosa.games.boards.lines import returns_of
from ponderosa.games.boards.sets import numbers_in

SIDE = 8
PLACES = 35
"""Bits of a board: the 32 dark squares in their order, and after every second row a bit that is no square, so that
down to the left is always 4 bits further and down to the right 5."""
NO_SQUARES = (8, 17, 26)
SQUARES = sum(1 << place for place in range(PLACES) if place not in NO_SQUARES)
FIRST_ROW, LAST_ROW = 0b1111, 0b1111 << 31
NUMBER = tuple(place + 1 - sum(place > gap for gap in NO_SQUARES) for place in range(PLACES))
"""The number of a square as players write it, 1 to 32."""
WAYS = 4
STEPS = (4, 5, -4, -5)
"""Down to the left and right, up to the right and left; an action is place * WAYS + way."""
NOWHERE = -1
NAMES = ("Black", "White")
MEN = 12
MAN_WORTH, KING_WORTH, ROW_WORTH = 0.6, 0.9, 0.03
"""What they add to the logarithm of the odds to win, roughly: a man, a king, and a row that a man has advanced."""


def drawn_endings() -> np.ndarray[Any, Any]:
    """Whether a king against a king is a draw when both play well, by the places of the one to move and the other."""

    def moves(mover: int, other: int) -> list[int] | None:
        """Where the mover can go; None: it takes the other."""
        free = SQUARES & ~(1 << other)
        if any(mover + step == other and free >> max(other + step, 0) & (other + step >= 0) for step in STEPS):
            return None
        return [mover + step for step in STEPS if mover + step >= 0 and free >> (mover + step) & 1]

    pairs = [(mover, other) for mover in numbers_in(SQUARES) for other in numbers_in(SQUARES) if mover != other]
    found = {pair: moves(*pair) for pair in pairs}
    won: set[tuple[int, int]] = {pair for pair, targets in found.items() if targets is None}
    lost: set[tuple[int, int]] = set()
    known = -1
    while known < len(won) + len(lost):
        known = len(won) + len(lost)
        for (mover, other), targets in found.items():
            if targets is not None:
                lost |= {(mover, other)} if all((other, target) in won for target in targets) else set()
                won |= {(mover, other)} if any((other, target) in lost for target in targets) else set()
    table = np.zeros((PLACES, PLACES), np.bool_)
    for pair in pairs:
        table[pair] = pair not in won and pair not in lost
    return table


DRAWN = drawn_endings()


class Checkers(Game):
    """Men step and jump diagonally forward, kings backward too; who can jump must, and goes on while that piece can.

    Who cannot move loses. A man that reaches the last row becomes a king, and its turn ends. Each jump is an action. It
    is a draw when for `draw_after` moves of each player nothing was taken and no man moved (the 40-move rule of the
    World Checkers Draughts Federation; the other draw by rule, the third repetition, comes to the same later). With
    `early_draw`, king against king is a draw where neither can win.
    """

    name = "checkers"
    label = "Checkers"
    board = "chequered"
    max_actions = MEN * WAYS
    observation_shape = (SIDE, SIDE, 7)
    scratch = ("movers", "jumping")
    dtype = np.dtype(
        [
            ("pieces", "i8", 2),  # men and kings of each player, one bit a place
            ("kings", "i8"),  # which of them are kings
            ("movers", "i8", WAYS),  # which pieces of the player to move can go each way
            ("quiet", "i2"),  # turns since something was taken or a man moved
            ("draw_after", "i2"),  # so many such turns are a draw
            ("jumper", "i1"),  # the place of the piece that has to go on jumping, or NOWHERE
            ("jumping", "i1"),  # whether the movers jump
            ("player", "i1"),
            ("winner", "i1"),  # player + 1; 0: nobody yet
            ("drawn", "i1"),
            ("early_draw", "i1"),  # whether to look for draws in endings
        ]
    )

    def __init__(self, draw_after: int = 40, early_draw: bool = False) -> None:
        check_number("checkers: draw_after, moves of each player,", draw_after, 1, 1000, whole=True)
        self.draw_after, self.early_draw = draw_after, early_draw
        # each of 2 * 12 men is taken at most once and advances at most 7 rows
        self.max_game_length = 2 * draw_after * (2 * MEN * 8 + 1)

    def setup(self, s: Record) -> None:
        s.pieces[0] = SQUARES & (1 << 13) - 1
        s.pieces[1] = SQUARES & ~((1 << 22) - 1)
        s.draw_after, s.early_draw, s.jumper = 2 * self.draw_after, self.early_draw, NOWHERE
        find_moves(s)

    @rule
    def current_player(s: Record) -> Any:
        return s.player

    @rule
    def legal_actions(s: Record, actions: Actions) -> Any:
        return fill_moves(s, actions)

    @rule
    def random_action(s: Record, rng: Rng) -> Any:
        first, second, third = count_bits(s.movers[0]), count_bits(s.movers[1]), count_bits(s.movers[2])
        index, way = below(rng, first + second + third + count_bits(s.movers[3])), 0
        while index >= count_bits(s.movers[way]):
            index -= count_bits(s.movers[way])
            way += 1
        movers = s.movers[way]
        for _ in range(index):
            movers &= movers - 1
        return lowest_bit(movers) * WAYS + way

    @rule
    def apply_action(s: Record, a: Int) -> None:
        move(s, a // WAYS, step_of(a % WAYS))

    @rule
    def is_terminal(s: Record) -> Any:
        return s.winner != 0 or s.drawn != 0

    @rule
    def returns(s: Record) -> Any:
        return returns_of(s.winner)

    @rule
    def evaluate(s: Record) -> Any:
        odds = worth_of(s, 0) - worth_of(s, 1)
        value = 2.0 / (1.0 + np.exp(-odds)) - 1.0
        return value, -value

    @rule
    def noisy(s: Record, actions: Actions) -> Any:
        """Jumps, which must be made."""
        return -fill_moves(s, actions) if s.jumping else 0

    @rule
    def prior(s: Record, a: Int) -> Any:
        return promise_of(s, a // WAYS, step_of(a % WAYS))

    @rule
    def key(s: Record) -> Any:
        high = hashed(hashed(hashed(np.int64(s.player), s.pieces[0], HIGH), s.pieces[1], HIGH), s.kings, HIGH)
        low = hashed(hashed(hashed(np.int64(s.quiet), s.pieces[0], LOW), s.pieces[1], LOW), s.kings, LOW)
        return (hashed(high, s.quiet, HIGH) << 31) | hashed(low, s.jumper * 2 + s.player + 2, LOW)

    @rule
    def observe(s: Record, planes: Planes) -> None:
        """One's men and kings, the other's, the piece that has to go on, who moves, and how near the draw is."""
        for place in range(PLACES):
            row, column = row_of(place), column_of(place)
            for seat in range(2):
                if s.pieces[s.player if seat == 0 else 1 - s.player] >> place & 1:
                    planes[row, column, 2 * seat + (s.kings >> place & 1)] = 1.0
            if s.jumper == place:
                planes[row, column, 4] = 1.0
        planes[:, :, 5] = s.player
        planes[:, :, 6] = s.quiet / s.draw_after

    def action_to_string(self, s: Record, a: int) -> str:
        place, step = a // WAYS, STEPS[a % WAYS]
        if s.jumping:
            return f"{NUMBER[place]}x{NUMBER[place + 2 * step]}"
        return f"{NUMBER[place]}-{NUMBER[place + step]}"

    def cells(self, s: Record) -> list[list[str]]:
        board: list[list[str]] = [[""] * SIDE for _ in range(SIDE)]
        for player in range(2):
            for place in numbers_in(s.pieces[player]):
                board[row_of(place)][column_of(place)] = piece(player, int(s.kings) >> place & 1)
        return board

    def action_cells(self, s: Record, a: int) -> list[tuple[int, int]]:
        place, step = a // WAYS, STEPS[a % WAYS]
        return [(row_of(at), column_of(at)) for at in (place, place + step * (2 if s.jumping else 1))]

    def row_labels(self) -> list[str]:
        return [f"{4 * row + 1}-{4 * row + 4}" for row in range(SIDE)]

    def ending(self, s: Record) -> str:
        if s.drawn:
            return "nothing taken and no man moved for long" if s.quiet >= s.draw_after else "neither can win"
        return "no move left" if s.pieces[2 - s.winner] else "all pieces taken"

    def player_name(self, player: int) -> str:
        return NAMES[player]


def piece(player: int, king: int) -> Cell:
    """A man or a king in text and in pictures."""
    stone, ink = (("#222222", "#ffd54f"), ("#f5f1e6", "#8a1c1c"))[player]
    letter = NAMES[player][0]
    return Cell(letter, stone=stone, sign="♛", ink=ink) if king else Cell(letter.lower(), stone=stone)


@inlined
def row_of(place: Int) -> Any:
    return place // 9 * 2 + (place % 9 >= 4)


@inlined
def column_of(place: Int) -> Any:
    return place % 9 * 2 + 1 if place % 9 < 4 else (place % 9 - 4) * 2


@inlined
def step_of(way: Int) -> Any:
    return 4 + (way & 1) if way < 2 else -4 - (way & 1)


@inlined
def shifted(places: Int, step: Int) -> Any:
    """Those from which a step leads to these places."""
    return places >> step if step > 0 else places << -step


@inlined
def fill_moves(s: Record, actions: Actions) -> Any:
    """All moves, and how many they are."""
    count = 0
    for way in range(WAYS):
        movers = s.movers[way]
        while movers != 0:
            actions[count] = lowest_bit(movers) * WAYS + way
            movers &= movers - 1
            count += 1
    return count


@inlined
def find_moves(s: Record) -> None:
    """Which pieces of the player to move can go each way: jump, or step where none can jump."""
    own, other = s.pieces[s.player], s.pieces[1 - s.player]
    free = SQUARES & ~(own | other)
    if s.jumper != NOWHERE:
        own = np.int64(1) << s.jumper
    down = own if s.player == 0 else own & s.kings
    up = own if s.player == 1 else own & s.kings
    first, second = down & other >> 4 & free >> 8, down & other >> 5 & free >> 10
    third, fourth = up & other << 4 & free << 8, up & other << 5 & free << 10
    s.jumping = (first | second | third | fourth) != 0
    if s.jumping == 0 and s.jumper == NOWHERE:
        first, second, third, fourth = down & free >> 4, down & free >> 5, up & free << 4, up & free << 5
    s.movers[0], s.movers[1], s.movers[2], s.movers[3] = first, second, third, fourth


@inlined
def move(s: Record, place: Int, step: Int) -> None:
    """Step or jump, go on if the piece can jump again, and see whether the game is over."""
    player = s.player
    start, jumps = np.int64(1) << place, s.jumping != 0
    at = place + 2 * step if jumps else place + step
    target = np.int64(1) << at
    s.pieces[player] ^= start | target
    king = s.kings & start != 0
    crowned = not king and target & (FIRST_ROW | LAST_ROW) != 0
    s.quiet = s.quiet + 1 if king and not jumps else 0
    s.kings &= ~start
    if king or crowned:
        s.kings |= target
    s.jumper = NOWHERE
    if jumps:
        taken = np.int64(1) << (place + step)
        s.pieces[1 - player] &= ~taken
        s.kings &= ~taken
        if not crowned:
            s.jumper = at
            find_moves(s)
            if s.jumping != 0:
                return
            s.jumper = NOWHERE
    s.player = 1 - player
    find_moves(s)
    if s.movers[0] | s.movers[1] | s.movers[2] | s.movers[3] == 0:
        s.winner = player + 1
    elif s.quiet >= s.draw_after or (s.early_draw != 0 and drawn_ending(s)):
        s.drawn = 1


def drawn_ending(s: Record) -> Any:
    """Whether a king stands against a king, and neither can win."""
    own, other = s.pieces[s.player], s.pieces[1 - s.player]
    if own | other != s.kings or own & (own - 1) != 0 or other & (other - 1) != 0:
        return False
    return DRAWN[lowest_bit(own), lowest_bit(other)]


def worth_of(s: Record, player: Int) -> Any:
    """What a player's men and kings are worth."""
    men, worth = s.pieces[player] & ~s.kings, KING_WORTH * count_bits(s.pieces[player] & s.kings)
    while men != 0:
        row = row_of(lowest_bit(men))
        worth += MAN_WORTH + ROW_WORTH * (row if player == 0 else SIDE - 1 - row)
        men &= men - 1
    return worth


def promise_of(s: Record, place: Int, step: Int) -> Any:
    """Crowning is good, and so is what keeps the back row and does not let the piece be taken."""
    at = place + 2 * step if s.jumping else place + step
    home, goal = (FIRST_ROW, LAST_ROW) if s.player == 0 else (LAST_ROW, FIRST_ROW)
    start, target = np.int64(1) << place, np.int64(1) << at
    other, man = s.pieces[1 - s.player], s.kings & start == 0
    free = SQUARES & ~(s.pieces[0] | s.pieces[1]) | start
    promise = 2.0 * (man and target & goal != 0) - 0.5 * (man and start & home != 0)
    for way in range(WAYS):
        from_there = step_of(way)
        attackers = other if (way < 2) == (s.player == 1) else other & s.kings
        if shifted(target, from_there) & attackers != 0 and shifted(target, -from_there) & free != 0:
            promise -= 1.0
    return promise


HIGH, LOW = (2_000_003, 2**31 - 1), (3_000_017, 2**31 - 19)
"""A factor and a prime for each half of the key."""


@inlined
def hashed(before: Int, number: Int, half: tuple[int, int]) -> Any:
    """A number of less than 31 bits from one such and another number."""
    return (before * half[0] + number) % half[1]
