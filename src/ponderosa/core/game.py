"""Game: what an author subclasses. Start at Game; `ponderosa docs add-a-game` shows one."""

from __future__ import annotations

import copy
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from ponderosa.compile.enabled import Speed
from ponderosa.compile.marks import inlined
from ponderosa.core.checks.forms import check_dtype, check_rules, check_shape
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.notation import place_of_name, refused
from ponderosa.core.once import once
from ponderosa.core.references import portable
from ponderosa.core.rules import Facts, Rules, build_rules, jit_enabled
from ponderosa.core.text import draw_cells
from ponderosa.core.turns import CHANCE, SIMULTANEOUS, TERMINAL, bytes_of_state
from ponderosa.errors import GameError, RuleError, SettingError, TooLongError, unknown

if TYPE_CHECKING:
    from ponderosa.core.state import State

__all__ = ["CHANCE", "LONGEST", "SIMULTANEOUS", "TERMINAL", "Action", "Game", "rule"]

Action = Hashable
"""What a player does: an integer in a compiled game, anything hashable in a plain one."""

LONGEST = 100_000
"""A game that goes on after this many actions counts as endless, whatever it declares."""

REQUIRED_RULES = ("current_player", "legal_actions", "apply_action", "is_terminal", "returns")
OPTIONAL_RULES = (
    "random_action",
    "playout_action",
    "candidates",
    "evaluate",
    "bounds",
    "noisy",
    "winning_action",
    "prior",
    "key",
    "observe",
    "chance_outcomes",
    "chance_outcome",
    "conceal",
    "determinize",
    "apply_actions",
)
NEEDED_RULES = {
    "chance": ("chance_outcomes",),
    "hidden": ("conceal", "determinize"),
    "simultaneous": ("apply_actions",),
}
"""The rules that a fact asks for; `ponderosa docs classes-of-games`."""


