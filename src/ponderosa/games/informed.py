"""The Connect family as a good player sees it: windows, threats and near cells. Start at InformedConnect.

Every k cells in a line are a window. The state counts, as stones are placed, how many of them each player has in every
window; a window without a stone of the other player that lacks no more than a turn's stones is hot. From the hot
windows follow the moves that win this turn and those that stop the opponent from winning in the next: the WinSave rule
of Kenyon's "A Monte Carlo Tree Search Library in Haskell" (2012), for any (m, n, k, p, q).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ponderosa.core.errors import SettingError
from ponderosa.core.game import rule
from ponderosa.core.rng import below
from ponderosa.games.connect import Connect, end_move, take_cell
from ponderosa.games.lines import bounds_by_open_lines, place_stone

MOST_HOT = 64
"""So many hot windows of a player are listed; with more, the whole board is looked at."""


class InformedConnect(Connect):
    """A Connect game whose states know every window; `near` and `forced` shorten the tree's list of moves."""

    name = "informed"
    scratch: tuple[str, ...] = (*Connect.scratch, "hot", "hots", "counts", "cover", "cover_window", "cover_place")

    def __init__(
        self,
        m: int = 15,
        n: int = 15,
        k: int = 5,
        p: int = 1,
        q: int = 1,
        exact: bool = False,
        near: int = 2,
        forced: bool = True,
    ) -> None:
        """`near`: only cells so close to a stone (0: all cells). `forced`: only winning or blocking moves, if any."""
        super().__init__(m, n, k, p, q, exact)
        if not 0 <= near <= 8:
            raise SettingError(f"near must be from 0 (every cell) to 8, not {near}")
        self.near, self.forced = near, forced
        assert self.dtype is not None
        self.dtype = np.dtype(
            [
                *[(name, *_field(self.dtype, name)) for name in self.dtype.names or ()],
                (
                    "counts",
                    "i1",
                    2 * 4 * m * n,
                ),  # stones of a player in the window of a direction that begins at a cell
                ("hot", "i2", 2 * MOST_HOT),  # each player's hot windows, and some that are no longer
                ("hots", "i2", 2),  # how many are listed; MOST_HOT + 1: more than fit
                ("cover", "i2", 17),  # scratch space of coverable
                ("cover_window", "i2", 18),
                ("cover_place", "i1", 18),
                ("near", "i1"),
                ("forced", "i1"),
            ]
        )

    @classmethod
    def of(cls, game: Connect, near: int = 2, forced: bool = True) -> Self:
        """The same game, informed."""
        return cls(game.m, game.n, game.k, game.p, game.q, game.exact, near, forced)

    def state_after(self, actions: list[int]) -> Any:
        """The state after actions that are known to be legal."""
        state = self.new_initial_state()
        for action in actions:
            state._apply(action)
            state._history.append(action)
        return state

    def setup(self, s: Any) -> None:
        super().setup(s)
        s.near, s.forced = self.near, self.forced

    @rule
    def apply_action(s: Any, a: Any) -> None:
        take_cell(s, a)
        row = s.row[a]
        column = a - row * s.columns
        count_windows(s, row, column, s.player)
        if place_stone(s, row, column, s.player):
            s.winner = s.player + 1
        end_move(s)

    @rule
    def playout_action(s: Any, rng: Any) -> Any:
        window = hot_window(s, s.player, s.stones)
        if window >= 0:
            return empty_cell(s, window, below(rng, s.k))
        window = hot_window(s, 1 - s.player, s.p)
        if window < 0:
            return np.int64(s.empty[below(rng, s.left)])
        if s.p == 1 and s.stones == 1:
            return empty_cell(s, window, 0)
        return blocking_cell(s, window, below(rng, s.k))

    @rule
    def candidates(s: Any, actions: Any) -> Any:
        if s.forced != 0:
            count = forced_moves(s, actions)
            if count > 0:
                return count
        if s.near == 0 or s.left == s.rows * s.columns:
            return all_or_centre(s, actions)
        return near_cells(s, actions)

    @rule
    def bounds(s: Any) -> Any:
        if hot_window(s, s.player, s.stones) >= 0:
            return 1.0, 1.0
        if hot_window(s, 1 - s.player, s.p) >= 0 and not coverable(s, -1):
            return -1.0, -1.0
        return bounds_by_open_lines(s)

    @rule
    def winning_action(s: Any) -> Any:
        window = hot_window(s, s.player, 1)
        return empty_cell(s, window, 0) if window >= 0 else np.int64(-1)

    @rule
    def evaluate(s: Any) -> Any:
        own, other = open_windows(s, s.player), open_windows(s, 1 - s.player)
        worth = 2.0 / (1.0 + np.exp(-(own * 1.2 - other) / 60.0)) - 1.0
        return (worth, -worth) if s.player == 0 else (-worth, worth)


def _field(dtype: np.dtype[Any], name: str) -> tuple[Any, ...]:
    kind = dtype[name]
    return (kind.base, kind.shape) if kind.shape else (kind,)


