"""Policies: a phase function with its numbers. Start at Policy; docs/add-a-phase.md shows how to write one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ponderosa.core.numbers import MOST as MOST
from ponderosa.core.numbers import check_number as check_number
from ponderosa.core.spec import read_settings, split_spec
from ponderosa.errors import SettingError, unknown
from ponderosa.mcts.tree.node import Fields

PHASES: dict[str, tuple[str, ...]] = {
    "select": ("nodes", "parent", "params", "rng"),
    "expand": ("nodes", "node", "params"),
    "playout": ("game", "state", "spare", "actions", "params", "rng", "values"),
    "backup": ("nodes", "path", "depth", "values", "plies", "params"),
    "choose": ("nodes", "parent", "params"),
}
"""What each phase's function is called with."""

LEARN = ("nodes", "path", "parents", "depth", "values", "moves", "params")
"""What the `learn` function of a select policy is called with. `path` is the one of backup; `parents[i]` is the node at
which `path[i]` was chosen, for i from 1 on. `moves` are those of the whole iteration if the policy asks for them:
`moves[0]` says how many, and each is action * players + player."""

STUDY = ("params", "values", "moves")
"""What the `learn` function of a playout policy is called with: its own params, of which the last are its memory."""


@dataclass(frozen=True)
class Policy:
    """One way to do one phase."""

    phase: str
    """select, expand, playout, backup or choose."""
    function: Callable[..., Any]
    """What runs, compiled; its arguments are those of PHASES."""
    params: tuple[float, ...] = ()
    """The numbers that it is called with as `params`: a change of them compiles nothing."""
    name: str = ""
    """How people name it."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What it was made with, by name, for reports and files."""
    rollouts: int = 1
    """Playout only: how many games are played from a leaf; their mean is backed up."""
    needs: tuple[str, ...] = ()
    """Optional rules that the game must have."""
    fields: Fields = ()
    """Select and backup: what it keeps in every node beside the rest, as in `(("squares", "f8"),)`; `"f8 each"` is one
    number for every player."""
    learn: Callable[..., Any] | None = None
    """Select and playout: called after every backup, with the arguments LEARN or STUDY, to learn from the result."""
    moves: bool = False
    """Select and playout: whether `learn` must be told the moves of the iteration."""
    memory: int = 0
    """Playout only: how many numbers it keeps, behind its params, from playout to playout."""
    lengths: tuple[int, ...] = ()
    """Playout only: which of its params say how many moves a playout may have: one more than the game may have is put
    there if it is less. The moves of a playout without any are counted from outside."""
    averages: bool = False
    """Playout only: whether its result is made of several games, even if there is one rollout."""
    priors: bool = False
    """Select only: whether it needs the field `prior` of every child, how promising the game thinks it is."""
    static: bool = False
    """Select only: whether it needs the field `static` of every node: the game's static value of the position."""
    whole: bool = False
    """Select only: whether it wants all children of a node at once, unless something else is said."""
    scaled: bool = False
    """Select only: whether the loop puts the least and the most result so far behind its own params."""
    mixed: bool = False
    """Select only: whether it learns a mixed strategy, in the field `strategy`."""
    strategy: Callable[..., Any] | None = None
    """Select only: how often to play each child of a node, as `(nodes, parent, params) -> {child: share}`; Python."""
    planned: bool = False
    """Select only: whether it must know the number of iterations, as its last param, and begins anew every time."""
    may_search_on: bool = False
    """Choose only: whether it may ask for more search. It then gets up to a quarter more iterations, or of the time."""
    takes_wins: bool = False
    """Choose only: whether an action that wins at once is played, whatever the tree says of it."""

    def __post_init__(self) -> None:
        if self.phase not in PHASES:
            raise unknown("phase", str(self.phase), PHASES)
        self._check_function(self.phase, self.function, PHASES[self.phase])
        if self.learn is not None:
            self._check_function("learn", self.learn, STUDY if self.phase == "playout" else LEARN)
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

    def __copy__(self) -> Policy:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Policy:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from ponderosa.mcts.policies.composition import pickled

        return pickled(self)

    def __str__(self) -> str:
        words = ", ".join(f"{key}={value}" for key, value in self.settings.items() if value is not None)
        return f"{self.name or self.function.__name__}({words})"


Makers = dict[str, Callable[..., Policy]]
"""The policies of one phase that have a name."""


def as_policy(phase: str, given: Any, makers: Makers, settings: Mapping[str, Any] | None = None) -> Policy:
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
        return Policy(phase, given)
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