class rule(staticmethod):  # type: ignore[type-arg]  # noqa: N801  a decorator reads as a word
    """Marks a rule: a pure function of the state record `s`, without self; compiled when the game has a dtype.

        @rule
        def legal_actions(s):
            for take in range(1, min(3, s.stones) + 1):
                yield take

    A game has the rules `current_player(s)`, `legal_actions(s)`, `apply_action(s, a)`, `is_terminal(s)`, `returns(s)`.
    Those that make it faster or stronger, and those for dice, hidden things and choices at once, are on the pages
    `ponderosa docs add-a-game` and `ponderosa docs classes-of-games`.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        function.authored = True  # type: ignore[attr-defined]
        super().__init__(inlined(function))


@with_field_texts
class Game:
    """The rules of a game and its facts; a state of it is made by new_initial_state().

    With a `dtype`, a state is one record of it and the rules run as machine code. Without, a state is any object that
    `setup` fills with attributes, and the rules run as plain Python.

    An author writes the five rules `current_player`, `legal_actions`, `apply_action`, `is_terminal` and `returns`, each
    with @rule, and `setup`; everything else has a default. `ponderosa new my_game` writes one that runs, and
    `ponderosa docs add-a-game` explains it.
    """

    name: ClassVar[str] = ""
    """By what commands call it; the class name in small letters when left empty."""
    label: ClassVar[str] = ""
    """What people call it in titles and lists: "Connect Four"; made from the name when left empty."""
    board: str = "squares"
    """How pictures draw what `cells` gives: "squares", "chequered", "crossings" or "hexagons" (core/cell.py). The upper
    and the lower edge of hexagons have the colour of the first player, left and right that of the second."""
    colours: tuple[str, ...] = ()
    """The colours of the players' stones in pictures, in order; none: the usual ones of the board."""
    players: int = 2
    """How many players there are."""
    dtype: np.dtype[Any] | None = None
    """The fields of a state."""
    min_utility: float = -1.0
    """The least that `returns` gives a player."""
    max_utility: float = 1.0
    """The most that `returns` gives a player."""
    max_game_length: int | None = None
    """No game has more actions than this, dice and choices at once included; None: not known. Whatever goes on
    nevertheless is cut off."""
    max_actions: int = 1024
    """No state has more legal actions than this; a rule that fills an array gets one of this length."""
    scratch: tuple[str, ...] = ()
    """Fields that only make the rules fast: states that differ in them alone are equal."""
    ordered: bool = False
    """Whether `candidates` lists the best actions first: the tree tries them in this order, else in a random one."""
    chance: bool = False
    """Whether dice or cards decide at times: current_player is then CHANCE, and an action is what they show."""
    hidden: bool = False
    """Whether players do not see everything."""
    opened: bool = False
    """Whether this is the twin of a game with hidden things in which everybody sees everything."""
    simultaneous: bool = False
    """Whether all players choose at the same time at times: current_player is then SIMULTANEOUS."""
    observation_shape: tuple[int, ...] | None = None
    """What `observe` fills: (rows, columns, planes) of a board, (numbers,) of anything else; None: no such rule."""

    files: ClassVar[tuple[str, ...]] = ()
    """Parameters that name files to read: the page takes them from nobody."""

    parameters: dict[str, Any]
    """What the game was made with: every parameter of its constructor by name."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        game = super().__new__(cls)
        signature = cls.signature()
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            for key in kwargs:
                if key not in signature.parameters:
                    raise unknown(f"parameter of {cls.title()}", key, signature.parameters) from None
            raise SettingError(f"{cls.title()}: {error}") from None
        bound.apply_defaults()
        game.parameters = dict(bound.arguments)
        cls._check_types(game.parameters)
        return game

    @classmethod
    def _check_types(cls, parameters: dict[str, Any]) -> None:
        """Every parameter with the annotation of a simple type has a value of it."""
        try:
            hints = typing.get_type_hints(cls.__init__)
        except Exception:  # annotations that cannot be looked up say nothing
            return
        for name, value in parameters.items():
            hint = hints.get(name)
            union = typing.get_origin(hint) in (typing.Union, types.UnionType)
            wanted = typing.get_args(hint) if union else (hint,)
            if not all(kind in _SIMPLE for kind in wanted) or any(_is_a(value, kind) for kind in wanted):
                continue
            words = " or ".join(_SIMPLE[kind] for kind in wanted)
            raise SettingError(f"{name} of {cls.title()} must be {words}, not {value!r}")

    def setup(self, s: Any) -> None:
        """Turn the empty state `s` into the initial one; every field of a record is zero before."""

    def prepare_for_search(self, s: Any) -> None:
        """Switch off what only matters to people, on the search's own copy of a state, without changing any value."""

    def action_to_string(self, s: Any, a: Any) -> str:
        """How people write the action."""
        return str(a)

    def outcome_to_string(self, s: Any, outcome: Any) -> str:
        """How people write what the dice show."""
        return str(outcome)

    def cells(self, s: Any) -> Sequence[Sequence[str]] | None:
        """What each cell of the board shows, top row first, each a text or a `Cell`; None: the game has no board."""
        return None

    def cell_actions(self, s: Any) -> Sequence[Sequence[Action | None]] | None:
        """The action that a click on each cell means, in the shape of `cells`; None where there is none."""
        return None

    def action_cells(self, s: Any, a: Any) -> Sequence[tuple[int, int]]:
        """Row and column, in `cells`, of the cells that a person touches in turn to mean an action: from, to.

        Where several actions have the same cells, people choose among them; none: the action is a button. It replaces
        `cell_actions` for games in which pieces move.
        """
        return ()

    def picture(self, s: Any) -> str | None:
        """The position as SVG of one's own, shown in the place of the board or the text; None: they are drawn.

        Where the game has cells, it lies under them, stretched over the board, and they are touched as ever.
        """
        return None

    def winning_cells(self, s: Any) -> Sequence[tuple[int, int]]:
        """Row and column, in `cells`, of each cell of the line that won, to be marked; none when there is no such."""
        return ()

    def ending(self, s: Any) -> str:
        """What decided a game that is over, in a few words: "four in a row", "checkmate"; empty: nothing to say."""
        return ""

    def symmetries(self) -> Sequence[Sequence[int] | Mapping[Any, Any]]:
        """Ways to rename the actions, `image = row[action]`, that turn every game into an equal one: a board turned.

        With dice, they rename what dice show too.
        """
        return ()

    def shifts(self) -> tuple[int, int] | None:
        """Rows and columns of a board on which a game that is moved aside as a whole is an equal one; None: no such.

        The action of a cell is row * columns + column.
        """
        return None

    def remarks(self, s: Any) -> Sequence[str]:
        """What is said below the board, a line each: check, or what a referee announces."""
        return ()

    def row_labels(self) -> Sequence[str]:
        """What stands beside the rows of the board, top row first."""
        return ()

    def column_labels(self) -> Sequence[str]:
        """What stands below the columns of the board."""
        return ()

    def player_name(self, player: int) -> str:
        """What people call a player."""
        return f"player {player + 1}"

    def people_call_player(self, player: int) -> str:
        """What people call a player on a board that is drawn: by the colour of the stones, where text has marks."""
        return self.player_name(player)

    def draw(self, s: Any) -> str:
        """The position as text."""
        cells = self.cells(s)
        if cells is not None:
            return "\n".join([draw_cells(cells, self.row_labels(), self.column_labels()), *self.remarks(s)])
        names = self.dtype.names or () if self.dtype is not None else tuple(vars(s))
        return "\n".join(f"{name}: {getattr(s, name)}" for name in names if name not in self.scratch)

    def new_initial_state(self) -> State:
        """The state at the start of a game."""
        from ponderosa.core.state import PlainState, RecordState

        return RecordState.initial(self) if self.dtype is not None else PlainState.initial(self)

    def parse_action(self, text: str, state: State) -> Any:
        """The legal action that people write so; upper and lower case are the same."""
        record = state.record
        by_chance = state.to_move() == CHANCE
        written = self.outcome_to_string if by_chance else self.action_to_string
        actions = state.legal_actions()
        names = [written(record, action) for action in actions]
        place = place_of_name(str(text), names)
        if place is None:
            raise refused(str(text), actions, names)
        return actions[place]

    @classmethod
    def title(cls) -> str:
        """The game's name."""
        return cls.name or cls.__name__.lower()

    def people_call_it(self) -> str:
        """The game's name in titles and lists."""
        words = self.name.replace("_", " ") or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", type(self).__name__)
        return self.label or words.capitalize()

    @classmethod
    def signature(cls) -> inspect.Signature:
        """The constructor's parameters, without self."""
        if cls.__init__ is object.__init__:
            return inspect.Signature()
        signature = inspect.signature(cls.__init__)
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    @classmethod
    def own_rules(cls) -> dict[str, Callable[..., Any]]:
        """The rule functions of the class, by name."""
        found: dict[str, Callable[..., Any]] = {}
        for base in reversed(cls.__mro__):
            for name, value in vars(base).items():
                if isinstance(value, rule):
                    if name not in REQUIRED_RULES + OPTIONAL_RULES:
                        raise unknown(f"rule of {cls.title()}", name, REQUIRED_RULES + OPTIONAL_RULES)
                    found[name] = value.__func__
                elif name in found:
                    raise GameError(f"{cls.title()}.{name} needs `@rule` above it, as in the class it inherits from")
        for name in REQUIRED_RULES:
            if name not in found and not (name == "apply_action" and "apply_actions" in found):
                raise GameError(f"{cls.title()} has no rule {name!r}: write `@rule` above `def {name}(s, ...)`")
        return found

    @once
    def rules(self) -> Rules:
        """The operations on state records, compiled unless NUMBA_DISABLE_JIT is set."""
        try:
            return self.build_rules(compiled=jit_enabled())
        except RuleError as error:
            from ponderosa.core.checks.rehearsal import rehearsed

            words = rehearsed(self)  # Python says better what is wrong, if it trips over it too
            raise error if words is None else RuleError(words) from None

    def build_rules(self, compiled: bool) -> Rules:
        """The operations on state records, as machine code or as plain Python."""
        return self.rules_at("native" if compiled else "plain")

    def rules_at(self, speed: Speed) -> Rules:
        """The operations on state records at one of the speeds."""
        if self.dtype is None:
            raise GameError(f"{self.title()} has no dtype, so its rules are not compiled")
        check_dtype(self.title(), self.dtype)
        if not self.max_utility > self.min_utility:
            raise GameError(f"{self.title()}: max_utility must be more than min_utility")
        rules = self.own_rules()
        self.check_facts(rules)
        kinds = (self.chance, self.hidden, self.simultaneous, self.scratch)
        facts = Facts(self.dtype, self.players, self.min_utility, self.max_utility, *kinds, self.observation_shape)
        return build_rules(rules, facts, speed)

    def check_facts(self, rules: dict[str, Callable[..., Any]]) -> None:
        """Every rule is written as it must be, and every fact has those that it asks for, and the other way round."""
        for fact, names in NEEDED_RULES.items():
            for name in names:
                if getattr(self, fact) and name not in rules:
                    raise GameError(f"{self.title()} declares {fact} = True and has no rule {name!r}")
                if not getattr(self, fact) and name in rules and not (self.opened and fact == "hidden"):
                    raise GameError(f"{self.title()} has a rule {name!r}: it must declare {fact} = True")
        check_rules(self.title(), tuple(rules.items()), self.simultaneous, self.dtype is not None)
        check_shape(self.title(), self.observation_shape, "observe" in rules)
        if not (math.isfinite(self.min_utility) and math.isfinite(self.max_utility)) and self.players != 1:
            raise GameError(f"{self.title()}: only a game of one player may have scores without bounds")
        many_outcomes = "chance_outcomes" in rules and len(inspect.signature(rules["chance_outcomes"]).parameters) == 3
        if many_outcomes and "chance_outcome" not in rules:
            raise GameError(f"{self.title()}: chance_outcomes that fills arrays needs a rule chance_outcome(s, rng)")

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles have: all but the compiled rules, which are found again."""
        return {name: value for name, value in vars(self).items() if name != "rules"}

    def __reduce__(self) -> tuple[Any, ...]:
        return _blank, (portable(type(self)),), self.__getstate__()

    def __copy__(self) -> Self:
        return _filled(_blank(type(self)), self.__getstate__())

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = memo[id(self)] = _blank(type(self))
        return _filled(twin, copy.deepcopy(self.__getstate__(), memo))

    def open_twin(self) -> Self:
        """The same game with nothing hidden: what a player would face who saw everything."""
        twin = copy.copy(self)
        twin.hidden, twin.opened = False, True
        return twin

    @property
    def longest(self) -> int:
        """After so many actions a game is broken off: as `max_game_length` says, and never later than LONGEST."""
        declared = self.max_game_length
        if declared is None:
            return LONGEST
        if isinstance(declared, bool) or not isinstance(declared, int | np.integer) or declared < 1:
            raise GameError(
                f"{self.title()}: max_game_length must be a whole number of at least 1, or None, not {declared!r}"
            )
        return min(int(declared), LONGEST)

    def too_long(self) -> TooLongError:
        """What to say when a game goes on nevertheless."""
        says = "its max_game_length says" if self.max_game_length == self.longest else "any game may have"
        return TooLongError(
            f"{self.title()} has not ended after {self.longest:,} actions, the most that {says}: "
            "is_terminal must see the end, and apply_action lead to it"
        )

    @property
    def viewed(self) -> bool:
        """Whether players must be shown the game each from their own seat, because not everything is for all eyes."""
        return self.hidden or self.simultaneous

    @property
    def state_bytes(self) -> int:
        """How long a state of a game with a dtype is."""
        assert self.dtype is not None
        return bytes_of_state(np.dtype(self.dtype), self.players, self.viewed)

    @property
    def spec(self) -> str:
        """The game as people name it, with the parameters that are not the default."""
        signature = self.signature().parameters
        changed = [
            f"{key}={_written(value)}" for key, value in self.parameters.items() if value != signature[key].default
        ]
        return self.title() + (":" + ",".join(changed) if changed else "")

    def __repr__(self) -> str:
        return f"<game {self.spec}>"


_Made = TypeVar("_Made", bound=Game)


def _blank(kind: type[_Made]) -> _Made:
    """A game whose constructor is not called: what it was made with is filled in."""
    return object.__new__(kind)


def _filled(game: _Made, state: dict[str, Any]) -> _Made:
    if hasattr(game, "__setstate__"):
        game.__setstate__(state)
    else:
        vars(game).update(state)
    return game


_SIMPLE = {int: "a whole number", float: "a number", bool: "True or False", str: "text", type(None): "None"}


def _is_a(value: Any, kind: Any) -> bool:
    """Whether a value is of a simple type: True is no number, and a whole number is a number."""
    if isinstance(value, bool | np.bool_):
        return kind is bool
    return isinstance(value, {int: int | np.integer, float: int | float | np.integer | np.floating}.get(kind, kind))


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
