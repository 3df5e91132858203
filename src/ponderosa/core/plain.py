"""Any Python object as a game to search: the names of OpenSpiel's states are all it takes. Start at PlainGame."""

from __future__ import annotations

import functools
import hashlib
import math
import random
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from ponderosa.compile.annotations import Actions, Values
from ponderosa.core.game import LONGEST, Game
from ponderosa.core.rules import Rules, nothing_certain
from ponderosa.core.turns import CHANCE, SIMULTANEOUS
from ponderosa.errors import GameError, SettingError, listed

NEEDED = ("current_player", "legal_actions", "apply_action", "is_terminal", "returns", "clone")


class Box:
    """A place that holds a state: a Python state is replaced where a compiled one is overwritten."""

    __slots__ = ("moves", "pending", "state")

    def __init__(self, state: Any = None) -> None:
        self.state = state
        self.pending: list[Any] = []
        """What was chosen by those who choose at once, until all have."""
        self.moves: list[Any] = []
        """The actions since the root, in games of one player."""


class PlainGame:
    """The game that a Python state belongs to, as the search needs it."""

    def __init__(self, state: Any, utility: tuple[float, float] | None = None) -> None:
        check_methods(state)
        self.initial = state.clone()
        self.players = _players(state)
        self.low, self.high = _utility(state) if utility is None else _checked(utility)
        if self.players != 1 and not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise SettingError("utility must be two finite numbers; only a game of one player may have no bounds")
        self.max_actions = 2**15 - 1
        self.longest = _longest(state)
        """The number of actions after which a game is broken off."""
        self.chance, self.hidden, self.simultaneous = _classes(state)
        self.seen: Callable[[Any, int], str] = _view_of(state) if self.viewed else _seen_by_observation
        """What a player sees of a state, as text."""

    @property
    def viewed(self) -> bool:
        """Whether players see different things, or choose at once."""
        return self.hidden or self.simultaneous

    def searcher(self, state: Any) -> int:
        """The player for whom a state is searched: whose view it is, or who is to move."""
        viewer = getattr(state, "viewer", None)
        if viewer is not None:
            return int(viewer)
        return max(int(state.current_player()), 0)

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
    bounded = math.isfinite(game.low) and math.isfinite(game.high)
    low, scale = (game.low, 1.0 / (game.high - game.low)) if bounded else (0.0, 1.0)
    players, alone, dice, together = game.players, game.players == 1, game.chance, game.simultaneous

    def copy(target: Box, source: Box) -> None:
        target.state = source.state.clone()
        if together:
            target.pending = list(source.pending)
        if alone:
            target.moves = list(source.moves)

    def current_player(box: Box) -> int:
        player = int(box.state.current_player())
        if player == SIMULTANEOUS and together:
            return len(box.pending)
        if not (0 <= player < players or (player == CHANCE and dice)):
            raise GameError(f"current_player() gave {player} in a game of {players} players, in the state\n{box.state}")
        return player

    def legal_now(box: Box) -> Any:
        if together and int(box.state.current_player()) == SIMULTANEOUS:
            return box.state.legal_actions(len(box.pending)) or [0]
        return box.state.legal_actions()

    def legal_actions(box: Box, actions: Actions) -> int:
        legal = legal_now(box)
        for index, action in enumerate(legal):
            actions[index] = number(action)
        return len(legal)

    def apply_action(box: Box, action: int) -> None:
        if together and int(box.state.current_player()) == SIMULTANEOUS:
            box.pending.append(actions_of[action])
            if len(box.pending) == players:
                box.state.apply_actions(box.pending)
                box.pending = []
            return
        if alone:
            box.moves.append(actions_of[action])
        box.state.apply_action(actions_of[action])

    def is_terminal(box: Box) -> bool:
        return bool(box.state.is_terminal())

    def scores(box: Box, values: Values) -> None:
        for player, value in enumerate(box.state.returns()):
            score = (value - low) * scale
            if bounded and not 0.0 <= score <= 1.0:
                raise GameError(
                    f"returns() gave {value}, outside {low:g} .. {low + 1 / scale:g}: say utility=(lowest, highest)"
                )
            values[player] = score

    def chance_outcomes(box: Box, outcomes: Actions, probabilities: Values) -> int:
        known = box.state.chance_outcomes()
        for index, (outcome, probability) in enumerate(known):
            outcomes[index], probabilities[index] = number(outcome), probability
        return len(known)

    def chance_outcome(box: Box, rng: object) -> int:
        left, last = draw(), None
        for outcome, probability in box.state.chance_outcomes():
            last = outcome
            left -= probability
            if left < 0.0:
                break
        return number(last)

    def random_action(box: Box, rng: object, actions: Actions) -> int:
        if dice and int(box.state.current_player()) == CHANCE:
            return chance_outcome(box, rng)
        legal = legal_now(box)
        return number(legal[int(draw() * len(legal))])

    def winning_action(box: Box, spare: Box, actions: Actions, values: Values) -> int:
        player = current_player(box)
        if player < 0 or together:
            return -1
        for action in box.state.legal_actions():
            after = box.state.clone()
            after.apply_action(action)
            if after.is_terminal() and (after.returns()[player] - low) * scale == 1.0:
                return number(action)
        return -1

    def determinize(box: Box, player: int, rng: object) -> None:
        if game.hidden:
            box.state = box.state.resample_from_infostate(int(player), draw)

    def look(box: Box, player: int, spare: Box) -> int:
        text = f"{player} {game.seen(box.state, int(player))}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1

    rules.copy, rules.current_player, rules.apply_action = copy, current_player, apply_action
    rules.legal_actions = rules.candidates = legal_actions
    rules.is_terminal, rules.scores, rules.winning_action = is_terminal, scores, winning_action
    rules.random_action = rules.playout_action = random_action
    rules.bounds = nothing_certain
    rules.chance_outcomes, rules.chance_outcome = chance_outcomes, chance_outcome
    rules.determinize, rules.look = determinize, look
    return rules


