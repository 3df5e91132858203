"""Tic-tac-toe as a user would write it: as a compiled game, and as a plain Python class. Start at OwnTicTacToe."""

from __future__ import annotations

import numpy as np

from ponderosa import Game, rule

LINES = np.array([(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)])


def winner(board):
    """1 or 2 for three in a row of that player, else 0."""
    for line in range(8):
        stone = board[LINES[line, 0]]
        if stone != 0 and stone == board[LINES[line, 1]] and stone == board[LINES[line, 2]]:
            return stone
    return 0


class OwnTicTacToe(Game):
    """Three in a row on 3 x 3."""

    dtype = np.dtype([("board", "i1", 9), ("player", "i1")])
    max_game_length = 9

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        for cell in range(9):
            if s.board[cell] == 0:
                yield cell

    @rule
    def apply_action(s, a):
        s.board[a] = s.player + 1
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return winner(s.board) != 0 or np.all(s.board != 0)

    @rule
    def returns(s):
        won = winner(s.board)
        return (0.0, 0.0) if won == 0 else (1.0, -1.0) if won == 1 else (-1.0, 1.0)


class PlainTicTacToe:
    """The same in plain Python, with the method names of OpenSpiel and those of the package `mcts`."""

    def __init__(self, board=(0,) * 9, player=0):
        self.board = list(board)
        self.player = player

    def current_player(self):
        return -4 if self.is_terminal() else self.player

    def legal_actions(self):
        return [cell for cell in range(9) if not self.board[cell]]

    def apply_action(self, action):
        self.board[action] = self.player + 1
        self.player = 1 - self.player

    def is_terminal(self):
        return self.winner() != 0 or all(self.board)

    def returns(self):
        won = self.winner()
        return [0.0, 0.0] if won == 0 else [1.0, -1.0] if won == 1 else [-1.0, 1.0]

    def clone(self):
        return PlainTicTacToe(self.board, self.player)

    def winner(self):
        board = self.board
        for a, b, c in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
            if board[a] and board[a] == board[b] == board[c]:
                return board[a]
        return 0

    def get_current_player(self):
        return 1 if self.player == 0 else -1

    def get_possible_actions(self):
        return self.legal_actions()

    def take_action(self, action):
        after = self.clone()
        after.apply_action(action)
        return after

    def get_reward(self):
        return self.returns()[0]
