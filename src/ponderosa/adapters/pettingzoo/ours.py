"""Our games as environments of PettingZoo, for one's own learners. Start at environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from ponderosa.adapters.numbered import Numbered
from ponderosa.core.game import Game
from ponderosa.core.turns import CHANCE
from ponderosa.registry import load_game


def environment(game: str | Game, actions: int | None = None) -> OurEnvironment:
    """A game, or its name, as an environment of agents that act in turn: `environment("connect4")`."""
    return OurEnvironment(Numbered(load_game(game) if isinstance(game, str) else game, actions))


class OurEnvironment(AECEnv):  # type: ignore[misc, type-arg, unused-ignore]
    """Agents are asked in turn, where they choose at once too, and do not see what others chose then.

    An observation is `{"observation": numbers, "action_mask": 1 for each legal action}`. Dice fall by themselves, from
    the seed of `reset`. At the end each agent gets what the game returns, and nothing before.
    """

    def __init__(self, numbered: Numbered) -> None:
        super().__init__()
        self._numbered, self.game = numbered, numbered.game
        self.metadata = {"render_modes": ["ansi"], "name": f"ponderosa_{self.game.title()}", "is_parallelizable": False}
        self.render_mode = "ansi"
        self.possible_agents = [f"player_{player}" for player in range(self.game.players)]
        self.agents: list[str] = []
        self.action_spaces = {agent: spaces.Discrete(numbered.actions) for agent in self.possible_agents}
        self.observation_spaces = {agent: self._space() for agent in self.possible_agents}

    def _space(self) -> Any:
        sight = spaces.Box(-np.inf, np.inf, self._numbered.shape, np.float32)
        return spaces.Dict({"observation": sight, "action_mask": spaces.MultiBinary(self._numbered.actions)})

    def observation_space(self, agent: str) -> Any:
        """What an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """What an agent may be able to do."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; dice follow from the seed, and go on where they were without one."""
        if seed is not None or not hasattr(self, "_rng"):
            self._rng = np.random.default_rng(seed)
        self.state_of_game = self.game.new_initial_state()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on()

    def step(self, action: Any) -> None:
        """The action of the agent whose turn it is; None from one whose game is over."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.state_of_game.apply_action(int(action))
        self._go_on()
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees, and may do."""
        player, state = self.possible_agents.index(agent), self.state_of_game
        legal = state.legal_actions() if not state.is_terminal() and state.to_move() == player else []
        return {"observation": self._numbered.seen(state, player), "action_mask": self._numbered.mask(legal)}

    def render(self) -> str:
        """The position as text."""
        return str(self.state_of_game)

    def close(self) -> None:
        """Nothing is open."""

    def __str__(self) -> str:
        return str(self.metadata["name"])

    def _go_on(self) -> None:
        """Let dice fall until somebody is to move; give out the results at the end."""
        state = self.state_of_game
        while state.to_move() == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            weights = np.asarray(chances)
            state.apply_action(outcomes[int(self._rng.choice(len(outcomes), p=weights / weights.sum()))])
        self.rewards = dict.fromkeys(self.possible_agents, 0.0)
        if state.is_terminal():
            self.rewards = dict(zip(self.possible_agents, state.returns(), strict=True))
            self.terminations = dict.fromkeys(self.possible_agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[state.to_move()]
