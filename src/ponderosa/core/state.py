"""State: one position of a game, with the method names of OpenSpiel. Start at State."""

from __future__ import annotations

import copy
import weakref
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from ponderosa.compile.annotations import StateBytes
from ponderosa.compile.record_view import PlainRecord
from ponderosa.core.checks.forms import check_dtype
from ponderosa.core.checks.promises import wrong_returns
from ponderosa.core.checks.rehearsal import raised
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.game import Action, Game
from ponderosa.core.notation import named_action, read_action
from ponderosa.core.rng import Rng, new_rng
from ponderosa.core.turns import CHANCE, SIMULTANEOUS, TERMINAL
from ponderosa.errors import GameError, IllegalActionError, PonderosaError, SettingError


@with_field_texts
class State(ABC):
    """A position, and the actions that led to it; or what one player sees of it.

    `legal_actions()`, `apply_action(action)`, `current_player()`, `is_terminal()` and `returns()` play a game; `child`,
    `clone` and `history` are there, too. Game.new_initial_state() makes one. A text stands for the action of that name.
    """

    game: Game
    """The game that it is a position of."""
    viewer: int | None = None
    """The player whose view this is; None: everything is there to see."""

    def __init__(self, game: Game, history: list[Any]) -> None:
        self.game = game
        self._history = history

    @property
    @abstractmethod
    def record(self) -> Any:
        """The state as rules see it: fields by name."""

    @abstractmethod
    def current_player(self) -> int:
        """The player to move, or CHANCE, SIMULTANEOUS or TERMINAL."""

    @abstractmethod
    def chosen(self) -> int:
        """How many have chosen of those who choose at once."""

    @abstractmethod
    def is_terminal(self) -> bool:
        """Whether the game is over."""

    @abstractmethod
    def returns(self) -> list[float]:
        """What each player got; all zero while the game goes on."""

    @abstractmethod
    def clone(self) -> Self:
        """An independent copy."""

    @abstractmethod
    def _apply(self, action: Any) -> None: ...

    @abstractmethod
    def _legal(self, player: int) -> list[Any]: ...

    @abstractmethod
    def _outcomes(self) -> list[tuple[Any, float]]: ...

    @abstractmethod
    def _conceal(self, player: int) -> None: ...

    @abstractmethod
    def _determinize(self, player: int, rng: Rng) -> None: ...

    @abstractmethod
    def _fields_identity(self) -> Any: ...

    @abstractmethod
    def _waiting_choices(self) -> Any: ...

    def _numbers(self, given: Any) -> list[float]:
        """What `returns` gave: a number for each player."""
        try:
            numbers = [float(value) for value in given]
        except (TypeError, ValueError):
            numbers = []
        if len(numbers) != self.game.players:
            raise GameError(f"{self.game.title()}.returns {wrong_returns(given, self.game.players)}")
        return numbers

    def _identity(self) -> Any:
        return self._fields_identity(), self._waiting_choices(), self.viewer

    def to_move(self) -> int:
        """Whose action `apply_action` takes next: a player, CHANCE or TERMINAL.

        Where all choose at once, they are asked in turn, and a view belongs to the one who looks.
        """
        player = self.current_player()
        if player != SIMULTANEOUS:
            return player
        return self.chosen() if self.viewer is None else self.viewer

    def is_chance_node(self) -> bool:
        """Whether dice decide now."""
        return self.current_player() == CHANCE

    def is_simultaneous_node(self) -> bool:
        """Whether all players choose at once now."""
        return self.current_player() == SIMULTANEOUS

    def legal_actions(self, player: int | None = None) -> list[Any]:
        """What a player may do, the one to move unless it is said; empty when it is not their turn or all is over.

        Where dice decide, what they may show.
        """
        now = self.current_player()
        if now == TERMINAL:
            return []
        if now == CHANCE:
            return [outcome for outcome, _ in self._outcomes()] if player is None else []
        if now == SIMULTANEOUS:
            return self._legal(self.to_move() if player is None else self._seat(player))
        return self._legal(now) if player is None or self._seat(player) == now else []

    def chance_outcomes(self) -> list[tuple[Any, float]]:
        """What dice may show, each with its probability; empty where no dice decide."""
        return self._outcomes() if self.is_chance_node() else []

    def apply_action(self, action: Action) -> None:
        """Play a legal action, or let dice show an outcome; the state changes. A text is the name of one: "b2".

        Where all choose at once, this is the choice of the next player, and the last one lets the turn happen.
        """
        self.apply_legal(self.legal_action(action))

    def apply_legal(self, action: Action) -> None:
        """Play an action that `legal_action` gave."""
        if len(self._history) >= self.game.longest:
            raise self.game.too_long()
        self._apply(action)
        self._history.append(action)

    def legal_action(self, given: Any, player: int | None = None) -> Any:
        """The legal action that is given, itself or by its name, of the player to move unless another is said.

        What is an action is taken as one, and only a text that is none as a name.
        """
        legal = self.legal_actions(player)
        if given in legal:
            return legal[legal.index(given)]  # equal numbers of another type become the game's own
        if isinstance(given, str) and player is None and legal:
            given = read_action(self.game, given, self)
        whose = "here" if player is None else f"of {self.game.player_name(player)}"
        return named_action(given, legal, self.action_to_string, whose)

    def apply_actions(self, actions: Sequence[Action]) -> None:
        """Where all choose at once, the choices of all players, in their order."""
        if not self.is_simultaneous_node() or self.chosen():
            raise IllegalActionError("here one player moves alone: use apply_action")
        if len(actions) != self.game.players:
            raise IllegalActionError(f"apply_actions takes one action for each of the {self.game.players} players")
        chosen = [self.legal_action(action, player) for player, action in enumerate(actions)]
        if len(self._history) >= self.game.longest:
            raise self.game.too_long()
        for action in chosen:
            self._apply(action)
        self._history.extend(chosen)

    def observation(self, player: int) -> Self:
        """What a player may see, as a state of its own in which all else is erased.

        Of a game in which all see everything, a copy. What is erased is in no corner of it: not in its history either.
        """
        seen = self.clone()
        if self.game.viewed:
            seen._conceal(self._seat(player))
            seen._history = []
            seen.viewer = player
        return seen

    def resample_from_infostate(self, player: int, rng: Any = 0) -> Self:
        """A whole state, drawn at random, that agrees with all that a player sees.

        `rng` is a generator of ours, a seed, or a function that gives numbers in [0, 1).
        """
        drawn = self.observation(player)
        drawn.viewer = None
        if self.game.hidden:
            if callable(rng):
                rng = int(rng() * 2**32)
            drawn._determinize(player, new_rng(rng) if isinstance(rng, int) else rng)
        return drawn

    def _seat(self, player: int) -> int:
        if isinstance(player, bool) or player not in range(self.game.players):
            raise SettingError(f"players of {self.game.title()} are 0 to {self.game.players - 1}, not {player!r}")
        return player

    def child(self, action: Action) -> Self:
        """The state after an action, or the one that a text names; this one stays as it is."""
        after = self.clone()
        after.apply_action(action)
        return after

    def history(self) -> list[Any]:
        """The actions played so far."""
        return list(self._history)

    def num_players(self) -> int:
        """How many players the game has."""
        return self.game.players

    def action_to_string(self, action: Action) -> str:
        """How people write the action, or what the dice show."""
        if self.game.chance and self.is_chance_node():
            return self.game.outcome_to_string(self.record, action)
        return self.game.action_to_string(self.record, action)

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A clone: states of one game share it, and what they share never changes."""
        return self.clone()

    def _repr_svg_(self) -> str | None:
        """The position as a picture, for notebooks; None: the game has neither a board nor a picture of its own."""
        from importlib import import_module

        drawn: str | None = import_module("ponderosa.pictures.alone").any_picture_alone(self)  # a room above this one
        return drawn

    def __str__(self) -> str:
        return self.game.draw(self.record)

    def __repr__(self) -> str:
        return f"<state of {self.game.spec} after {len(self._history)} actions>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.game.spec == other.game.spec and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.game.spec, self._identity()))


class RecordState(State):
    """A state of a game with a dtype: a block of bytes that the compiled rules work on."""

    def __init__(self, game: Game, data: StateBytes, history: list[int]) -> None:
        super().__init__(game, history)
        self.data = data

    @classmethod
    def initial(cls, game: Game) -> Self:
        dtype: Any = game.dtype
        if not isinstance(dtype, np.dtype) or not dtype.names:
            check_dtype(game.title(), dtype)
        state = cls(game, np.zeros(game.state_bytes, np.uint8), [])
        _set_up(game, state.record)
        if "max_utility" in dtype.names:
            state.record.max_utility = game.max_utility
        return state

    @property
    def record(self) -> PlainRecord:
        assert self.game.dtype is not None
        return PlainRecord(self.data, self.game.dtype)

    def current_player(self) -> int:
        if self.is_terminal():
            return TERMINAL
        if self.game.simultaneous:  # the operation tells who is asked next; the author's rule, whether all choose
            return int(_authored(self.game)["current_player"](self.record))
        return int(self.game.rules.current_player(self.data))

    def chosen(self) -> int:
        return int(self.game.rules.current_player(self.data)) if self.game.simultaneous else 0

    def _legal(self, player: int) -> list[int]:
        actions = np.zeros(self.game.max_actions, np.int32)
        if self.game.simultaneous:
            count = self.game.rules.legal_actions_of(self.data, player, actions)
        else:
            count = self.game.rules.legal_actions(self.data, actions)
        return sorted(actions[: self._fitting(count, "legal actions")].tolist())

    def _fitting(self, count: int, what: str) -> int:
        if count > self.game.max_actions:
            raise GameError(
                f"{self.game.title()} has a state with {count} {what}: declare `max_actions = {count}` or more"
            )
        return count

    def _outcomes(self) -> list[tuple[int, float]]:
        outcomes = np.zeros(self.game.max_actions, np.int32)
        probabilities = np.zeros(self.game.max_actions)
        count = self._fitting(self.game.rules.chance_outcomes(self.data, outcomes, probabilities), "outcomes")
        return list(zip(outcomes[:count].tolist(), probabilities[:count].tolist(), strict=True))

    def _conceal(self, player: int) -> None:
        self.game.rules.conceal(self.data, player)

    def _determinize(self, player: int, rng: Rng) -> None:
        self.game.rules.determinize(self.data, player, rng)

    def is_terminal(self) -> bool:
        return bool(self.game.rules.is_terminal(self.data))

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0] * self.game.players
        return self._numbers(_authored(self.game)["returns"](self.record))

    def clone(self) -> Self:
        twin = type(self)(self.game, self.data.copy(), list(self._history))
        twin.viewer = self.viewer
        return twin

    def _apply(self, action: Any) -> None:
        self.game.rules.apply_action(self.data, action)

    def _fields_identity(self) -> bytes:
        assert self.game.dtype is not None
        row = self.data[: self.game.dtype.itemsize].view(self.game.dtype)[0]
        return b"".join(row[name].tobytes() for name in self.game.dtype.names or () if name not in self.game.scratch)

    def _waiting_choices(self) -> bytes:
        assert self.game.dtype is not None
        return self.data[self.game.dtype.itemsize :].tobytes()


class PlainState(State):
    """A state of a game without a dtype: an object with whatever attributes `setup` gave it."""

    def __init__(self, game: Game, fields: SimpleNamespace, history: list[Any]) -> None:
        super().__init__(game, history)
        self._fields = fields
        self._rules = _authored(game)
        self._pending: list[Any] = []

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle has; the rules are found again, by the game."""
        return {name: value for name, value in vars(self).items() if name != "_rules"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._rules = _authored(self.game)

    @classmethod
    def initial(cls, game: Game) -> Self:
        game.check_facts(_authored(game))
        state = cls(game, SimpleNamespace(), [])
        _set_up(game, state.record)
        return state

    @property
    def record(self) -> SimpleNamespace:
        return self._fields

    def current_player(self) -> int:
        return TERMINAL if self.is_terminal() else int(self._rules["current_player"](self._fields))

    def chosen(self) -> int:
        return len(self._pending)

    def _legal(self, player: int) -> list[Any]:
        who = (player,) if self.game.simultaneous else ()
        return list(self._rules["legal_actions"](self._fields, *who))

    def _outcomes(self) -> list[tuple[Any, float]]:
        return [(outcome, float(chance)) for outcome, chance in self._rules["chance_outcomes"](self._fields)]

    def _conceal(self, player: int) -> None:
        if self.game.hidden:
            self._rules["conceal"](self._fields, player)
        self._pending = []

    def _determinize(self, player: int, rng: Rng) -> None:
        self._rules["determinize"](self._fields, player, rng)

    def is_terminal(self) -> bool:
        return bool(self._rules["is_terminal"](self._fields))

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0] * self.game.players
        return self._numbers(self._rules["returns"](self._fields))

    def clone(self) -> Self:
        twin = type(self)(self.game, copy.deepcopy(self._fields), list(self._history))
        twin.viewer, twin._pending = self.viewer, list(self._pending)
        return twin

    def _apply(self, action: Any) -> None:
        if not self.is_simultaneous_node():
            self._rules["apply_action"](self._fields, action)
            return
        self._pending.append(action)
        if len(self._pending) == self.game.players:
            together, self._pending = self._pending, []
            self._rules["apply_actions"](self._fields, together)

    def _fields_identity(self) -> Any:
        return tuple(
            (name, _hashable(value)) for name, value in vars(self._fields).items() if name not in self.game.scratch
        )

    def _waiting_choices(self) -> Any:
        return tuple(self._pending)


def _set_up(game: Game, s: Any) -> None:
    try:
        game.setup(s)
    except PonderosaError:
        raise
    except Exception as error:
        raise GameError(f"{game.title()}.setup raised {raised(error)}") from error


_AUTHORED: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()


def _authored(game: Game) -> dict[str, Any]:
    """The rule functions of a game by name, looked up once for each class."""
    kind = type(game)
    if kind not in _AUTHORED:
        _AUTHORED[kind] = kind.own_rules()
    return _AUTHORED[kind]


def _hashable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, dict):
        return tuple((key, _hashable(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(_hashable(item) for item in value)
    return frozenset(value) if isinstance(value, set) else value
