"""Any Python object as a game to search: the names of OpenSpiel's states are all it takes. Start at PlainGame."""

from __future__ import annotations

import math
import random
from collections.abc import Hashable
from typing import Any

from ponderosa.core.errors import GameError, SettingError, listed
from ponderosa.core.rules import Rules, nothing_certain

NEEDED = ("current_player", "legal_actions", "apply_action", "is_terminal", "returns", "clone")
PROBE_LENGTH = 100_000


class Box:
    """A place that holds a state: a Python state is replaced where a compiled one is overwritten."""

    __slots__ = ("state",)

    def __init__(self, state: Any = None) -> None:
        self.state = state


class PlainGame:
    """The game that a Python state belongs to, as the search needs it."""

    def __init__(self, state: Any, utility: tuple[float, float] | None = None) -> None:
        check_methods(state)
        declared = any(_fact(state, fact) for fact in ("chance", "hidden", "simultaneous"))
        if declared or _says(state, "is_chance_node") or _says(state, "is_simultaneous_node"):
            raise GameError("states with chance, hidden or simultaneous moves cannot be searched yet")
        self.initial = state.clone()
        self.players = _players(state)
        self.low, self.high = _utility(state) if utility is None else _checked(utility)
        self.max_actions = 2**15 - 1

    def title(self) -> str:
        """What the search calls it."""
        game = getattr(self.initial, "game", None)
        return str(getattr(game, "spec", type(self.initial).__name__))

    def new_initial_state(self) -> Any:
        """A copy of the state that it was made from."""
        return self.initial.clone()

    def action_name(self, state: Any, action: Hashable) -> str:
        """How people write the action."""
        if hasattr(state, "action_to_string"):
            try:
                return str(state.action_to_string(action))
            except TypeError:  # some states want the player first
                return str(state.action_to_string(state.current_player(), action))
        return str(action)


def check_methods(state: Any) -> None:
    """The object has what a search needs of a state, or the error says what it lacks."""
    missing = [name for name in NEEDED if not callable(getattr(state, name, None))]
    if missing:
        raise GameError(f"{type(state).__name__} cannot be searched: it has no method {listed(missing)}()")


class ActionTable:
    """Numbers for actions of any hashable kind; the tree stores the numbers."""

    def __init__(self) -> None:
        self.actions: list[Any] = []
        self.numbers: dict[Any, int] = {}

    def number(self, action: Any) -> int:
        """The action's number, a new one when it was never seen."""
        found = self.numbers.get(action)
        if found is None:
            found = self.numbers[action] = len(self.actions)
            self.actions.append(action)
        return found

    def clear(self) -> None:
        """Forget all numbers."""
        self.actions.clear()
        self.numbers.clear()


def plain_rules(game: PlainGame, table: ActionTable, chance: random.Random) -> Rules:
    """The operations of core/rules.py on boxed Python states; random actions are drawn by Python's own generator."""
    rules = Rules("plain")
    draw = chance.random
    actions_of, number = table.actions, table.number
    low, scale, players = game.low, 1.0 / (game.high - game.low), game.players

    def copy(target: Box, source: Box) -> None:
        target.state = source.state.clone()

    def current_player(box: Box) -> int:
        player = int(box.state.current_player())
        if not 0 <= player < players:
            raise GameError(f"current_player() gave {player} in a game of {players} players, in the state\n{box.state}")
        return player

    def legal_actions(box: Box, actions: Any) -> int:
        legal = box.state.legal_actions()
        for index, action in enumerate(legal):
            actions[index] = number(action)
        return len(legal)

    def apply_action(box: Box, action: int) -> None:
        box.state.apply_action(actions_of[action])

    def is_terminal(box: Box) -> bool:
        return bool(box.state.is_terminal())

    def scores(box: Box, values: Any) -> None:
        for player, value in enumerate(box.state.returns()):
            score = (value - low) * scale
            if not 0.0 <= score <= 1.0:
                raise GameError(
                    f"returns() gave {value}, outside {low:g} .. {low + 1 / scale:g}: say utility=(lowest, highest)"
                )
            values[player] = score

    def random_action(box: Box, rng: Any, actions: Any) -> int:
        legal = box.state.legal_actions()
        return number(legal[int(draw() * len(legal))])

    def winning_action(box: Box, spare: Box, actions: Any, values: Any) -> int:
        player = current_player(box)
        for action in box.state.legal_actions():
            after = box.state.clone()
            after.apply_action(action)
            if after.is_terminal() and (after.returns()[player] - low) * scale == 1.0:
                return number(action)
        return -1

    rules.copy, rules.current_player, rules.apply_action = copy, current_player, apply_action
    rules.legal_actions = rules.candidates = legal_actions
    rules.is_terminal, rules.scores, rules.winning_action = is_terminal, scores, winning_action
    rules.random_action = rules.playout_action = random_action
    rules.bounds = nothing_certain
    return rules


def _says(state: Any, name: str) -> bool:
    method = getattr(state, name, None)
    return bool(callable(method) and method())


def _fact(state: Any, name: str) -> bool:
    return bool(getattr(getattr(state, "game", None), name, False))


def _players(state: Any) -> int:
    if callable(getattr(state, "num_players", None)):
        return int(state.num_players())
    probe = state.clone()
    for _ in range(PROBE_LENGTH):
        if probe.is_terminal():
            return len(probe.returns())
        probe.apply_action(probe.legal_actions()[0])
    raise GameError(f"{type(state).__name__} has no num_players(), and no end after {PROBE_LENGTH} actions")


def _checked(utility: Any) -> tuple[float, float]:
    try:
        low, high = map(float, utility)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise SettingError(f"utility is the least and the most that a player can get, like (-1, 1), not {utility!r}")
    return low, high


def _utility(state: Any) -> tuple[float, float]:
    """The least and the most that a player can get: from the state's game when it says so, else -1 and 1."""
    game = getattr(state, "game", None)
    if game is None and callable(getattr(state, "get_game", None)):
        game = state.get_game()
    low, high = (getattr(game, name, default) for name, default in (("min_utility", -1.0), ("max_utility", 1.0)))
    return _checked((low() if callable(low) else low, high() if callable(high) else high))