def step_of(s: Any, direction: Any) -> Any:
    """From one cell of a window to the next: right, up, up and right, up and left."""
    if direction == 0:
        return np.int64(1)
    return np.int64(s.columns + (0 if direction == 1 else 1 if direction == 2 else -1))


def count_windows(s: Any, row: Any, column: Any, player: Any) -> None:
    """Count a stone that is about to be placed in all windows through its cell, and list those that get hot."""
    cells = s.rows * s.columns
    right, up = s.columns - 1 - column, s.rows - 1 - row
    count_along(s, row, column, 0, column, right, player, cells)
    count_along(s, row, column, 1, row, up, player, cells)
    count_along(s, row, column, 2, min(row, column), min(up, right), player, cells)
    count_along(s, row, column, 3, min(row, right), min(up, column), player, cells)


def count_along(
    s: Any, row: Any, column: Any, direction: Any, behind: Any, ahead: Any, player: Any, cells: Any
) -> None:
    """The windows of one direction; `behind` and `ahead` are the cells of the line before and after this one."""
    step = step_of(s, direction)
    own, other = (player * 4 + direction) * cells, ((1 - player) * 4 + direction) * cells
    threshold = s.k - s.p
    begin = row * s.columns + column - max(0, s.k - 1 - ahead) * step
    for _ in range(max(0, s.k - 1 - ahead), min(s.k - 1, behind) + 1):
        stones = s.counts[own + begin] + 1
        s.counts[own + begin] = stones
        if stones == max(threshold, 1) and s.counts[other + begin] == 0:
            list_hot(s, player, direction * cells + begin)
        begin -= step


def list_hot(s: Any, player: Any, window: Any) -> None:
    """Note a window that has become hot; a full list is given up."""
    count = s.hots[player]
    if count < MOST_HOT:
        s.hot[player * MOST_HOT + count] = window
    s.hots[player] = min(count + 1, MOST_HOT + 1)


def hot_window(s: Any, player: Any, stones: Any) -> Any:
    """A window that the player fills with so many stones, or -1; windows that are blocked for ever leave the list."""
    if s.hots[player] > MOST_HOT:
        return hot_window_anywhere(s, player, stones)
    cells4 = 4 * s.rows * s.columns
    index = 0
    while index < s.hots[player]:
        window = s.hot[player * MOST_HOT + index]
        if s.counts[(1 - player) * cells4 + window] > 0:
            s.hots[player] -= 1
            s.hot[player * MOST_HOT + index] = s.hot[player * MOST_HOT + s.hots[player]]
        elif s.k - s.counts[player * cells4 + window] <= stones and wins_if_filled(s, window, player):
            return np.int64(window)
        else:
            index += 1
    return np.int64(-1)


def hot_window_anywhere(s: Any, player: Any, stones: Any) -> Any:
    """The same by looking at every window."""
    for window in range(4 * s.rows * s.columns):
        if is_hot(s, window, player, stones):
            return np.int64(window)
    return np.int64(-1)


def is_hot(s: Any, window: Any, player: Any, stones: Any) -> Any:
    """Whether the player wins by filling a window, with at most so many stones."""
    cells4 = 4 * s.rows * s.columns
    own = s.counts[player * cells4 + window]
    return (
        own > 0
        and s.k - own <= stones
        and s.counts[(1 - player) * cells4 + window] == 0
        and wins_if_filled(s, window, player)
    )


def wins_if_filled(s: Any, window: Any, player: Any) -> Any:
    """Whether a full window is a winning line; with `exact`, it must not go on at either end."""
    if s.exact == 0:
        return True
    cells = s.rows * s.columns
    direction, begin = window // cells, window % cells
    right = 1 if direction == 0 or direction == 2 else 0 if direction == 1 else -1
    up = 0 if direction == 0 else 1
    row, column = begin // s.columns, begin % s.columns
    return not has_stone(s, row - up, column - right, player) and not has_stone(
        s, row + up * s.k, column + right * s.k, player
    )


def has_stone(s: Any, row: Any, column: Any, player: Any) -> Any:
    """Whether a cell is on the board and holds a stone of the player."""
    inside = 0 <= row < s.rows and 0 <= column < s.columns
    return inside and (s.lines[player * 4 * s.span + row] >> column) & 1 != 0


def is_empty(s: Any, action: Any) -> Any:
    """Whether a cell is empty: it stands in the front part of the list."""
    return s.place[action] < s.left and s.empty[s.place[action]] == action


