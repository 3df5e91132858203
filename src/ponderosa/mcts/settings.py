"""All that can be set for a search, in one place. Start at SearchSettings.

A new setting is a field here: Search, the agent `mcts` and the engines get the whole, and the command line, the page
and files read the names and types of the fields.
"""

from __future__ import annotations

import inspect
import time
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from ponderosa.core.field_texts import with_field_texts
from ponderosa.errors import SettingError
from ponderosa.mcts.policies.base import Policies, Policy

BOUNDED = "bounded"
"""What `solve` is where scores are proven, and not only wins, draws and losses."""
SINGLE = "single"
"""What `observers` is where all is seen with the eyes of the player who searches."""

Evaluate = Callable[[Any], tuple[Any, Any]]
"""An evaluator: a batch of states in, priors and values out (mcts/engines/evaluator.py)."""
Function = TypeVar("Function", bound=Callable[..., Any])


@with_field_texts
@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How a search is done, beside its game and its budget.

    A phase is a policy, a text that names one (`"ucb1"`, `"ucb1:c=1.4"`), or a function of your own
    (ponderosa docs add-a-phase); None is what fits the class of the game.
    """

    select: str | Policy | Callable[..., Any] | None = None
    """Which child to descend into."""
    expand: int | str | Policy | Callable[..., Any] | None = None
    """How many children to add to a node: a number, "all", or a policy."""
    playout: str | Policy | Callable[..., Any] = "random"
    """How a game is played from a leaf to its end."""
    backup: str | Policy | Callable[..., Any] = "mean"
    """How a result changes the nodes of the path."""
    choose: str | Policy | Callable[..., Any] | None = None
    """Which move is played when the search is over."""
    solve: bool | str = True
    """Whether wins, draws and losses are proven; "bounded" proves scores, too."""
    seed: int = 0
    """Where random numbers begin: the same seed and number of iterations give the same tree."""
    utility: tuple[float, float] | None = None
    """The least and the most that `returns` gives a player, for Python states that do not say it."""
    clock: Callable[[], float] = time.perf_counter
    """What says the seconds."""
    threads: int = 1
    """How many threads search; `parallel` says what they do."""
    parallel: str = "merge"
    """"merge" (or "root") grows a tree on each thread and adds up what they found, "vote" lets the trees vote, "tree"
    grows one tree on all, "leaf" plays every leaf out on all."""
    device: str = "auto"
    """Where trees grow: "cuda" is a CUDA card, "cpu" and "auto" the processor (ponderosa docs forest)."""
    trees: int | None = None
    """How many trees of the one position grow together and are added up; on a card 4,096, if nothing is said."""
    paranoid: bool = False
    """Whether all others are taken for opponents, in games of several players."""
    observers: str = "multiple"
    """Where something is hidden: "single" sees all turns with the eyes of the player who searches."""
    restarts: int = 0
    """How often a search for one player begins anew; the best line of all is kept."""
    evaluator: Evaluate | None = None
    """What judges leaves in the place of playouts, such as a neural network (ponderosa docs evaluators)."""
    batch: int = 32
    """How many leaves the evaluator is asked about at once, at most."""
    transpositions: bool = False
    """Whether a position that several orders of moves lead to is one node."""
    symmetry: bool = False
    """Whether, of the root's actions that are equal because the board looks the same, only one is searched."""
    policy_settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the policies that are named or left out: `{"c": 1.4, "rollouts": 4}`."""

    def __post_init__(self) -> None:
        if not isinstance(self.policy_settings, Mapping):
            raise SettingError(f'policy_settings is a dict such as {{"c": 1.4}}, not {self.policy_settings!r}')

    @classmethod
    def of(cls, given: SearchSettings | None, changes: Mapping[str, Any]) -> SearchSettings:
        """Settings with changes; those that are no fields are settings of the policies."""
        found = cls() if given is None else given
        own = {name: value for name, value in changes.items() if name in NAMES}
        rest = {name: value for name, value in changes.items() if name not in own and name != "policy_settings"}
        more = cls(policy_settings=changes.get("policy_settings", {})).policy_settings
        more = {**found.policy_settings, **more, **rest}
        return replace(found, **own, policy_settings=more)

    def with_policies(self, policies: Policies) -> SearchSettings:
        """The same settings, with the policies that were made of them."""
        made: dict[str, Any] = dict(policies.by_phase())
        return replace(self, **made, policy_settings={})

    @property
    def phases(self) -> dict[str, Any]:
        """What was given for each phase."""
        return {phase: getattr(self, phase) for phase in ("select", "expand", "playout", "backup", "choose")}

    @property
    def bounded(self) -> bool:
        """Whether scores are proven, by bounds: mcts/loops/bounded.py."""
        return self.solve == BOUNDED

    @property
    def single(self) -> bool:
        """Whether all is seen with the eyes of the player who searches."""
        return self.observers == SINGLE

    @property
    def shared(self) -> bool:
        """Whether other threads grow the same tree: mcts/loops/shared_tree.py."""
        return self.threads > 1 and self.parallel == "tree"

    @property
    def many(self) -> bool:
        """Whether many trees of the one position grow together: forest/one_position.py."""
        return self.trees is not None or self.device == "cuda"

    @property
    def helpers(self) -> int:
        """How many further threads play out every leaf: mcts/loops/leaf_playouts.py."""
        return self.threads - 1 if self.parallel == "leaf" else 0


NAMES = tuple(part.name for part in fields(SearchSettings) if part.name != "policy_settings")
"""The settings that are not those of a policy."""


def takes_settings(*without: str) -> Callable[[Function], Function]:
    """A function whose `**settings` are SearchSettings says so: help, lists and typed texts see every field.

    `without` are fields that it does not take.
    """

    def shown(function: Function) -> Function:
        signature, hints = inspect.signature(function), typing.get_type_hints(SearchSettings)
        parts = {part.name: part for part in fields(SearchSettings) if part.name in NAMES and part.name not in without}
        *own, settings = signature.parameters.values()
        taken = {parameter.name for parameter in own}
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=part.default, annotation=hints[name])
            for name, part in parts.items()
            if name not in taken
        ]
        function.__signature__ = signature.replace(parameters=[*own, *more, settings])  # type: ignore[attr-defined]
        function.__annotations__ |= {parameter.name: parameter.annotation for parameter in more}
        return function

    return shown
