"""Actions at the root that are equal by symmetry are searched once. Start at Symmetric.

A game says by `symmetries` how its actions may be renamed. A position is its own image if the renamed moves lead to it
again; then an action and its image are worth the same. One of them stays at the root, for all.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ponderosa.core.bounds import tightened
from ponderosa.core.game import Game
from ponderosa.errors import PonderosaError, SettingError
from ponderosa.mcts.engines.engine import Engine
from ponderosa.mcts.policies.base import SelectPolicy
from ponderosa.mcts.report.report import ActionReport
from ponderosa.mcts.settings import SearchSettings
from ponderosa.mcts.tree.graph import Graph
from ponderosa.mcts.tree.node import LEFT_OUT, ROOT, SURE, UNTRIED, Nodes
from ponderosa.mcts.tree.solver import conclusion
from ponderosa.mcts.tree.tree import Tree

Renaming = Any
"""One way to rename the actions: `image = renaming[action]`."""
Images = dict[Any, tuple[Any, tuple[Renaming, ...]]]
"""For an action, the one that stands for it, and the renamings that lead from that to it."""

PART = 2**16
"""How many nodes are renamed at once: for all of them, a large tree would need its memory twice."""


def game_with_symmetries(game: Any) -> Game:
    """The game whose symmetries a search may use, or an error that says why there are none."""
    own = game if isinstance(game, Game) else getattr(getattr(game, "initial", None), "game", None)
    if game.viewed:
        raise SettingError("symmetry is for games in which all see everything: a view does not tell the moves so far")
    if not isinstance(own, Game) or not own.symmetries():
        raise SettingError(
            "this game declares no symmetries: its method symmetries() must give some (ponderosa docs add-a-game)"
        )
    return own


def check_symmetry(symmetry: Any, game: Any, select: SelectPolicy, settings: SearchSettings) -> None:
    """A search with symmetry fits the game and the policies, or the error says why not."""
    if not isinstance(symmetry, bool):
        raise SettingError(f"symmetry must be True or False, not {symmetry!r}")
    if symmetry:
        game_with_symmetries(game)
        if settings.shared:
            raise SettingError("parallel='tree' and symmetry do not go together: take parallel='merge'")
        if select.planned:
            raise SettingError(f"{select} draws the actions that it tries itself: it does not go with symmetry")


class Symmetric:
    """Leaves one action of equal ones at the root of a search's tree, and knows for which others it stands."""

    def __init__(self, engine: Engine, game: Game) -> None:
        self._engine, self._game = engine, game
        self._images: Images = {}
        self._of: Callable[[], Tree | None] = lambda: None

    def images(self, tree: Tree) -> Images:
        """What stands for which action at the root of a tree."""
        if self._of() is not tree:
            self._images = equal_actions(self._game, self._engine.root_state())
            self._of = weakref.ref(tree)
        return self._images

    def grow(self, engine: Engine, iterations: int, tree: Tree, nodes: Nodes, solve: bool) -> int:
        """As an engine does; when the first iteration has given the root its actions, all but one of equal ones go."""
        done = 0
        if not tree.thinned and nodes[ROOT]["first"] <= 0:
            done = engine.grow(1, tree, nodes, solve)
            if done == 0 or iterations == 1:
                return done
        if not tree.thinned:
            number = engine.number
            thin(tree, {number(action): number(first) for action, (first, _) in self.images(tree).items()})
        return done + engine.grow(iterations - done, tree, nodes, solve)

    def below(self, tree: Tree, action: Any) -> Tree | None:
        """What the tree knows of where an action leads, if another one stands for it: the same, renamed."""
        first, ways = self.images(tree).get(action, (action, ()))
        child = tree.child_with(self._engine.number(first))
        if child is None or isinstance(tree, Graph):  # the keys of a graph's positions cannot be renamed
            return None
        kept = tree.moved_to(child)
        for begin in range(0, kept.used, PART):
            part = kept.nodes["action"][begin : min(begin + PART, kept.used)]
            numbers, places = np.unique(part, return_inverse=True)
            part[:] = np.array([self._image(old, ways) for old in numbers.tolist()])[places]
        return kept

    def _image(self, number: int, ways: Sequence[Renaming]) -> int:
        """The number of a renamed action."""
        if number == LEFT_OUT:
            return LEFT_OUT
        return self._engine.number(renamed(self._engine.action(number), ways))

    def covered(self, tree: Tree, entries: Sequence[ActionReport]) -> list[ActionReport]:
        """The report of all actions: those that others stand for are worth the same."""
        images = self.images(tree)
        known = {images[entry.action][0]: entry for entry in entries if entry.visits > 0 and entry.action in images}
        found = [(entry, known.get(images.get(entry.action, (None, ()))[0])) for entry in entries]
        return [
            entry if searched is None or entry.value is not None else as_good_as(entry, searched)
            for entry, searched in found
        ]


