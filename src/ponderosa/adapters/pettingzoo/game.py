"""PettingZoo's environments by name: `pettingzoo:tictactoe_v3`. Start at PettingZooGame.

Where agents act in turn and all see everything, an environment is a usual game; one that PettingZoo calls
parallelizable is a game in which all choose at once. What is hidden or random in others, PettingZoo does not say.
"""

from __future__ import annotations

import copy
import importlib
import pkgutil
import threading
import warnings
from typing import Any

import numpy as np

from ponderosa.adapters.gymnasium.copying import attributes_of
from ponderosa.adapters.gymnasium.game import join_name, read_settings_of
from ponderosa.adapters.gymnasium.spaces import listed_actions
from ponderosa.adapters.world import WorldGame, WorldState, not_made, package
from ponderosa.core.turns import SIMULTANEOUS, TERMINAL
from ponderosa.errors import SettingError, unknown

EXTRA = "pettingzoo"
OPEN = ("tictactoe_v3", "connect_four_v3", "chess_v6", "go_v5")
"""Those in which all see everything and nothing is random."""
CONSTANT = ("action_spaces", "observation_spaces", "screen", "clock")
SIGNS = ".XO"


class PettingZooGame(WorldGame):
    """An environment of PettingZoo's classic games, by its name and settings there: `pettingzoo:connect_four_v3`."""

    name = "pettingzoo"

    def __init__(self, name: str = "", open: bool = False, least: float = -1.0, most: float = 1.0) -> None:
        kind, settings = read_settings_of(
            name, "environment", "pettingzoo:tictactoe_v3 or pettingzoo:rps_v2(max_cycles=3)"
        )
        self._stage = Stage(kind, settings)
        env = self._stage.env
        self.world_name = join_name(kind, settings)
        self.agents = tuple(env.possible_agents)
        self.players = len(self.agents)
        self.simultaneous = bool(env.metadata.get("is_parallelizable"))
        if not (self.simultaneous or open or kind in OPEN):
            raise SettingError(
                f"{kind} has hidden information or random numbers, and PettingZoo does not say what they may be: no "
                f"search of it is honest. If it has none, write pettingzoo:{self.world_name},open=true"
            )
        self.actions = listed_actions(env.action_space(self.agents[0]))
        self.max_actions = len(self.actions)
        cycles = int(getattr(env, "max_cycles", 1))
        self.min_utility, self.max_utility = (least * cycles, most * cycles) if self.simultaneous else (least, most)

    def people_call_it(self) -> str:
        """The name within its package."""
        return self.world_name

    def new_world(self) -> Any:
        return AgentWorld(self, self._stage)

    def action_cells(self, s: WorldState, a: Any) -> list[tuple[int, int]]:
        """Of the two boards that are known: the square, or where a disc falls to."""
        cells = self.cells(s) or []
        if len(cells) == 3:  # squares are counted down the columns
            return [(a % 3, a // 3)]
        empty = [row for row, line in enumerate(cells) if not line[a]]
        return [(empty[-1], a)] if empty else []

    def seen(self, world: Any, player: int) -> str:
        return str(world.history())

    def shown(self, world: Any, player: int | None) -> str:
        return str(world)


class Stage:
    """The one environment in which all positions of a game take their turns; pickles make their own."""

    def __init__(self, kind: str, settings: dict[str, Any]) -> None:
        self._kind, self._settings = kind, settings
        self._lock = threading.Lock()
        classic = package("pettingzoo.classic", EXTRA)
        known = [module.name for module in pkgutil.iter_modules(classic.__path__) if "_v" in module.name]
        if kind not in known:
            raise unknown("environment of PettingZoo", kind, known)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # a registry is newer, and not in all versions
                self.env = importlib.import_module(f"pettingzoo.classic.{kind}").env(**settings).unwrapped
            self.env.reset(seed=0)
        except Exception as error:
            raise not_made("PettingZoo", kind, error) from None
        spaces = [*self.env.action_spaces.values(), *self.env.observation_spaces.values()]
        self._shared = {id(space): space for space in spaces}

    def __reduce__(self) -> tuple[Any, ...]:
        return Stage, (self._kind, self._settings)

    def __deepcopy__(self, memo: dict[int, Any]) -> Stage:
        return self

    def begin(self) -> dict[str, Any]:
        """What is kept of the position at the start."""
        with self._lock:
            vars(self.env).update(self._copied(self._kept()))  # what is there now belongs to another position
            self.env.reset(seed=0)
            return self._kept()

    def act(self, kept: dict[str, Any], action: Any) -> tuple[dict[str, Any], dict[Any, float]]:
        """One action of the agent whose turn it is, and what it brought to whom."""
        with self._lock:
            env = self.env
            vars(env).update(self._copied(kept))
            env.step(action)
            rewards = {agent: float(reward) for agent, reward in env.rewards.items()}
            while env.agents and (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
                env.step(None)  # an agent that is out says so
            return self._kept(), rewards

    def legal(self, kept: dict[str, Any], agent: Any, count: int) -> list[int]:
        """The numbers of the actions that an agent's mask allows; all, where it has none."""
        with self._lock:
            vars(self.env).update(kept)
            seen = self.env.observe(agent)
        mask = seen.get("action_mask") if isinstance(seen, dict) else kept["infos"].get(agent, {}).get("action_mask")
        return list(range(count)) if mask is None else [int(number) for number in np.flatnonzero(mask)]

    def _kept(self) -> dict[str, Any]:
        return {name: value for name, value in attributes_of(self.env).items() if name not in CONSTANT}

    def _copied(self, kept: dict[str, Any]) -> dict[str, Any]:
        return copy.deepcopy(kept, dict(self._shared))


class AgentWorld:
    """A position, with the names of OpenSpiel's states."""

    def __init__(self, game: PettingZooGame, stage: Stage) -> None:
        self._game, self._stage = game, stage
        self._history: list[int] = []
        self._kept = stage.begin()
        self._totals = [0.0] * game.players

    def clone(self) -> AgentWorld:
        """A copy; what is kept of a position never changes, and is shared."""
        twin = object.__new__(AgentWorld)
        vars(twin).update(vars(self))
        twin._history, twin._totals = list(self._history), list(self._totals)
        return twin

    def history(self) -> list[int]:
        """All actions so far."""
        return list(self._history)

    def is_terminal(self) -> bool:
        """Whether no agent is left."""
        return not self._kept["agents"]

    def current_player(self) -> int:
        """The agent whose turn it is."""
        if self.is_terminal():
            return TERMINAL
        return SIMULTANEOUS if self._game.simultaneous else self._game.agents.index(self._kept["agent_selection"])

    def is_chance_node(self) -> bool:
        """Never."""
        return False

    def is_simultaneous_node(self) -> bool:
        """Whether all choose at once."""
        return self.current_player() == SIMULTANEOUS

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The numbers of the actions."""
        if self.is_terminal():
            return []
        agent = self._kept["agent_selection"] if player is None else self._game.agents[player]
        return self._stage.legal(self._kept, agent, len(self._game.actions))

    def apply_action(self, action: int) -> None:
        """Act for the agent whose turn it is."""
        self._history.append(action)
        self._kept, rewards = self._stage.act(self._kept, self._game.actions[action])
        for player, agent in enumerate(self._game.agents):
            self._totals[player] += rewards.get(agent, 0.0)

    def apply_actions(self, actions: list[int]) -> None:
        """Act for all, in their order; nobody's choice is seen before all have chosen."""
        for action in actions:
            self.apply_action(action)

    def returns(self) -> list[float]:
        """The rewards so far."""
        return list(self._totals)

    def action_to_string(self, player: int, action: int) -> str:
        """What an action is called: its number, as people count."""
        moves = self._kept.get("_moves")
        return str(moves[action]).lower() if moves else str(action + 1)

    def __str__(self) -> str:
        board = self._kept.get("board")
        squares = getattr(board, "squares", board)
        if isinstance(squares, list) and len(squares) in (9, 42):
            width = 3 if len(squares) == 9 else 7
            rows = [squares[start : start + width] for start in range(0, len(squares), width)]
            rows = [list(column) for column in zip(*rows, strict=True)] if width == 3 else rows
            return "\n".join("".join(SIGNS[int(square)] for square in row) for row in rows)
        shown = str(board) if board is not None else f"rewards so far: {', '.join(f'{got:g}' for got in self._totals)}"
        return shown
