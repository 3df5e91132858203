"""What an agent keeps of all its games: one tree from the game's first position, in a file. Start at Memory.

The search never works on this tree itself. Before a move it gets a copy of the part below the position, and afterwards
what it has grown is put back there. A finished game is backed up from its last position to the first one.
"""

from __future__ import annotations

import glob
import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa.core.bounds import UNPROVEN, WIN, for_opponent, is_settled, lower_bound, upper_bound
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.state import RecordState
from ponderosa.errors import SettingError, TreeFileError
from ponderosa.mcts.policies.base import SelectPolicy
from ponderosa.mcts.search import Search
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree.archive import Kind, read_arrays, write_arrays
from ponderosa.mcts.tree.node import ROOT
from ponderosa.mcts.tree.solver import verdict
from ponderosa.mcts.tree.soundness import check_nodes
from ponderosa.mcts.tree.storage import rules_fingerprint, tree_of, version
from ponderosa.mcts.tree.tree import Tree
from ponderosa.system.files import UNFINISHED
from ponderosa.system.interrupts import interrupts_waiting
from ponderosa.system.lease import Lease

MEMORY = Kind("a memory", "memory-1", ("nodes",), ("game", "rules", "start", "select", "backup"))
FIELDS = (("games", "i4"), ("won", "f4"))
"""What a node keeps of real games beside the search's own: how many went through it, and the sum of their results, each
in [0, 1], for the player who moved into it."""
MOST_NODES = 1_000_000
"""How many nodes are kept by default: 32 megabytes in memory, a few in a file."""
GAME_WEIGHT = 10
"""A finished game counts like this many iterations by default."""
MOST_TOUCHES = 64
"""How many iterations may it take to open a position that a game went through and no search did."""
SAVE_SHARE = 0.1
"""Saving after games takes no more than this part of the time; at the end everything is saved."""


def check_size(most: Any, weight: Any) -> None:
    """How many nodes can be kept, and a game can weigh so much; whether there is a memory or not."""
    check_number("memory_nodes", most, 1000, 2**31 - 1, whole=True)
    check_number("game_weight", weight, 0, 100_000, whole=True)


def remembering(select: SelectPolicy, game: Any, settings: SearchSettings) -> SelectPolicy:
    """The select policy, for a tree whose nodes count real games too; refused where there can be no memory."""
    _check_game(game)
    if settings.threads != 1 or settings.many:
        raise SettingError("a memory is one tree, searched by one thread: leave threads, trees and device out")
    if select.planned:
        raise SettingError(f"{select} plans every search anew, and keeps no tree for a memory")
    if settings.transpositions:
        raise SettingError("a memory keeps a tree, and no graph of positions: leave transpositions out")
    if settings.symmetry:
        raise SettingError("a memory counts every move by itself: leave symmetry out")
    if settings.bounded:
        raise SettingError("a memory knows wins, draws and losses: solve=true, not solve=bounded")
    return replace(select, fields=(*select.fields, *FIELDS))


