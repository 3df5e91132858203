"""Games whose states are objects of another package. Start at WorldGame; a state of it wraps one of theirs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any, Self

from ponderosa.adapters.printed import Board, printed_board
from ponderosa.core.game import Game
from ponderosa.core.rng import Rng, uniform
from ponderosa.core.spec import join_spec
from ponderosa.core.state import State
from ponderosa.errors import GameError, SettingError

NOTHING = "nothing is shown"
"""What stands in the place of a position of which a world prints nothing."""


def package(name: str, extra: str) -> ModuleType:
    """A package that is imported when it is needed, or the error says what to install."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise SettingError(
            f'{extra}: needs the package {name}, which is not here ({error}): pip install "ponderosa[{extra}]"'
        ) from None


def not_made(package: str, kind: str, error: Exception) -> SettingError:
    """The error for a name or a parameter with which a package makes nothing."""
    words = " ".join(str(error).split())[:200]
    if isinstance(error, KeyError):
        words = f"there is no {words}"
    elif isinstance(error, ModuleNotFoundError):
        words = f"it needs the package {error.name}, which is not here"
    return SettingError(f"{package} does not make {kind!r}: {words}")


class WorldGame(Game):
    """A game of another package; subclasses say how its states are made and what is seen of them."""

    world_name: str
    """The name within its package, with its parameters: what stands behind the colon."""

    @property
    def spec(self) -> str:
        """As people name it: `openspiel:breakthrough(columns=6,rows=6)`."""
        first = {"name": self.world_name}
        default = {key: value.default for key, value in self.signature().parameters.items()}
        changed = {k: str(v) for k, v in self.parameters.items() if k != "name" and v != default[k]}
        return join_spec(self.title(), first | changed)

    def people_call_it(self) -> str:
        """The name within its package."""
        return self.world_name

    def new_world(self) -> Any:
        """An object with OpenSpiel's method names, at the start of a game."""
        raise NotImplementedError

    def seen(self, world: Any, player: int) -> str:
        """All that a player knows, as text: what tells two positions apart for this player."""
        raise NotImplementedError

    def shown(self, world: Any, player: int | None) -> str:
        """The position as text for people: as a player sees it, or all of it."""
        return str(world) if player is None else self.seen(world, player)

    def identity(self, world: Any) -> Any:
        """What is the same for equal positions only."""
        return tuple(world.history())

    def concealed(self, world: Any, player: int) -> Any:
        """The world as a player's view holds it: as it is, where its package cannot leave anything out."""
        return world

    def resampled(self, world: Any, player: int, rng: Rng) -> Any:
        """A world that agrees with all that a player knows, drawn at random."""
        return world.resample_from_infostate(player, lambda: float(uniform(rng)))

    @classmethod
    def own_rules(cls) -> dict[str, Callable[..., Any]]:
        """None: the rules are the other package's."""
        return {}

    def new_initial_state(self) -> WorldState:
        """The state at the start of a game."""
        return WorldState(self, self.new_world(), [])

    def action_to_string(self, s: WorldState, a: Any) -> str:
        return str(s.world.action_to_string(s.to_move(), a))

    def outcome_to_string(self, s: WorldState, outcome: Any) -> str:
        return self.action_to_string(s, outcome)

    def draw(self, s: WorldState) -> str:
        return self.shown(s.world, s.viewer).rstrip() or NOTHING

    def printed(self, s: WorldState) -> Board | None:
        """The board that is printed, if all that is printed is one."""
        return printed_board(self.draw(s))

    def cells(self, s: WorldState) -> list[list[str]] | None:
        board = self.printed(s)
        return None if board is None else board.cells

    def action_cells(self, s: WorldState, a: Any) -> list[tuple[int, int]]:
        board = self.printed(s)
        return [] if board is None else board.named_cells(self.action_to_string(s, a))


class WorldState(State):
    """A position of another package's game; `world` is its own state."""

    game: WorldGame

    def __init__(self, game: WorldGame, world: Any, history: list[Any]) -> None:
        super().__init__(game, history)
        self.world = world
        self._pending: list[Any] = []
        self._known: dict[int, list[Any]] = {}
        """Each player's legal actions, once they were asked for."""

    @property
    def record(self) -> Self:
        """What the game's words are made of."""
        return self

    def current_player(self) -> int:
        return int(self.world.current_player())

    def chosen(self) -> int:
        return len(self._pending)

    def is_terminal(self) -> bool:
        return bool(self.world.is_terminal())

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0] * self.game.players
        return self._numbers(self.world.returns())

    def clone(self) -> Self:
        twin = type(self)(self.game, self.world.clone(), list(self._history))
        twin.viewer, twin._pending, twin._known = self.viewer, list(self._pending), dict(self._known)
        return twin

    def _legal(self, player: int) -> list[Any]:
        if player not in self._known:
            together = self.is_simultaneous_node()
            found = self._asked(player) if together else self._asked()
            self._known[player] = found or ([0] if together else [])  # who has nothing to choose waits
        return list(self._known[player])

    def _asked(self, *player: int) -> list[Any]:
        try:
            return list(self.world.legal_actions(*player))
        except Exception as error:
            raise GameError(f"{self.game.spec} does not list its legal actions: {error}") from error

    def _outcomes(self) -> list[tuple[Any, float]]:
        return [(outcome, float(chance)) for outcome, chance in self.world.chance_outcomes()]

    def _apply(self, action: Any) -> None:
        try:
            if not self.is_simultaneous_node():
                self.world.apply_action(action)
                self._known = {}
                return
            self._pending.append(action)
            if len(self._pending) == self.game.players:
                together, self._pending = self._pending, []
                self.world.apply_actions(together)
                self._known = {}
        except Exception as error:
            raise GameError(f"{self.game.spec} did not take the action {action!r}: {error}") from error

    def _conceal(self, player: int) -> None:
        self.world = self.game.concealed(self.world, player)
        self._pending = []

    def _determinize(self, player: int, rng: Rng) -> None:
        self.world = self.game.resampled(self.world, player, rng)
        self._known = {}

    def _fields_identity(self) -> Any:
        if self.viewer is not None:
            return self.game.seen(self.world, self.viewer)
        return self.game.identity(self.world)

    def _waiting_choices(self) -> Any:
        return tuple(self._pending)

    def __str__(self) -> str:
        return self.game.draw(self)
