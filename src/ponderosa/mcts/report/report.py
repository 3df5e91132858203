"""What a search found. Start at Report: every front end draws from it alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ponderosa.core.field_texts import with_field_texts
from ponderosa.errors import SettingError

if TYPE_CHECKING:
    from ponderosa.mcts.report.reader import TreeNode
    from ponderosa.mcts.report.search_tree import SearchTree


@with_field_texts
@dataclass(frozen=True)
class ActionReport:
    """What the search knows of one action at the root."""

    action: Any
    """The action."""
    name: str
    """How people write it."""
    visits: int
    """How many iterations tried it."""
    value: float | None
    """The mean result for the player to move, from 0 (loss) to 1 (win); None: never tried."""
    proven: str | None
    """"win", "draw" or "loss" for the player to move, when that is certain."""
    pv: tuple[str, ...]
    """The line that the search expects, this action first."""
    votes: int | None = None
    """How many trees would play it; None when there is one tree alone."""
    expected: float | None = None
    """The mean result in the game's own measure, that of `returns`; None: never tried."""
    equal_to: str | None = None
    """By symmetry: the action that was searched in its place."""
    strategy: float | None = None
    """How often to play it, in the average strategy of a search that learns a mixed one."""
    bounds: tuple[float, float] | None = None
    """The least and the most that it brings for certain, in the measure of `returns`; with `solve="bounded"`."""
    prior: float | None = None
    """How promising it was before it was tried, as a share of one: what a network, or a rule, said of it."""
    moves_left: int | None = None
    """How many moves the game has to its end, this one among them, if the winner hurries and the loser resists; None:
    nobody has counted them."""


@with_field_texts
@dataclass(frozen=True, repr=False)
class Report:
    """The answer of a search, and how it came about.

    `best_action` is what to play, `value` what that is worth to the player to move, `proven` whether that is certain;
    `actions` says the same of every legal action, `tree` holds every node, `to_dict()` is ready for JSON. Printed,
    and in a notebook, it is a table.
    """

    game: str
    """The game as people name it."""
    player: int
    """The player to move."""
    best_action: Any
    """What to play."""
    best_name: str
    """How people write it."""
    value: float
    """The best action's mean result for the player to move, from 0 (loss) to 1 (win)."""
    proven: str | None
    """"win", "draw" or "loss" for the player to move, when that is certain."""
    iterations: int
    """Iterations of this run."""
    nodes: int
    """Nodes in the tree: every action of an expanded position is one."""
    seconds: float
    """How long this run took."""
    stopped: str
    """What ended it: "iterations", "seconds", "nodes", "solved", "interrupted" or "progress"; of alpha-beta also
    "depth", and "forced" when there is only one move."""
    seed: int
    """The seed that repeats this run, from a new search."""
    actions: tuple[ActionReport, ...]
    """All legal actions, most visited first."""
    threads: int = 1
    """How many threads searched at once; visits, iterations and nodes are those of all of their trees."""
    positions: int | None = None
    """With transpositions: how many different positions the nodes lead to."""
    depth: int | None = None
    """How many actions ahead alpha-beta looked; its iterations are positions, its nodes those that it remembers, and
    its values, of all but the best action, the most that they can be. None: the search grows a tree."""

    endless: int = 0
    """Iterations whose playouts were cut off, because the game had not ended after `max_game_length` moves, or
    100,000, or when the time was up: they count as draws, for one player as no better than the worst end."""
    best_line: tuple[str, ...] = ()
    """One player: the actions that led to the best result so far, from the root to the end of the game."""
    best_score: float | None = None
    """One player: the best result so far, in the measure of `returns`."""
    bounds: tuple[float, float] | None = None
    """The least and the most that the player to move gets, in the measure of `returns`; with `solve="bounded"`."""
    judged: float | None = None
    """What a trained network said of the position before any search, from 0 to 1 for the player to move; None: no agent
    with a network was asked."""
    kept: SearchTree | None = field(default=None, compare=False, repr=False)
    """The tree that it was read from, if it is there; no part of what it says."""

    @property
    def tree(self) -> SearchTree:
        """The tree that the search has grown, node by node, until the search goes on to another position.

        `report.tree.root.children` are the actions at the root; `for node in report.tree` visits every node.
        """
        if self.kept is None:
            raise SettingError(
                "this report has no tree: it is one of progress, of several threads, or of another search"
            )
        return self.kept

    @property
    def pv(self) -> tuple[str, ...]:
        """The line that the search expects, the best action first."""
        return next(entry.pv for entry in self.actions if entry.action == self.best_action)

    @property
    def effort(self) -> str:
        """How much was searched, in words."""
        if self.depth is None:
            endless = f", {self.endless:,} of them to no end of the game" if self.endless else ""
            return f"{self.iterations:,} iterations{endless}"
        return f"{self.iterations:,} positions, {self.depth} {'move' if self.depth == 1 else 'moves'} deep"

    @property
    def iterations_per_second(self) -> float:
        """Speed of this run."""
        return self.iterations / max(self.seconds, 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dicts, lists, numbers and texts, ready for JSON."""
        plain = asdict(replace(self, kept=None)) | {"pv": list(self.pv), "best_line": list(self.best_line)}
        del plain["kept"]
        plain["actions"] = [entry | {"pv": list(entry["pv"])} for entry in plain["actions"]]
        return plain

    def top(self, depth: int = 3, min_visits: int = 1, most: int = 400) -> list[TreeNode]:
        """The most visited nodes of the tree as it is now, at most `depth` moves from the root."""
        return self.tree.reader().top(depth, min_visits, most)

    def to_graphviz(self, depth: int = 3, min_visits: int = 1, most: int = 400) -> str:
        """The tree as DOT, the language of Graphviz: visits, values, small boards, and what is proven in colour.

        Where players see different things or choose at once, these are the actions at the root.
        """
        from ponderosa.mcts.report.graphviz import to_dot

        return to_dot(self.top(depth, min_visits, most))

    def lightly(self) -> Report:
        """This report, which from now on does not keep the tree in memory when its search is gone."""
        if self.kept is not None:
            self.kept.loosen()
        return self

    def __str__(self) -> str:
        from ponderosa.mcts.report.table import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from ponderosa.mcts.report.table import as_html

        return as_html(self)

    def __repr__(self) -> str:
        known = f"proven {self.proven}" if self.proven else f"value {100 * self.value:.1f} %"
        return f"<report on {self.game}: {self.best_name} ({known}), {self.effort} in {self.seconds:.2f} s>"

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles have: all but the tree."""
        return vars(self) | {"kept": None}