class Memory:
    """A tree that lasts."""

    def __init__(
        self,
        search: Search,
        path: str | Path,
        learn: bool = True,
        most: int = MOST_NODES,
        weight: int = GAME_WEIGHT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read the file, or begin a new one; who learns is the only one to write it until `close`."""
        self.path, self.learn, self.weight = Path(path).expanduser(), learn, weight
        self._search, self._most, self._clock = search, most, clock
        self._about = {
            "format": MEMORY.format,
            "ponderosa": version(),
            "game": search.game.spec,
            "rules": rules_fingerprint(search.game),
            "start": start_of(search.game),
            "select": search.policies.select.name,
            "backup": search.policies.backup.name,
        }
        self._lock = threading.RLock()
        self._lease = Lease(self.path.resolve())  # whatever link leads to it, it is one file
        self._saved, self._saving, self._changed, self._closed = clock(), 0.0, False, False
        if learn:
            self._take_lease()
        try:
            self.tree = self._read() if self.path.exists() else self._empty()
        except BaseException:
            self._lease.give_back()
            raise
        self._tidied = self.tree.used
        self._as_read = None if learn else self.tree.subtree(ROOT)

    @property
    def games(self) -> int:
        """How many finished games it knows."""
        return int(self.tree.nodes[ROOT]["games"])

    def begin(self) -> None:
        """A new game begins: who does not learn forgets what it has thought about the last one."""
        if self._as_read is not None and self._changed:
            self.tree, self._changed = self._as_read.subtree(ROOT), False

    def take(self, state: Any) -> Tree | None:
        """A copy of what is known from a position on; None where the tree does not lead."""
        with self._lock, interrupts_waiting():
            self._check_open()
            path, reached = self._walk(state.history())
            if reached is None or reached != state:
                return None
            tree = self.tree.subtree(path[-1])
            tree.prove_anew()  # a proof of the position alone names no move
            _set_visits(tree.nodes[ROOT], 1 + _children(tree.nodes, ROOT)["visits"].sum())
            return tree

    def put(self, moves: Sequence[Any], tree: Tree) -> None:
        """Keep what a search has grown from the position after these moves."""
        with self._lock, interrupts_waiting():
            self._tidy(tree.used)
            path, reached = self._walk(moves)
            if reached is None or not self._graft(path[-1], tree):
                return
            self._changed = True
            if self._search.solve:
                self.tree.settle(path, UNPROVEN)

    @staticmethod
    def preferred(tree: Tree) -> int | None:
        """The action with the best mean of all iterations and games, where it is proven that there is no win.

        A search has nothing more to say there, but real opponents may not find what is proven: a move that was played
        before competes with those that are proven to be best, until it is proven to be worse.
        """
        nodes, children = tree.nodes, _children(tree.nodes, ROOT)
        known = int(nodes[ROOT]["proven"])
        if not is_settled(known) or len(children) == 0:
            return None
        known = known if nodes[ROOT]["mover"] == children[0]["mover"] else for_opponent(known)
        played = (children["games"] > 0) & (upper_bound(children["proven"]) >= lower_bound(known))
        equal = children[(played | (children["proven"] == known)) & (children["visits"] > 0)]
        if known == WIN or len(equal) == 0:
            return None
        return int(equal["action"][(equal["value"] / equal["visits"]).argmax()])

    def record(self, state: Any) -> None:
        """Back the result of a finished game up through all its positions, and save what is known when it is time."""
        with self._lock, interrupts_waiting():
            self._check_open()
            if not self.learn or not state.is_terminal():
                return
            results = np.zeros(state.game.players)
            state.game.rules.scores(state.data, results)
            self._enter(state.history(), results)
            if self._clock() - self._saved >= self._saving * (1 / SAVE_SHARE - 1):
                self.save()

    def _enter(self, moves: Sequence[Any], results: Any) -> None:
        path, reached = self._walk(moves)
        nodes = self.tree.nodes
        self._search.engine.back_up(nodes, path, results, self.weight)
        nodes["games"][path] += 1
        nodes["won"][path] += results[nodes["mover"][path]]
        if reached is not None and self._search.solve:
            self.tree.settle(path, verdict(results, nodes[path[-1]]["mover"]))
        self._changed = True

    def _walk(self, moves: Sequence[Any]) -> tuple[list[int], Any]:
        """The nodes of a game, put into the tree if they are not; its last position, or None where the tree ends.

        It ends where a game's candidates leave out a move that was played.
        """
        path, state = [ROOT], self._search.game.new_initial_state()
        for action in moves:
            for _ in range(MOST_TOUCHES):
                if self.tree.nodes[path[-1]]["first"] > 0:
                    break
                self._touch(path[-1], state)
            child = self.tree.opened(int(action), path[-1])
            if child is None:
                return path, None
            path.append(child)
            self._search.engine.play(state, action)
        return path, state

    def _touch(self, node: int, state: Any) -> None:
        """Let the search look at a position for the first time."""
        search = self._search
        before = search.root_state, search.tree
        search.adopt(state, self.tree.subtree(node))
        search.touch()
        self._graft(node, search.tree)
        search.adopt(*before)

    def _graft(self, node: int, tree: Tree) -> bool:
        """Put a tree in the place of a node, which gets its mean, and stays as visited as it was.

        Else the moves that were played would seem to be those that the search before them had preferred.
        """
        visits = int(self.tree.nodes[node]["visits"])
        done = self.tree.graft(node, tree)
        if done and node != ROOT:
            _set_visits(self.tree.nodes[node], max(visits, 1))
        return done

    def _tidy(self, more: int = 0) -> None:
        """Leave out what is out of reach, and what is visited least if the rest is too much."""
        if self.tree.used + more <= 2 * self._tidied + 4096 and more:
            return
        self.tree = self.tree.subtree(ROOT)
        if self.tree.used > self._most:
            forget(self.tree, self._most // 2)
            self.tree = self.tree.subtree(ROOT)
        self._tidied = self.tree.used

    def save(self) -> None:
        """Write the file, whole, beside its place, and put it there."""
        with self._lock, interrupts_waiting():
            self._check_open()
            if not self.learn:
                return
            begun = self._clock()
            self._tidy()
            write_arrays(self.path, self._about, {"nodes": self.tree.nodes[: self.tree.used]})
            self._changed, self._saved = False, self._clock()
            self._saving = self._saved - begun

    def close(self) -> None:
        """Save what is not saved yet, and let others learn."""
        with self._lock:
            if self._closed:
                return
            try:
                if self._changed:
                    self.save()
            finally:
                self._closed = True
                self._lease.give_back()

    def _check_open(self) -> None:
        if self._closed:
            raise SettingError(f"this agent was closed: make a new one, which goes on with {self.path}")

    def _take_lease(self) -> None:
        if self.path.exists() and not self.path.is_file():
            raise TreeFileError(f"cannot write {self.path}: a memory is a regular file")
        try:
            taken = self._lease.take()
        except OSError as error:
            raise TreeFileError(f"cannot write {self.path}: {error.strerror or error}") from None
        if not taken:
            raise TreeFileError(
                f"{self.path} is in use: one agent learns at a time. Let this one only read it, with learn=false, "
                "or give it a copy"
            )
        place = self.path.resolve()
        for left in place.parent.glob(f"{glob.escape(place.name)}.*{UNFINISHED}"):  # by one who was killed
            left.unlink(missing_ok=True)

    def _empty(self) -> Tree:
        player = self._search.game.new_initial_state().to_move()
        return Tree(max(player, 0), self._search.engine.layout)  # where dice begin, nobody has moved

    def _read(self) -> Tree:
        arrays, about = read_arrays(self.path, MEMORY)
        mine, nodes, layout = self._about, arrays["nodes"], self._search.engine.layout
        if about["start"] != mine["start"] and about["game"] != mine["game"]:
            raise TreeFileError(f"{self.path} is of the game {about['game']!r}, not of {mine['game']!r}")
        if about["rules"] != mine["rules"] or about["start"] != mine["start"]:
            raise TreeFileError(f"{self.path} was learned with other rules of {about['game']!r} than there are now")
        if nodes.dtype != layout:
            raise TreeFileError(
                f"{self.path} was learned with {_nodes_of(about)}, whose nodes are not those of {_nodes_of(mine)}"
            )
        check_nodes(self.path, nodes, self._search.game.new_initial_state())
        if not ((nodes["games"] >= 0) & (nodes["won"] >= 0) & (nodes["won"] <= nodes["games"])).all():
            raise TreeFileError(f"{self.path} is damaged: its games cannot be counted")
        return tree_of(self.path, nodes)


def start_of(game: Game) -> str:
    """Names the position that a search of the game begins with: with the same rules, the same game."""
    state = RecordState.initial(game)
    game.prepare_for_search(state.record)
    return hashlib.sha256(state.data.tobytes()).hexdigest()


def forget(tree: Tree, most: int) -> None:
    """Cut off the least visited parts of a tree that has nothing out of reach, until at most this many nodes are left.

    A position may be better known than the one before it, so what counts is the most visits of all below a node.
    """
    nodes = tree.nodes[: tree.used]
    parents = np.flatnonzero(nodes["first"] > 0)
    begins = nodes["first"][parents]
    order = np.argsort(begins)
    sizes = np.empty(len(parents), np.int64)
    sizes[order] = np.diff(np.append(begins[order], len(nodes)))
    reach = nodes["visits"].astype(np.int64)
    for parent, begin, size in zip(parents[::-1], begins[::-1], sizes[::-1], strict=True):  # children lie behind
        reach[parent] = max(reach[parent], reach[begin : begin + size].max())
    known = reach[parents]
    known[parents == ROOT] = np.iinfo(np.int64).max  # the first moves are always kept
    least = 2
    while 1 + sizes[known >= least].sum() > most and least <= known[parents != ROOT].max(initial=0):
        least *= 2
    cut = parents[known < least]
    nodes["first"][cut], nodes["count"][cut] = 0, 0


def _nodes_of(about: dict[str, Any]) -> str:
    """The policies that decide what a node holds."""
    return f"select={about['select']}, backup={about['backup']}"


def _children(nodes: Any, node: int) -> Any:
    return nodes[int(nodes[node]["first"]) :][: int(nodes[node]["count"])]


def _set_visits(node: Any, visits: int) -> None:
    """Another number of visits, the same mean."""
    if node["visits"] > 0:
        node["value"] *= visits / node["visits"]
        node["visits"] = visits


def _check_game(game: Any) -> None:
    """The game has a tree that can be kept."""
    if not isinstance(game, Game) or game.dtype is None:
        raise SettingError("memory is for games with a dtype: a tree over Python objects cannot be kept in a file")
    if game.viewed:
        raise SettingError(
            "memory is for games open to all: where players see different things or choose at once, "
            "a search begins anew every turn"
        )
    if game.players < 2:
        raise SettingError("memory is for games of two players or more, not of one")