def _classes(state: Any) -> tuple[bool, bool, bool]:
    """Whether there is chance, something hidden, and choices at once: as the state's game says, else by its methods."""
    game: Any = getattr(state, "game", None)
    if isinstance(getattr(game, "hidden", None), bool):
        return bool(game.chance), bool(game.hidden), bool(game.simultaneous)
    if callable(getattr(state, "get_game", None)) and hasattr(state.get_game(), "get_type"):
        kind = state.get_game().get_type()
        said = (kind.chance_mode.name, kind.information.name, kind.dynamics.name)
        return said[0] != "DETERMINISTIC", said[1] == "IMPERFECT_INFORMATION", said[2] == "SIMULTANEOUS"
    asked = ("chance_outcomes", "resample_from_infostate", "apply_actions")
    chance, hidden, together = (callable(getattr(state, name, None)) for name in asked)
    return chance, hidden, together


def _view_of(state: Any) -> Callable[[Any, int], str]:
    """How to ask a state what a player sees: the first that it has of three ways."""
    if callable(getattr(state, "observation", None)):
        return _seen_by_observation
    kind = state.get_game().get_type() if callable(getattr(state, "get_game", None)) else None
    for name in ("information_state_string", "observation_string"):
        provided = getattr(kind, f"provides_{name}", True)
        if provided and callable(getattr(state, name, None)):
            return functools.partial(_seen_by, name)
    raise GameError(
        f"{type(state).__name__} must tell what a player sees: information_state_string(player) or observation(player)"
    )


def _seen_by(name: str, state: Any, player: int) -> str:
    return str(getattr(state, name)(player))


def _seen_by_observation(state: Any, player: int) -> str:
    seen = state.observation(player)
    return repr(seen._identity()) if hasattr(seen, "_identity") else str(seen)


def _players(state: Any) -> int:
    if callable(getattr(state, "num_players", None)):
        return int(state.num_players())
    probe = state.clone()
    for _ in range(LONGEST):
        if probe.is_terminal():
            return len(probe.returns())
        if callable(getattr(probe, "is_chance_node", None)) and probe.is_chance_node():
            probe.apply_action(probe.chance_outcomes()[0][0])
        else:
            probe.apply_action(probe.legal_actions()[0])
    raise GameError(f"{type(state).__name__} has no num_players(), and no end after {LONGEST} actions")


def _longest(state: Any) -> int:
    """How many actions a game may have; other people's games do not always count dice, and choices at once."""
    game = getattr(state, "game", None)
    return game.longest if isinstance(game, Game) else LONGEST


def _checked(utility: Iterable[float]) -> tuple[float, float]:
    try:
        low, high = map(float, utility)
    except (TypeError, ValueError):
        low = high = math.nan
    if not low < high:
        raise SettingError(f"utility is the least and the most that a player can get, like (-1, 1), not {utility!r}")
    return low, high


def _utility(state: Any) -> tuple[float, float]:
    """The least and the most that a player can get: from the state's game when it says so, else -1 and 1."""
    game = getattr(state, "game", None)
    if game is None and callable(getattr(state, "get_game", None)):
        game = state.get_game()
    low, high = (getattr(game, name, default) for name, default in (("min_utility", -1.0), ("max_utility", 1.0)))
    return _checked((low() if callable(low) else low, high() if callable(high) else high))
