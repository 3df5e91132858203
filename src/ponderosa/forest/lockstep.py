"""Whole games between searches, many at a time and move by move together. Start at Lockstep.play.

Each seat at a table has a tree, kept from move to move, and seeded for the game: a game goes as the agent `mcts` with
the same settings and seed would play it alone. All that happens at a move is done with arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ponderosa.core.dice import roll
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.state import RecordState
from ponderosa.core.turns import CHANCE
from ponderosa.errors import RoomError, SettingError
from ponderosa.forest.forest import Forest
from ponderosa.forest.kernel import NOTHING
from ponderosa.forest.played import Games, new_moves
from ponderosa.forest.positions import prepared
from ponderosa.forest.tables import Table, Tables
from ponderosa.mcts.settings import SearchSettings

GROWTH = 2
"""Trees that are kept from move to move need this many times the nodes of those of one move at most, as a rule."""
BOARD = 2
"""Room for the nodes of a tree that nobody searches."""
NOBODY = -9
"""To move where a game is over."""

Tell = Callable[[int], Any]
"""Called after every move, and about ten times a second while one is thought about, with the number of games that are
over; False ends the games as they are."""


@dataclass(frozen=True)
class Contender:
    """A search that plays."""

    settings: SearchSettings
    iterations: int
    """How many iterations a move takes."""
    max_nodes: int | None = None

    @classmethod
    def of(cls, given: Any) -> Contender:
        """A contender as people write it: `{"iterations": 100, "c": 1.4}`."""
        if isinstance(given, Contender):
            return given
        if not isinstance(given, dict) or "iterations" not in given:
            raise SettingError(f'a contender is a dict such as {{"iterations": 100, "c": 1.4}}, not {given!r}')
        rest = {name: value for name, value in given.items() if name not in ("iterations", "max_nodes")}
        check_number("iterations", given["iterations"], 1, whole=True)
        return cls(SearchSettings.of(None, rest), int(given["iterations"]), given.get("max_nodes"))


class Lockstep:
    """Contenders at a game, and as many tables as are wanted."""

    def __init__(
        self,
        game: Game,
        contenders: Sequence[Any],
        device: str = "auto",
        cores: int | None = None,
        longest: int = 10_000,
    ) -> None:
        self.game, self.longest = game, min(game.longest, longest)
        self.players: list[Contender] = []
        """The contenders, equal ones once: their trees are searched together."""
        numbers = []
        for known in map(Contender.of, contenders):
            if known not in self.players:
                self.players.append(known)
            numbers.append(self.players.index(known))
        self.player_of = np.array(numbers)
        """Which of them a contender is."""
        self.forests = [Forest(game, 1, device=device, cores=cores, settings=each.settings) for each in self.players]
        self.board = self.forests[0].beside(1)

    def play(self, tables: Sequence[Table] | Tables, tell: Tell = lambda over: None) -> Games:
        """Play all tables to the end, in groups whose trees fit into memory together."""
        given = tables if isinstance(tables, Tables) else Tables.of(tables)
        try:
            return Games.joined(self.game, given, list(self._in_groups(given, _Watcher(tell))))
        finally:
            for forest in (self.board, *self.forests):
                forest.fell()

    def _in_groups(self, tables: Tables, watcher: _Watcher) -> Iterator[Games]:
        """Play one group after the other; how they are made changes no game."""
        room = min(forest.nodes_that_fit for forest in self.forests) // self.game.players
        size, begin = self._at_once(len(tables), room), 0
        while begin < len(tables):
            group = tables.some(slice(begin, begin + size))
            try:
                part = _Group(self, group, None if size == 1 else room // len(group), watcher).play()
            except RoomError:  # trees grew larger than they usually do: these games begin anew, fewer at a time
                if size == 1:
                    raise
                size = (len(group) + 1) // 2
            else:
                begin += len(group)
                watcher.before += int(part.over.sum())
                yield part

    def _at_once(self, games: int, room: int) -> int:
        """How many games are played together: as many as fit into room for nodes when trees grow as they usually do."""
        return max(1, min(games, room // max(map(self.capacity, range(len(self.players))))))

    def capacity(self, player: int) -> int:
        """How many nodes the trees of a player take, as a rule."""
        known = self.players[player]
        return self.forests[player].nodes_for(GROWTH * known.iterations, known.max_nodes)


class _Watcher:
    """Tells how many games are over, in all groups, until somebody says that it is enough."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._over, self._goes_on = tell, 0, True
        self.before = 0
        """In earlier groups."""

    def goes_on(self, over: int) -> bool:
        self._over = max(self._over, self.before + over)
        self._goes_on = self._goes_on and self._tell(self._over) is not False
        return self._goes_on


