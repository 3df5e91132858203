"""Principal variation search over shapes on one board, deepened ply by ply. Start at ShapePlayer.think."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ponderosa.compile.annotations import Int, Ints, Record, StateBytes
from ponderosa.compile.enabled import jit_enabled
from ponderosa.compile.functions import relinked
from ponderosa.compile.record_view import PlainRecord, record_view
from ponderosa.connect.evaluations import CELLS
from ponderosa.connect.shapes.lazy_smp import NO_LIMIT, LazySmp
from ponderosa.connect.shapes.learned_values import learned_value, learned_value_within, put_later, take_and_forget
from ponderosa.connect.shapes.pvs import (
    CERTAIN,
    CHECKED,
    FORCED_WIN,
    PLIES,
    PUT,
    SEARCH,
    SIDE_KEYS,
    TAKE,
    query,
    win_by_fours,
)
from ponderosa.connect.shapes.shape_board import (
    FIELD,
    FIVE,
    KINDS,
    MEETING,
    MEETINGS,
    THREE,
    WAITING,
    WORD,
    WORDS,
    WORTH,
)
from ponderosa.connect.shapes.shape_network import (
    CODES,
    HIDDEN,
    LAYERS,
    WIDTH,
    ShapeNetwork,
    check_fits,
    pattern_of,
    patterns,
    swapped,
)
from ponderosa.connect.shapes.shape_table import MOST_REACH, SHAPES, WAYS, Shapes, reach_of, shape, shapes_of
from ponderosa.connect.shapes.shape_weights import APART, NO_FIELD, WEIGHTS, Weights, Worth, meetings
from ponderosa.connect.shapes.two_stone_threats import STACK
from ponderosa.connect.threats.windows import cells_of
from ponderosa.core.budget import Budget
from ponderosa.games.boards.lines import LONGEST_SIDE, span_of
from ponderosa.games.connect import Connect

TABLE = 2**20
"""Positions remembered, 16 bytes each."""
DEEPEST = 60
LONGEST_LINE = 12
"""Moves of the principal variation that is reported."""
SLICE_SECONDS, SLICE = 0.05, 50_000
"""How long it searches between two looks at the clock, or how many positions when there is none."""
LAST_SHARE = 0.6
"""No slice takes more of the time that is left: positions are not all equally quick."""
FIRST_SLICE, LEAST_SLICE = 5_000, 200
SPEED = 200_000.0
"""Positions a second, at least, until that is measured."""
CHECK_SPEED = 400_000.0
"""Positions a second in a search for forced wins, at most: they are not as quick as those that the table knows."""
CHECKS = 0.15
"""The share of the positions that may go to forced wins against the turns that seem best, with two stones a turn."""
LEARNED = [
    ("pattern_of", "u2", CODES),
    ("pattern_vectors", "i2", patterns()[0] * 2 * WIDTH),  # as player 0 sees the pattern, and as player 1 does
    ("order", "i2", CELLS),  # cell and player of the stones, by the empty cells they left
    ("noted_bits", "i8", 8 * span_of(LONGEST_SIDE, LONGEST_SIDE)),  # as `bits`, without the stones not yet noted
    ("noted", "i8"),
    ("vectors", "i2", CELLS * 2 * WIDTH),  # a cell: the sum of the patterns on its four lines, for either player
    ("active", "i4", (CELLS + 1) * 2 * WIDTH),  # by the empty cells left: what those have of these
    ("layer", "i4", HIDDEN),
    ("layer_weights", "i2", LAYERS * (2 * WIDTH + 1) * HIDDEN),
    ("last_weights", "f4", LAYERS * (HIDDEN + 1)),
]
"""The fields of the board that only a network needs."""
SMALL = 2.5
"""Boards with sides shorter than this many lines are small: there a player who does not attack has a draw at best."""
POINTS = 400.0
BELIEVED = 0.999
"""What a win is worth to people that is not certain, because some replies were left out."""


@dataclass
class Thought:
    """What a search has found."""

    best: int = -1
    """The cell to play."""
    value: float = 0.5
    """What the player to move can hope for, from 0 to 1."""
    depth: int = 0
    steady: int = 0
    """How many depths in a row have found this move the best."""
    positions: int = 0
    stopped: str = ""
    moves: dict[int, tuple[float, int]] = field(default_factory=dict)
    """For the moves at the root: a value, for all but the best the most that it can be, and positions behind it."""


def fits(game: Connect) -> bool:
    """Whether there are tables and weights for the game."""
    return game.p in WEIGHTS and game.k >= 3 and reach_of(game.k, game.exact) <= MOST_REACH


class ShapePlayer:
    """A board with shapes, its transposition table and its threads; for one stone a turn, or two."""

    def __init__(
        self,
        game: Connect,
        table: int = TABLE,
        clock: Callable[[], float] = time.perf_counter,
        weights: Weights | None = None,
        threads: int = 1,
        network: ShapeNetwork | None = None,
    ) -> None:
        """`table`: how many positions are remembered, a power of two; `weights`: others than the game's own; `threads`:
        how many search together; `network`: corrects what the weights say of positions.
        """
        if network is not None:
            check_fits(game)
        m, n = game.m, game.n
        self.game, self.clock, self.speed = game, clock, SPEED
        self.dtype = _layout(network is not None)
        self.data = np.zeros(self.dtype.itemsize, np.uint8)
        self.record = s = PlainRecord(self.data, self.dtype)
        s.rows, s.columns, s.span, s.p, s.k = m, n, span_of(m, n), game.p, game.k
        s.reach, s.left, s.words = reach_of(game.k, game.exact), m * n, -(-m * n // WORD)
        s.row[: m * n] = np.arange(m * n) // n
        lines = 4 * int(s.span)
        for line in range(lines):
            border = ~(cells_of(s, line) << s.reach) & ((1 << 60) - 1)
            s.bits[line] = s.bits[lines + line] = border
        self._weights = weights or WEIGHTS[game.p]
        self._counted: dict[int, Any] = {}  # what shapes are worth where they meet, by stage
        self._count(self._weights)
        self._weigh(self._weights.at(0))
        self.shapes = shapes_of(game.k, game.exact)
        self.table = np.zeros((table, 2), np.int64)
        if network is not None:
            self._learn(network)
        self._query = _compiled(self.dtype, game.p, network is not None)
        self._speeds = deque([SPEED], maxlen=8)  # in the last slices
        self._placed: list[tuple[int, int]] = []
        self._threads = LazySmp(threads - 1, self.dtype)

    def forget(self) -> None:
        """As new."""
        self.table[:] = 0
        self.record.history[:] = 0
        self.record.checked[:] = 0
        self.record.generation = 0

    def remember(self, positions: int) -> None:
        """Remember no more positions than this from now on."""
        size = 1 << max(1, positions.bit_length() - 1)
        if size < len(self.table):
            self.table = np.zeros((size, 2), np.int64)

    def place(self, moves: list[int]) -> None:
        """Make the board hold the stones of these moves."""
        stones = [(cell, self.game.turn(ply)[0]) for ply, cell in enumerate(moves)]
        same = 0
        while same < min(len(stones), len(self._placed)) and stones[same] == self._placed[same]:
            same += 1
        for cell, player in reversed(self._placed[same:]):
            self._run(TAKE, cell, player, 0)
        for cell, player in stones[same:]:
            self._run(PUT, cell, player, 0)
        self._placed = stones

    def worth(self, cell: int) -> int:
        """What a cell of the board is good for to either player, as the search orders moves."""
        return sum(int(self.record.sums[player * CELLS + cell]) >> WORTH for player in (0, 1))

    def forced_win(self, moves: list[int], effort: int) -> list[int]:
        """The stones of a turn that begins a win in which the opponent never has a choice; empty if none is found.

        A stone that completes a line is always found; else only for two stones a turn, both still to be played, and
        lines that may be longer than k.
        """
        player, stones = self.game.turn(len(moves))
        self.place(moves)
        if self.record.counts[player * KINDS + FIVE] > 0:
            free = np.asarray(self.record.taken) == 0
            kinds = np.asarray(self.record.kind[player * CELLS : (player + 1) * CELLS])
            return [int(np.flatnonzero(free & (kinds == FIVE))[0])]
        if stones != 2 or self.game.exact:
            return []
        turn = [self._run(FORCED_WIN, player, 0, effort), int(self.record.second)]
        return [cell for cell in turn if cell >= 0]

    def line(self, moves: list[int], best: int) -> list[int]:
        """What both players would do after these moves: the best one, and what is remembered as best after it."""
        line = [best]
        while len(line) < LONGEST_LINE and (move := self._table_move([*moves, *line])) >= 0:
            line.append(move)
        self.place(moves)
        return line

    def _table_move(self, moves: list[int]) -> int:
        """The best move after these, if the table has one; else -1."""
        self.place(moves)
        player, stones = self.game.turn(len(moves))
        key = int(self.record.key) ^ int(SIDE_KEYS[32 * int(self.record.root) + 2 * (stones - 1) + player])
        place = key & (len(self.table) - 2)
        for mark, entry in self.table[place : place + 2].tolist():
            move = (entry & 2047) - 1
            if mark ^ entry == key and move >= 0 and self.record.taken[move] == 0:
                return int(move)
        return -1

    def think(
        self,
        moves: list[int],
        budget: Budget,
        chosen: list[int] | None = None,
        watch: Callable[[Thought], Any] = lambda thought: True,
    ) -> Thought:
        """Search the position after these moves until the budget (iterations are positions) or a proof ends it.

        `chosen`: only these moves at the root. `watch` is called after every slice; False ends the search.
        """
        s, start = self.record, self.clock()
        self.enter_stage(len(moves))
        self.place(moves)
        player, s.stones = self.game.turn(len(moves))
        s.root = player if s.contempt else 0
        s.nodes, s.preferred, s.generation = 0, -1, (int(s.generation) + 1) % 1024
        s.killers[:] = -1
        s.history[:] = s.history // 8
        s.choices = len(chosen or [])
        s.chosen[: s.choices] = chosen or []
        s.checks = int(self.game.p > 1 and not self.game.exact)
        s.checking, s.last = self._most_checks(budget), NO_LIMIT
        thought = Thought()
        try:
            with self._threads.searching(self.data, lambda data, depth: self._search_to(data, player, depth), DEEPEST):
                while not thought.stopped:
                    thought.stopped = self._ended(thought, budget, start)
                    if not thought.stopped:
                        self._search(thought, player, self._slice(budget, start))
                        thought.stopped = "" if watch(thought) is not False else "progress"
        except KeyboardInterrupt:
            thought.stopped = "interrupted"
        return thought

    def _ended(self, thought: Thought, budget: Budget, start: float) -> str:
        """What ends the search, if anything does; at least one slice is searched."""
        if thought.best < 0:
            return ""
        if budget.seconds is not None and self.clock() - start >= budget.seconds:
            return "seconds"
        most = budget.iterations or (budget.max_nodes if budget.seconds is None else None)
        if most is not None and thought.positions >= most:
            return "iterations"
        if thought.depth > 0 and self.record.listed == 1:
            return "forced"
        deepest = min(DEEPEST, int(self.record.left))
        return "depth" if thought.depth >= deepest or (thought.depth > 0 and thought.value == 1.0) else ""

    def _slice(self, budget: Budget, start: float) -> int:
        """How many positions to search before the next look at the clock."""
        size, most = SLICE, budget.iterations or (budget.max_nodes if budget.seconds is None else None)
        if budget.seconds is not None:
            left = max(0.0, start + budget.seconds - self.clock())
            slowest = min(self._speeds)
            speed = self.speed if left > 2 * SLICE_SECONDS else slowest
            size = int(min(LAST_SHARE * left, SLICE_SECONDS) * speed)
            self.record.last = int(self.record.nodes) + int(left * min(slowest, CHECK_SPEED))
        if most is not None:
            size = min(size, int(most) - int(self.record.nodes) - self._threads.nodes)
        return max(LEAST_SLICE, size)

    def _most_checks(self, budget: Budget) -> int:
        """How many positions may be looked at to check turns."""
        if budget.seconds is not None:
            return int(CHECKS * self.speed * budget.seconds)
        return int(CHECKS * (budget.iterations or budget.max_nodes or 0))

    def _search(self, thought: Thought, player: int, size: int) -> None:
        """Search one ply deeper than before, or go on with that, for `size` positions."""
        s, already, start = self.record, int(self.record.nodes), self.clock()
        s.done, s.preferred = 0, thought.best
        self._run(SEARCH, player, thought.depth + 1, size)
        thought.positions = int(s.nodes) + self._threads.nodes
        measured = (int(s.nodes) - already) / max(self.clock() - start, 1e-6)
        self.speed = max(SPEED / 4, measured)
        self._speeds.append(self.speed)
        if s.done == 0 and thought.best < 0:
            thought.best = int(s.best)
        if s.done > 0:
            thought.steady = thought.steady if thought.best == int(s.best) else 0
            thought.best, thought.value = int(s.best), float(win_probability(np.int64(s.value)))
            nodes, values = np.asarray(s.root_nodes), np.asarray(s.root_value)
            cells = np.flatnonzero(nodes)
            for cell, value, more in zip(
                cells.tolist(), win_probability(values[cells]).tolist(), nodes[cells].tolist(), strict=True
            ):
                thought.moves[cell] = value, thought.moves.get(cell, (0.0, 0))[1] + more
        s.root_nodes[:] = 0
        if s.stopped == 0:
            thought.depth, thought.steady = thought.depth + 1, thought.steady + 1

    def _search_to(self, data: StateBytes, player: int, depth: int) -> int:
        """Search to a depth on the board of another thread."""
        return int(self._query(data, self.shapes, self.table, SEARCH, player, depth, NO_LIMIT))

    def _run(self, what: int, first: int, second: int, limit: int) -> int:
        return int(self._query(self.data, self.shapes, self.table, what, first, second, limit))

    def enter_stage(self, stones: int) -> None:
        """Weigh the shapes as fits the number of stones; what the table holds was weighed otherwise."""
        worth = self._weights.at(stones)
        if worth is not self._worth:
            self.place([])
            self._weigh(worth)
            self.table[:] = 0

    def _count(self, weights: Weights) -> None:
        """Write down what shapes count for."""
        s = self.record
        for missing in range(self.game.k - 1):
            for ways in range(WAYS):
                number = shape(missing, ways)
                counted = weights.fields[missing][ways] if missing < len(weights.fields) else NO_FIELD
                meets = weights.classes[missing][ways] if missing < len(weights.classes) else 0
                s.counted[number] = (
                    weights.order[missing][ways] << WORTH
                    | APART[meets] << MEETING
                    | (0 if counted < 0 else 1 << counted * FIELD)
                )
        s.contempt = weights.contempt if max(self.game.m, self.game.n) < SMALL * self.game.k else 0

    def _learn(self, network: ShapeNetwork) -> None:
        """Write down what a network says, before there are any stones."""
        s = self.record
        both = np.concatenate([network.vectors, network.vectors[swapped()]], axis=1)
        s.pattern_of[:], s.pattern_vectors[:] = pattern_of(), both.reshape(-1)
        s.noted, s.noted_bits[:] = s.left, s.bits
        s.layer_weights[:] = network.layer.reshape(-1)
        s.last_weights[:] = network.last.reshape(-1) * np.float32(POINTS)

    def _weigh(self, worth: Worth) -> None:
        """Write down what shapes are worth, before there are any."""
        s, self._worth = self.record, worth
        s.value_of[:] = self._values(worth)
        s.tempo = worth.tempo
        s.bonus[THREE : THREE + 4] = worth.moving_kinds
        s.bonus[KINDS + THREE : KINDS + THREE + 4] = worth.waiting_kinds

    def _values(self, worth: Worth) -> Any:
        """What all shapes that can meet on a cell are worth, counted once."""
        if worth.stones not in self._counted:
            values = self._counted[worth.stones] = np.zeros(MEETINGS, np.int64)
            for number, moving, waiting in meetings(worth):
                values[number] = moving + (waiting << WAITING)
        return self._counted[worth.stones]


def win_probability(values: Any) -> Any:
    """Values of positions from 0 (loss) to 1 (win)."""
    likely = np.clip(1.0 / (1.0 + np.exp(-values / POINTS)), 1.0 - BELIEVED, BELIEVED)
    return np.where(np.abs(values) > CERTAIN, values > 0, likely)


def _layout(learned: bool) -> np.dtype[Any]:
    """The board and what its search writes on: one size for all boards, so that it is compiled once."""
    lines = 4 * span_of(LONGEST_SIDE, LONGEST_SIDE)
    numbers = (
        "rows", "columns", "span", "reach", "words", "k", "p", "left", "key", "logged", "stones", "tempo", "top",
        "first_answer", "second", "effort", "nodes", "limit", "stopped", "generation", "preferred", "best", "value",
        "done", "last", "listed", "choices", "checks", "checking", "root", "contempt",
    )  # fmt: skip
    return np.dtype(
        [
            ("bits", "i8", 2 * lines),  # the stones of a line, with the border as stones of both
            ("shape", "u2", 4 * CELLS),  # a cell's shapes in a direction, as shape_table.py writes them
            ("sums", "i8", 2 * CELLS),  # a player's cell: how many shapes of each kind, and what it is good for
            ("kind", "u1", 2 * CELLS),
            ("sets", "i8", 2 * KINDS * WORDS),  # the cells of a kind, as bits
            ("counts", "i8", 2 * KINDS),  # how many there are
            ("total", "i8", 2),  # what a player's shapes are worth, to move and to wait
            ("taken", "u1", CELLS),
            ("row", "i8", CELLS),
            ("log", "i4", 8 * MOST_REACH * CELLS),  # the shapes that stones have changed
            ("began", "i4", CELLS + 1),  # where the log of a stone begins, by the empty cells it left
            ("counted", "i8", SHAPES),
            ("value_of", "i8", MEETINGS),
            ("bonus", "i8", 2 * KINDS),
            ("history", "i4", 2 * CELLS),  # how often a move was too good for the opponent
            ("killers", "i2", 2 * PLIES),  # the last two such moves of a ply
            ("stack", "i2", STACK),  # moves to try, those of a position above those of the one before it
            ("score", "i8", STACK),
            ("checked", "i8", CHECKED),  # the keys of turns after which no forced win was found, or ~key: one was
            ("chosen", "i2", CELLS),  # at the root, only these moves, if there are any
            ("root_value", "i8", CELLS),
            ("root_nodes", "i8", CELLS),
            *((name, "i8") for name in numbers),
            *(LEARNED if learned else []),
        ]
    )


def no_threat_win(s: Record, shapes: Shapes, player: Int, depth: Int) -> Int:
    """In the place of a search for forced wins of two stones a turn."""
    return np.int64(-1)


def _compiled(dtype: np.dtype[Any], stones: int, learned: bool) -> Any:
    """`query` for the bytes of a record; for one stone a turn, without what only two stones need."""
    record = record_view(dtype, jit_enabled())
    others: dict[str, Any] = {"threat_win": no_threat_win} if stones == 1 else {}
    if learned:
        # A search for continuous fours asks for no values, and leaves the board as it was.
        others |= {"put": put_later, "take": take_and_forget, "win_by_fours": win_by_fours}
        others |= {"static_value": learned_value, "value_within": learned_value_within}
    asked = relinked(query, **others)

    def query_bytes(
        data: StateBytes, shapes: Shapes, table: Ints, what: Int, first: Int, second: Int, limit: Int
    ) -> Any:
        return asked(record(data), shapes, table, what, first, second, limit)

    if not jit_enabled():
        return query_bytes
    from ponderosa.compile.native import FIXED_SHORTS, INT, INT_ROWS, STATE, compiled

    arguments = (STATE, FIXED_SHORTS, INT_ROWS, INT, INT, INT, INT)
    return compiled(query_bytes, INT(*arguments), scope=str(dtype), error_model="numpy")
