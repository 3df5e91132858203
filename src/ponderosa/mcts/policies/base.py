"""Policies: a phase function with its numbers. Start at SelectPolicy; `ponderosa docs add-a-phase` writes one.

There is one class for each phase. What a search does with a policy follows from its fields alone, never from its name:
one of your own can do everything that those of the package do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.rng import Rng
from ponderosa.core.spec import read_settings, split_spec
from ponderosa.errors import SettingError, unknown
from ponderosa.mcts.tree.node import Fields, Nodes

Params = npt.NDArray[np.float64]
"""The numbers of a policy, as its function gets them."""
Path = npt.NDArray[np.int64]
"""The nodes that an iteration visited, root first."""
Values = npt.NDArray[np.float64]
"""Each player's result, from 0 to 1."""
Moves = npt.NDArray[np.int32]
"""The moves of an iteration: `moves[0]` says how many, and each is action * players + player."""

SelectFunction = Callable[[Nodes, int, Params, Rng], int]
"""`(nodes, parent, params, rng) -> child`"""
ExpandFunction = Callable[[Nodes, int, Params], int]
"""`(nodes, node, params) -> how many children to open`"""
PlayoutFunction = Callable[[Any, Any, Any, Any, Params, Rng, Values], int]
"""`(game, state, spare, actions, params, rng, values) -> plies`"""
BackupFunction = Callable[[Nodes, Path, int, Values, int, Params], None]
"""`(nodes, path, depth, values, plies, params)`"""
ChooseFunction = Callable[[Nodes, int, Params], int]
"""`(nodes, parent, params) -> child`, or -1 to ask for more search"""
LearnFunction = Callable[[Nodes, Path, Path, int, Values, Moves, Params], None]
"""`(nodes, path, parents, depth, values, moves, params)`, after every backup. `path` is the one of backup; `parents[i]`
is the node at which `path[i]` was chosen, for i from 1 on."""
StudyFunction = Callable[[Params, Values, Moves], None]
"""`(params, values, moves)`, after every backup; `params` are the playout's own, of which the last are its memory."""
Strategy = Callable[[Nodes, int, Params, Values], None]
"""`(nodes, parent, params, shares)`: fills in the share of each child, in their order; they sum to one."""

LEARN = ("nodes", "path", "parents", "depth", "values", "moves", "params")
STUDY = ("params", "values", "moves")