class _Group:
    """Games that are played together, from the first move to the last."""

    def __init__(self, lockstep: Lockstep, tables: Tables, most: int | None, watcher: _Watcher) -> None:
        """`most`: how many nodes a tree may have; None: as many as there is memory for, and then it gives up some."""
        self._lockstep, self._tables, self._most, self._watcher = lockstep, tables, most, watcher
        self._game = lockstep.game
        board = lockstep.board = resized(lockstep.board, len(tables))
        board.begin(np.array([state.data for state in tables.starts])[tables.start], tables.rng[:, :1], BOARD)
        self._board, self._lengths = board, tables.begun()
        self._at_play = self._not_ended()

    def play(self) -> Games:
        """Play them to the end."""
        sides: list[_Side] = []
        moves = [new_moves(np.arange(0))]
        while self._at_play.any() and self._goes_on():
            sides = sides or self._begun()
            made = self._moves(sides)
            if made is None:
                break
            moves.append(made)
            self._follow(made, sides)
        played = np.concatenate(moves)
        played = played[np.argsort(played["game"], kind="stable")]
        board = self._board
        results, over = board.told("results").copy(), board.told("over") == 1
        return Games(self._game, self._tables, played, over, results, board.root_bytes())

    def _begun(self) -> list[_Side]:
        """The trees of all seats, at the beginning of the games."""
        begins = np.array([prepared(self._game, state) for state in self._tables.starts])[self._tables.start]
        players = range(len(self._lockstep.players))
        sides = [_Side(self._lockstep, player, self._tables, begins, self._most) for player in players]
        return [side for side in sides if len(side.games) > 0]

    def _moves(self, sides: Sequence[_Side]) -> Any:
        """What is played in all games that are not over: by those to move, or by dice. None: stop."""
        movers = np.where(self._at_play, self._board.told("player"), NOBODY)
        moves = [self._rolled(movers)] if self._game.chance else []
        for side in sides:
            made = side.moves(movers, self._goes_on)
            if made is None:
                return None
            moves.append(made)
        return np.concatenate(moves)

    def _rolled(self, movers: Any) -> Any:
        """What dice show, wherever they decide."""
        games = np.flatnonzero(movers == CHANCE)
        moves = new_moves(games)
        moves["seat"] = CHANCE
        states = self._board.root_bytes()
        for place, game in enumerate(games.tolist()):
            moves["action"][place] = roll(RecordState(self._game, states[game], []), self._tables.rolling(game))
        return moves

    def _follow(self, moves: Any, sides: Sequence[_Side]) -> None:
        """Play the moves, on the boards and in all trees."""
        actions = np.full(len(self._tables), NOTHING, np.int32)
        actions[moves["game"]] = moves["action"]
        self._board.follow(actions)
        for side in sides:
            side.forest.follow(actions[side.games])
        self._lengths[moves["game"]] += 1
        self._at_play = self._not_ended()

    def _not_ended(self) -> Any:
        return (self._board.told("over") == 0) & (self._lengths < self._lockstep.longest)

    def _goes_on(self) -> bool:
        return self._watcher.goes_on(len(self._tables) - int(self._at_play.sum()))


class _Side:
    """The trees of one player: one for every seat that it has at a table, those of a seat side by side."""

    def __init__(self, lockstep: Lockstep, player: int, tables: Tables, begins: Any, most: int | None) -> None:
        self._player, self._most = lockstep.players[player], most
        whose = lockstep.player_of[tables.seats]
        self._seats, self.games = np.nonzero(np.equal(whose.T, player))
        if len(self.games) == 0:
            return
        self.forest = lockstep.forests[player] = resized(lockstep.forests[player], len(self.games))
        capacity = 3 * lockstep.capacity(player) // 4  # most trees need no more
        rng = tables.rng[self.games, self._seats]
        self.forest.begin(begins[self.games], rng[:, np.newaxis], capacity)

    def moves(self, movers: Any, goes_on: Callable[[], bool]) -> Any:
        """What it plays where it is to move; None: stop."""
        which = movers[self.games] == self._seats
        moves = new_moves(self.games[which])
        if len(moves) == 0:
            return moves
        report = self.forest.think(which, self._player.iterations, self._player.max_nodes, goes_on, self._most)
        if report.stopped == "interrupted":
            raise KeyboardInterrupt
        if report.stopped == "progress":
            return None
        moves["action"], moves["seat"] = report.best_actions, self._seats[which]
        moves["iterations"], moves["nodes"] = report.iterations, report.nodes
        moves["seconds"] = report.seconds / len(moves)
        moves["value"], moves["proven"] = np.nan_to_num(report.best_values, nan=0.5), report.certain_values
        return moves


def resized(forest: Forest, trees: int) -> Forest:
    """A forest of so many trees: this one, if it has as many."""
    if forest.trees == trees:
        return forest
    forest.fell()
    return forest.beside(trees)
