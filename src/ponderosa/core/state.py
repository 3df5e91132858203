"""State: one position of a game, with the method names of OpenSpiel. Start at State."""

from __future__ import annotations

import copy
import weakref
from abc import ABC, abstractmethod
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from ponderosa.core.errors import GameError, IllegalActionError, listed
from ponderosa.core.game import TERMINAL, Action, Game
from ponderosa.core.rules import PlainRecord, StateBytes


class State(ABC):
    """A position, and the actions that led to it."""

    game: Game

    def __init__(self, game: Game, history: list[Any]) -> None:
        self.game = game
        self._history = history

    @property
    @abstractmethod
    def record(self) -> Any:
        """The state as rules see it: fields by name."""

    @abstractmethod
    def current_player(self) -> int:
        """The player to move, or TERMINAL."""

    @abstractmethod
    def legal_actions(self) -> list[Any]:
        """What the player to move may do; empty when the game is over."""

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
    def _identity(self) -> Any: ...

    def apply_action(self, action: Action) -> None:
        """Play a legal action; the state changes."""
        legal = self.legal_actions()
        if action not in legal:
            names = listed(self.action_to_string(other) for other in legal)
            raise IllegalActionError(
                f"{action!r} is not a legal action here; legal: {names or 'none, the game is over'}"
            )
        action = legal[legal.index(action)]  # equal numbers of another type become the game's own
        self._apply(action)
        self._history.append(action)

    def child(self, action: Action) -> Self:
        """The state after an action; this one stays as it is."""
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
        """How people write the action."""
        return self.game.action_to_string(self.record, action)

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
        assert game.dtype is not None
        state = cls(game, np.zeros(game.dtype.itemsize, np.uint8), [])
        game.setup(state.record)
        return state

    @property
    def record(self) -> PlainRecord:
        assert self.game.dtype is not None
        return PlainRecord(self.data, self.game.dtype)

    def current_player(self) -> int:
        return TERMINAL if self.is_terminal() else int(self.game.rules.current_player(self.data))

    def legal_actions(self) -> list[int]:
        if self.is_terminal():
            return []
        actions = np.zeros(self.game.max_actions, np.int32)
        count = self.game.rules.legal_actions(self.data, actions)
        if count > len(actions):
            raise GameError(
                f"{self.game.title()} has a state with {count} legal actions: declare `max_actions = {count}` or more"
            )
        return sorted(actions[:count].tolist())

    def is_terminal(self) -> bool:
        return bool(self.game.rules.is_terminal(self.data))

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0] * self.game.players
        return [float(value) for value in _authored(self.game)["returns"](self.record)]

    def clone(self) -> Self:
        return type(self)(self.game, self.data.copy(), list(self._history))

    def _apply(self, action: Any) -> None:
        self.game.rules.apply_action(self.data, action)

    def _identity(self) -> bytes:
        assert self.game.dtype is not None
        row = self.data.view(self.game.dtype)[0]
        return b"".join(row[name].tobytes() for name in self.game.dtype.names or () if name not in self.game.scratch)


class PlainState(State):
    """A state of a game without a dtype: an object with whatever attributes `setup` gave it."""

    def __init__(self, game: Game, fields: SimpleNamespace, history: list[Any]) -> None:
        super().__init__(game, history)
        self._fields = fields
        self._rules = _authored(game)

    @classmethod
    def initial(cls, game: Game) -> Self:
        state = cls(game, SimpleNamespace(), [])
        game.setup(state.record)
        return state

    @property
    def record(self) -> SimpleNamespace:
        return self._fields

    def current_player(self) -> int:
        return TERMINAL if self.is_terminal() else int(self._rules["current_player"](self._fields))

    def legal_actions(self) -> list[Any]:
        return [] if self.is_terminal() else list(self._rules["legal_actions"](self._fields))

    def is_terminal(self) -> bool:
        return bool(self._rules["is_terminal"](self._fields))

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0] * self.game.players
        return [float(value) for value in self._rules["returns"](self._fields)]

    def clone(self) -> Self:
        return type(self)(self.game, copy.deepcopy(self._fields), list(self._history))

    def _apply(self, action: Any) -> None:
        self._rules["apply_action"](self._fields, action)

    def _identity(self) -> Any:
        return tuple(
            (name, _hashable(value)) for name, value in vars(self._fields).items() if name not in self.game.scratch
        )


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