@with_field_texts
@dataclass(frozen=True)
class Policy:
    """One way to do one phase: one of SelectPolicy, ExpandPolicy, PlayoutPolicy, BackupPolicy and ChoosePolicy.

    It is a function with its numbers: `SelectPolicy(mine, params=(1.4,))`, for `Search(game, select=...)`. A function
    alone will do where it needs no more. `ponderosa docs add-a-phase` writes one of each.
    """

    phase: ClassVar[str] = ""
    """select, expand, playout, backup or choose."""
    arguments: ClassVar[tuple[str, ...]] = ()
    """What its function is called with."""

    function: Callable[..., Any]
    """What runs, compiled."""
    params: tuple[float, ...] = ()
    """The numbers that it is called with as `params`: a change of them compiles nothing."""
    name: str = ""
    """How people name it."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What it was made with, by name, for reports and files."""
    needs: tuple[str, ...] = field(default=(), kw_only=True)
    """Optional rules that the game must have."""

    def __post_init__(self) -> None:
        if not self.phase:
            raise SettingError(f"Policy is one of {', '.join(kind.__name__ for kind in PHASES.values())}")
        self._check_function(self.phase, self.function, self.arguments)
        if any(isinstance(number, bool) or not isinstance(number, int | float) for number in self.params):
            raise SettingError(f"params of {self.name or self.function.__name__} must be numbers, not {self.params}")

    @staticmethod
    def _check_function(kind: str, function: Any, expected: tuple[str, ...]) -> None:
        try:
            count = len(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            raise SettingError(f"a {kind} policy needs a Python function, not {function!r}") from None
        if count != len(expected):
            raise SettingError(
                f"a {kind} function takes {len(expected)} arguments ({', '.join(expected)}), "
                f"and {function.__name__} takes {count}"
            )

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from ponderosa.mcts.policies.composition import pickled

        return pickled(self)

    def __str__(self) -> str:
        words = ", ".join(f"{key}={value}" for key, value in self.settings.items() if value is not None)
        return f"{self.name or self.function.__name__}({words})"


@with_field_texts
@dataclass(frozen=True)
class SelectPolicy(Policy):
    """Which child to descend into: a function `(nodes, parent, params, rng) -> child`.

    `nodes[child]["visits"]` is a field of a node, `nodes[child]["value"]` the sum of its results for the player who
    moved into it; `nodes[parent]["count"]` children begin at `nodes[parent]["first"]`. Policies that are ready are in
    `ponderosa.policies.select`.
    """

    phase: ClassVar[str] = "select"
    arguments: ClassVar[tuple[str, ...]] = ("nodes", "parent", "params", "rng")

    function: SelectFunction
    fields: Fields = field(default=(), kw_only=True)
    """What it keeps in every node beside the rest, as in `(("squares", "f8"),)`; `"f8 each"` is one number for every
    player."""
    learn: LearnFunction | None = field(default=None, kw_only=True)
    """Called after every backup, to learn from the result."""
    moves: bool = field(default=False, kw_only=True)
    """Whether `learn` gets the moves of the iteration."""
    memory: int = field(default=0, kw_only=True)
    """How many numbers it keeps, behind its params, from iteration to iteration."""
    priors: bool = field(default=False, kw_only=True)
    """Whether it needs the field `prior` of every child, how promising the game thinks it is."""
    static: bool = field(default=False, kw_only=True)
    """Whether it needs the field `static` of every node: the game's static value of the position."""
    whole: bool = field(default=False, kw_only=True)
    """Whether it wants all children of a node at once, unless something else is said."""
    scaled: bool = field(default=False, kw_only=True)
    """Whether the loop puts the least and the most result so far behind its own params."""
    mixed: bool = field(default=False, kw_only=True)
    """Whether it learns a mixed strategy, in the field `strategy`."""
    strategy: Strategy | None = field(default=None, kw_only=True)
    """How often to play each child of a node."""
    planned: bool = field(default=False, kw_only=True)
    """Whether it must know the number of iterations, as its last param, and begins anew every time."""
    availability: bool = field(default=False, kw_only=True)
    """Whether it counts how often a child was available: what one observer of a hidden game needs."""
    goes_with: str | None = field(default=None, kw_only=True)
    """The name of the choose policy that is taken with it when none is asked for."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.learn is not None:
            self._check_function("learn", self.learn, LEARN)


@with_field_texts
@dataclass(frozen=True)
class ExpandPolicy(Policy):
    """How many children to add to a node: a function `(nodes, node, params) -> number`.

    Policies that are ready are in `ponderosa.policies.expand`.
    """

    phase: ClassVar[str] = "expand"
    arguments: ClassVar[tuple[str, ...]] = ("nodes", "node", "params")

    function: ExpandFunction
    sorts: bool = field(default=False, kw_only=True)
    """Whether children come in the order of their priors, where there are any."""


@with_field_texts
@dataclass(frozen=True)
class PlayoutPolicy(Policy):
    """From a leaf to a result: a function `(game, state, spare, actions, params, rng, values) -> plies`.

    It plays the state to its end by the game's rules, fills in `values`, each player's result from 0 to 1, and returns
    how many moves that took. `spare` is room for another state, `actions` for a list of actions. Policies that are
    ready are in `ponderosa.policies.playout`.
    """

    phase: ClassVar[str] = "playout"
    arguments: ClassVar[tuple[str, ...]] = ("game", "state", "spare", "actions", "params", "rng", "values")

    function: PlayoutFunction
    rollouts: int = 1
    """How many games are played from a leaf; their mean is backed up."""
    learn: StudyFunction | None = field(default=None, kw_only=True)
    """Called after every backup, to learn from the result."""
    moves: bool = field(default=False, kw_only=True)
    """Whether `learn` gets the moves of the iteration."""
    memory: int = field(default=0, kw_only=True)
    """How many numbers it keeps, behind its params, from playout to playout."""
    lengths: tuple[int, ...] = field(default=(), kw_only=True)
    """Which of its params say how many moves a playout may have: one more than the game may have is put there if it is
    less. The moves of a playout without any are counted from outside."""
    averages: bool = field(default=False, kw_only=True)
    """Whether its result is made of several games, even if there is one rollout."""
    replaceable: bool = field(default=False, kw_only=True)
    """Whether an evaluator may take its place: it is what is played when nothing is said."""
    judged: bool = field(default=False, kw_only=True)
    """Whether an evaluator gives the results, and nothing is played."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.learn is not None:
            self._check_function("learn", self.learn, STUDY)


@with_field_texts
@dataclass(frozen=True)
class BackupPolicy(Policy):
    """Backing a result up the visited path: a function `(nodes, path, depth, values, plies, params)`.

    It adds a visit to each node from `path[0]` to `path[depth]`, and to its value what its mover got:
    `values[nodes[path[i]]["mover"]]`. Policies that are ready are in `ponderosa.policies.backup`.
    """

    phase: ClassVar[str] = "backup"
    arguments: ClassVar[tuple[str, ...]] = ("nodes", "path", "depth", "values", "plies", "params")

    function: BackupFunction
    fields: Fields = field(default=(), kw_only=True)
    """What it keeps in every node beside the rest, as select policies do."""
    averages: bool = field(default=True, kw_only=True)
    """Whether a node's value is an average over its visits, and not that of its best child."""
    sums: bool = field(default=False, kw_only=True)
    """Whether it adds each result to the path as it is, and nothing else: then several threads may do it at once."""
    two_sided: bool = field(default=False, kw_only=True)
    """Whether it takes what one player loses for what the other wins: for two players."""


@with_field_texts
@dataclass(frozen=True)
class ChoosePolicy(Policy):
    """The move to play, once the search is over: a function `(nodes, parent, params) -> child`, -1 to search on.

    Policies that are ready are in `ponderosa.policies.choose`.
    """

    phase: ClassVar[str] = "choose"
    arguments: ClassVar[tuple[str, ...]] = ("nodes", "parent", "params")

    function: ChooseFunction
    may_search_on: bool = field(default=False, kw_only=True)
    """Whether it may ask for more search. It then gets up to a quarter more iterations, or of the time."""
    takes_wins: bool = field(default=False, kw_only=True)
    """Whether an action that wins at once is played, whatever the tree says of it."""
    draws: bool = field(default=False, kw_only=True)
    """Whether the move is drawn from the mixed strategy that the select policy has learned."""
    best_line: bool = field(default=False, kw_only=True)
    """Whether the first move of a single player's best line is played."""
    reads: tuple[str, ...] = field(default=(), kw_only=True)
    """Fields of the nodes that it reads, and that the select policy must keep."""


PHASES: dict[str, type[Policy]] = {
    kind.phase: kind for kind in (SelectPolicy, ExpandPolicy, PlayoutPolicy, BackupPolicy, ChoosePolicy)
}


@with_field_texts
@dataclass(frozen=True)
class Policies:
    """A policy for each phase, as `search.policies` has them."""

    select: SelectPolicy
    expand: ExpandPolicy
    playout: PlayoutPolicy
    backup: BackupPolicy
    choose: ChoosePolicy

    def by_phase(self) -> dict[str, Policy]:
        """The policies by the names of their phases."""
        return {part.name: getattr(self, part.name) for part in fields(self)}


Makers = Mapping[str, Callable[..., Policy]]
"""The policies of one phase that have a name."""


def as_policy(phase: str, given: Any, makers: Makers, settings: Mapping[str, Any] | None = None) -> Any:
    """What a person gave for a phase as a policy: one, a text like `ucb1` or `ucb1:c=1.4`, or a function of their own.

    A policy that is made from a text gets those of the `settings` that it takes.
    """
    if isinstance(given, Policy):
        if given.phase != phase:
            raise SettingError(f"{given} is for {given.phase}, not for {phase}")
        return given
    if isinstance(given, str):
        return _named_policy(phase, given, makers, settings or {})
    if given in makers.values():
        raise SettingError(f"{phase}={given.__name__} lacks its brackets: write {given.__name__}()")
    if callable(given):
        return PHASES[phase](given)
    raise SettingError(
        f"{phase} is a policy, its name, or a function of your own, not {given!r}; names: {list(makers)}"
    )


def _named_policy(phase: str, text: str, makers: Makers, settings: Mapping[str, Any]) -> Policy:
    name, written = split_spec(text)
    if name not in makers:
        raise unknown(f"{phase} policy", name, makers)
    own = read_settings(f"{phase}={name}", makers[name], written)
    taken = {key: value for key, value in settings.items() if key in inspect.signature(makers[name]).parameters}
    for key in own.keys() & taken.keys():
        raise SettingError(f"{key} is given twice: in {phase}={text!r} and beside it")
    try:
        return makers[name](**own, **taken)
    except TypeError as error:
        raise SettingError(f"{phase}={name}: {error}") from None