def as_good_as(entry: ActionReport, searched: ActionReport) -> ActionReport:
    """The report of an action in the place of which an equal one was searched."""
    own = {"action": entry.action, "name": entry.name, "pv": entry.pv, "votes": entry.votes}
    return replace(searched, visits=0, strategy=None, equal_to=searched.name, **own)


def renamed(action: Any, ways: Sequence[Renaming]) -> Any:
    """An action after some renamings, one after the other."""
    for way in ways:
        action = way[action]
    return action


def equal_actions(game: Game, state: Any) -> Images:
    """For every legal action of a state the first that is equal to it, and how to get from that one to it."""
    legal = state.legal_actions()
    ways = [way for way in game.symmetries() if is_own_image(game, state, legal, way)]
    images: Images = {}
    for first in legal:
        if first in images:
            continue
        images[first] = (first, ())
        found = [first]
        for action in found:
            for way in ways:
                if way[action] not in images:
                    images[way[action]] = (first, (*images[action][1], way))
                    found.append(way[action])
    return images


def is_own_image(game: Game, state: Any, legal: Sequence[Any], way: Renaming) -> bool:
    """Whether the moves so far, renamed, lead to the same position."""
    try:
        if {way[action] for action in legal} != set(legal):  # the quick answer, nearly always
            return False
        image = game.new_initial_state()
        for action in state.history():
            image.apply_action(way[action])
    except (PonderosaError, LookupError):
        return False
    return bool(image == state)


def thin(tree: Tree, first_of: dict[int, int]) -> None:
    """Leave one of equal actions at the root, with what was found of the others; `first_of` tells the first of each."""
    tree.thinned = True
    if len(set(first_of.values())) == len(first_of):
        return
    nodes, begin, count = tree.nodes, int(tree.nodes[ROOT]["first"]), int(tree.nodes[ROOT]["count"])
    size = count
    while nodes[begin + size]["first"] == UNTRIED:
        size += 1
    block = nodes[begin : begin + size].copy()
    groups: dict[int, list[int]] = {}
    for place, number in enumerate(block["action"].tolist()):
        groups.setdefault(first_of.get(number, number), []).append(place)
    kept = sorted(joined(block, places, count) for places in groups.values())
    moved = dict.fromkeys(range(begin, begin + size), 0)
    for place, old in enumerate(kept):
        first = first_of.get(int(block["action"][old]), int(block["action"][old]))
        if block["action"][old] != first and block["first"][old] <= 0 and not is_shared(block, old):
            block["action"][old] = first  # nothing lies below it: it may as well be the first of its kind
        else:
            moved[begin + old] = begin + place
    nodes[begin : begin + size] = np.zeros(1, nodes.dtype)
    nodes[begin : begin + len(kept)] = block[kept]
    nodes[ROOT]["count"] = sum(old < count for old in kept)
    if SURE not in (nodes.dtype.names or ()):
        nodes[ROOT]["proven"] = conclusion(nodes, ROOT)
    tree.slots_moved(moved)


def is_shared(block: Any, place: int) -> bool:
    """Whether a slot is an edge of a graph to a position that others lead to."""
    return "node" in (block.dtype.names or ()) and block["node"][place] > 0


def joined(block: Any, places: list[int], count: int) -> int:
    """Which of some equal slots stays: the most visited one that is open, to which all visits are given."""
    opened = [place for place in places if place < count]
    if not opened:
        return places[0]
    best = max(opened, key=lambda place: int(block["visits"][place]))
    for other in opened:
        if other != best:
            block["visits"][best] += block["visits"][other]
            block["value"][best] += block["value"][other]
            block["proven"][best] = tightened(int(block["proven"][best]), int(block["proven"][other]))
    return best
