"""What a search does, iteration by iteration, for teaching. Start at traced."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from typing import Any

from ponderosa.core.bounds import PROVEN_NAMES, for_opponent
from ponderosa.core.turns import CHANCE
from ponderosa.errors import SettingError
from ponderosa.mcts.loops.loop import FULL
from ponderosa.mcts.tree.node import ROOT, certain_value
from ponderosa.system.interrupts import interrupts_noted

MOST_ITERATIONS = 1_000_000

Tell = Callable[[dict[str, Any]], Any]
"""Called after every iteration with what it did: see `Tracer`."""


@contextlib.contextmanager
def traced(search: Any, iterations: float | None, tell: Tell | None) -> Iterator[None]:
    """While a search runs, `tell` hears of every iteration; None: nobody does, and nothing is slower."""
    if tell is None:
        yield
        return
    if not callable(tell):
        raise SettingError(f"trace must be a function of a dict, not {tell!r}")
    if iterations is None or iterations > MOST_ITERATIONS:
        raise SettingError(f"a trace tells every iteration: say how many, at most {MOST_ITERATIONS:,}")
    if search.threads > 1 or search.settings.many:
        raise SettingError("a trace is of one tree: take threads=1, and neither trees nor device")
    engine = search.engine
    try:
        with interrupts_noted() as pressed:
            search.engine = Tracer(search, tell, pressed)
            yield
    finally:
        search.engine = engine


class Tracer:
    """An engine that runs one iteration at a time, and tells what each did as a dict that is ready for JSON.

    iteration: its number, from 1 on. moves: from the root down, each with the player (-1 is chance), and the visits,
    the mean value and what is proven for that player, after the iteration; of an outcome of chance they are for the
    player who took the chance. result: each player's, from 0 to 1, as it was backed up. proven: what became certain in
    this iteration, by the moves that lead there.
    """

    def __init__(self, search: Any, tell: Tell, pressed: list[int]) -> None:
        """Ctrl-C is noted in `pressed`."""
        self._search, self._engine, self._tell, self._pressed = search, search.engine, tell, pressed
        self._root = search.root_state
        self._told = 0
        self._certain: set[int] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def grow(self, iterations: int, tree: Any, nodes: Any, solve: bool) -> int:
        """As the engine does; Ctrl-C takes effect in the next call, so that what was done is counted."""
        if self._pressed:
            raise KeyboardInterrupt
        done = 0
        try:
            while done < iterations and not self._pressed and self._step(tree, nodes, solve):
                done += 1
        except KeyboardInterrupt:  # `tell` may raise it
            self._pressed.append(signal.SIGINT)
        return done

    def _step(self, tree: Any, nodes: Any, solve: bool) -> bool:
        if self._certain is None:
            settled = [proven in PROVEN_NAMES for proven in tree.nodes["proven"][: tree.used].tolist()]
            self._certain = {index for index, certain in enumerate(settled) if certain}
        self._engine.clear_path()
        ran = self._engine.grow(1, tree, nodes, solve)
        if ran == 0:
            if tree.status == FULL:  # the nodes may get other places
                self._certain = None
            return False
        self._told += 1
        self._tell(self._entry(tree.nodes))
        return True

    def _entry(self, nodes: Any) -> dict[str, Any]:
        path = self._engine.path()
        moves = self._moves(nodes, path)
        return {
            "iteration": self._told,
            "moves": moves,
            "result": self._engine.results(),
            "proven": self._news(nodes, path, [entry["move"] for entry in moves]),
        }

    def _moves(self, nodes: Any, path: list[int]) -> list[dict[str, Any]]:
        """What was done on the way; below the root of a tree of views only the numbers of actions are known."""
        state, entries = self._root.clone(), []
        for index in path[1:]:
            node = nodes[index]
            action, player, visits = self._engine.action(int(node["action"])), int(node["mover"]), int(node["visits"])
            if not self._engine.viewed:
                name = self._engine.action_name(state, action)
                player = player if int(state.current_player()) != CHANCE else CHANCE
                self._engine.play(state, action)
            else:
                name = self._engine.action_name(state, action) if self._of_root(nodes, index) else str(action)
            value = certain_value(node, int(node["mover"]))
            if value is None and visits:
                value = self._search.scaled(float(node["value"]) / visits)
            known = {"value": value, "proven": PROVEN_NAMES.get(int(node["proven"]))}
            entries.append({"move": name, "player": player, "visits": visits, **known})
        return entries

    def _of_root(self, nodes: Any, index: int) -> bool:
        return 0 <= index - int(nodes[ROOT]["first"]) < int(nodes[ROOT]["count"])

    def _news(self, nodes: Any, path: list[int], names: list[str]) -> list[dict[str, Any]]:
        """Which nodes of the path became certain now, and for whom."""
        assert self._certain is not None
        found = []
        for depth, index in enumerate(path):
            proven, player = int(nodes[index]["proven"]), int(nodes[index]["mover"])
            if proven in PROVEN_NAMES and index not in self._certain:
                self._certain.add(index)
                if index == ROOT and player != self._engine.player():
                    proven, player = int(for_opponent(proven)), self._engine.player()
                found.append({"moves": names[:depth], "player": player, "result": PROVEN_NAMES[proven]})
        return found
