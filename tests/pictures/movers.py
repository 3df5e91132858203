"""A game of pieces for tests, which walk straight ahead and change at the end. Start at Walkers."""

from __future__ import annotations

from ponderosa import Cell, Game, rule

SIDE = 4
SIGNS = {"w": Cell("w", sign="♟", ink="white"), "b": Cell("b", sign="♟", ink="black"), "": ""}


class Walkers(Game):
    """Walk one piece a turn straight ahead; whoever reaches the end is promoted and wins.

    An action is (column, row, what it becomes); to pass is the text "pass".
    """

    board = "chequered"
    colours = ("white", "black")
    max_game_length = 30

    def setup(self, s):
        s.rows = [["b", "", "", "b"], ["", "", "", ""], ["", "w", "", ""], ["w", "", "", "w"]]
        s.player, s.winner, s.turns = 0, -1, 0

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        step, own = (-1, "w") if s.player == 0 else (1, "b")
        found = ["pass"]
        for row in range(SIDE):
            for column in range(SIDE):
                if s.rows[row][column] == own and 0 <= row + step < SIDE and not s.rows[row + step][column]:
                    last = row + step in (0, SIDE - 1)
                    found += [(column, row, kind) for kind in (("queen", "knight") if last else ("",))]
        return found

    @rule
    def apply_action(s, a):
        s.turns += 1
        step = -1 if s.player == 0 else 1
        if a != "pass":
            column, row, kind = a
            s.rows[row + step][column], s.rows[row][column] = s.rows[row][column], ""
            if kind:
                s.winner = s.player
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return s.winner >= 0 or s.turns >= 20

    @rule
    def returns(s):
        return (0.0, 0.0) if s.winner < 0 else (1.0, -1.0) if s.winner == 0 else (-1.0, 1.0)

    def cells(self, s):
        return [[SIGNS[piece] for piece in row] for row in s.rows]

    def action_cells(self, s, a):
        if a == "pass":
            return ()
        column, row, _ = a
        return (row, column), (row + (-1 if s.player == 0 else 1), column)

    def action_to_string(self, s, a):
        return a if a == "pass" else f"{'abcd'[a[0]]}{SIDE - a[1]}{a[2]}"

    def row_labels(self):
        return ["4", "3", "2", "1"]

    def column_labels(self):
        return ["a", "b", "c", "d"]

    def player_name(self, player):
        return ("White", "Black")[player]