def empty_cell(s: Any, window: Any, skip: Any) -> Any:
    """An empty cell of a window, the first one from place `skip` on, round about."""
    cells = s.rows * s.columns
    step = step_of(s, window // cells)
    for index in range(s.k):
        action = window % cells + ((skip + index) % s.k) * step
        if is_empty(s, action):
            return np.int64(action)
    return np.int64(-1)


def blocking_cell(s: Any, window: Any, skip: Any) -> Any:
    """A cell of the opponent's hot window from which all hot windows can still be stopped, if there is one."""
    cells = s.rows * s.columns
    step = step_of(s, window // cells)
    for index in range(s.k):
        action = window % cells + ((skip + index) % s.k) * step
        if is_empty(s, action) and coverable(s, action):
            return np.int64(action)
    return empty_cell(s, window, skip)


def covers(s: Any, window: Any, action: Any) -> Any:
    """Whether a cell lies in a window."""
    cells = s.rows * s.columns
    step = step_of(s, window // cells)
    found = False
    for index in range(s.k):
        found = found or window % cells + index * step == action
    return found


def uncovered_window(s: Any, chosen: Any) -> Any:
    """A window that the opponent wins with next turn and that none of the first chosen cells lies in, or -1."""
    player = 1 - s.player
    many = s.hots[player] > MOST_HOT
    for index in range(4 * s.rows * s.columns if many else s.hots[player]):
        window = np.int64(index) if many else np.int64(s.hot[player * MOST_HOT + index])
        if is_hot(s, window, player, s.p):
            covered = False
            for cell in range(chosen):
                covered = covered or covers(s, window, s.cover[cell])
            if not covered:
                return window
    return np.int64(-1)


def coverable(s: Any, action: Any) -> Any:
    """Whether the stones of this turn, the first on this cell (-1: anywhere), can stop every win of the opponent.

    A window that is not stopped needs a stone on one of its empty cells: each is tried, then the next window.
    """
    chosen = 0
    if action >= 0:
        s.cover[0] = action
        chosen = 1
    least = chosen
    cells = s.rows * s.columns
    window = uncovered_window(s, chosen)
    s.cover_window[chosen], s.cover_place[chosen] = window, -1
    while window >= 0:
        step = step_of(s, window // cells)
        place = s.cover_place[chosen] + 1
        while place < s.k and not is_empty(s, window % cells + place * step):
            place += 1
        if chosen < s.stones and place < s.k:
            s.cover_place[chosen] = place
            s.cover[chosen] = window % cells + place * step
            chosen += 1
            window = uncovered_window(s, chosen)
            s.cover_window[chosen], s.cover_place[chosen] = window, -1
        elif chosen > least:
            chosen -= 1
            window = np.int64(s.cover_window[chosen])
        else:
            return False
    return True


def forced_moves(s: Any, actions: Any) -> Any:
    """The moves of a side that must win or block now; 0 if it is free. A side that cannot block has any move."""
    window = hot_window(s, s.player, s.stones)
    if window >= 0:
        actions[0] = empty_cell(s, window, 0)
        return 1
    if hot_window(s, 1 - s.player, s.p) < 0:
        return 0
    count = 0
    player = 1 - s.player
    many = s.hots[player] > MOST_HOT
    for index in range(4 * s.rows * s.columns if many else s.hots[player]):
        window = np.int64(index) if many else np.int64(s.hot[player * MOST_HOT + index])
        if is_hot(s, window, player, s.p):
            count = add_blocks(s, window, actions, count)
    return count


def add_blocks(s: Any, window: Any, actions: Any, count: Any) -> Any:
    """Add a window's empty cells from which everything can be stopped to a list, each once."""
    cells = s.rows * s.columns
    step = step_of(s, window // cells)
    for place in range(s.k):
        action = window % cells + place * step
        if is_empty(s, action):
            known = False
            for index in range(count):
                known = known or actions[index] == action
            if not known and coverable(s, action):
                actions[count] = action
                count += 1
    return count


def all_or_centre(s: Any, actions: Any) -> Any:
    """Every empty cell; on an empty board with `near`, the one in the middle."""
    if s.near > 0:
        actions[0] = (s.rows // 2) * s.columns + s.columns // 2
        return 1
    for index in range(s.left):
        actions[index] = s.empty[index]
    return s.left


def near_cells(s: Any, actions: Any) -> Any:
    """The empty cells within a distance of a stone: every row's stones, widened by shifts, on the rows around it."""
    count = 0
    full = (1 << s.columns) - 1
    other = 4 * s.span
    for row in range(s.rows):
        close = np.int64(0)
        for at in range(max(0, row - s.near), min(s.rows, row + s.near + 1)):
            stones = np.int64(s.lines[at]) | np.int64(s.lines[other + at])
            for shift in range(s.near + 1):
                close |= (stones << shift) | (stones >> shift)
        close &= full & ~(np.int64(s.lines[row]) | np.int64(s.lines[other + row]))
        for column in range(s.columns):
            if close >> column & 1:
                actions[count] = row * s.columns + column
                count += 1
    return count


def open_windows(s: Any, player: Any) -> Any:
    """The squares of a player's stones in windows that the other has no stone in, summed."""
    cells4 = 4 * s.rows * s.columns
    total = 0
    for window in range(cells4):
        stones = s.counts[player * cells4 + window]
        if stones > 0 and s.counts[(1 - player) * cells4 + window] == 0:
            total += stones * stones
    return total
