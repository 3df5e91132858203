"""Our games as OpenSpiel's, for its algorithms and for one's own learners. Start at spiel_game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from ponderosa.adapters.numbered import Numbered
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.registry import load_game

UNLIKELY_LENGTH = 10_000
"""How long a game counts as that does not say how long it may be."""


def spiel_game(game: str | Game, actions: int | None = None) -> SpielGame:
    """A game, or its name, as a game of OpenSpiel: `spiel_game("connect4").new_initial_state()`."""
    return SpielGame({}, Numbered(load_game(game) if isinstance(game, str) else game, actions))


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """What OpenSpiel wants to know of a game."""

    def __init__(self, params: Any = None, numbered: Numbered | None = None) -> None:
        self.numbered = numbered or Numbered(load_game("tictactoe"))
        game = self.numbered.game
        outcomes = _most_outcomes(game)
        longest = min(game.longest, UNLIKELY_LENGTH)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.numbered.actions,
            max_chance_outcomes=outcomes,
            num_players=game.players,
            min_utility=game.min_utility,
            max_utility=game.max_utility,
            utility_sum=0.0 if _sums_to_nothing(game) else None,
            max_game_length=longest,
        )
        super().__init__(_type_of(game), info, params or {})

    def new_initial_state(self) -> SpielState:
        """The state at the start."""
        return SpielState(self, self.numbered.game.new_initial_state())

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        """What players see, for algorithms that keep arrays of it."""
        return SpielObserver(self.numbered, bool(iig_obs_type and iig_obs_type.perfect_recall))


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state of ours, with OpenSpiel's methods."""

    def __init__(self, game: SpielGame, ours: State) -> None:
        super().__init__(game)
        self.ours = ours
        """The state as it is here."""

    def current_player(self) -> int:
        """The player to move, or CHANCE, SIMULTANEOUS or TERMINAL, which are OpenSpiel's numbers."""
        return self.ours.current_player()

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.ours.legal_actions(player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What dice may show, and how likely it is."""
        return self.ours.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        self.ours.apply_action(action)

    def _apply_actions(self, actions: list[int]) -> None:
        for action in actions:
            self.ours.apply_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.ours.action_to_string(action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.ours.is_terminal()

    def returns(self) -> list[float]:
        """What each player got."""
        return self.ours.returns()

    def information_state_string(self, player: int | None = None) -> str:
        """All that a player knows: what it saw and did, as text."""
        who = max(self.current_player(), 0) if player is None else player
        sight = self.ours if self.ours.is_terminal() else self.ours.observation(who)
        return f"{who} {sight._identity()!r}"

    def observation_string(self, player: int | None = None) -> str:
        """What a player sees, as text for people."""
        who = max(self.current_player(), 0) if player is None else player
        return str(self.ours if self.ours.is_terminal() else self.ours.observation(who))

    def __str__(self) -> str:
        return str(self.ours)


class SpielObserver:
    """What a player sees, as OpenSpiel's observers say it."""

    def __init__(self, numbered: Numbered, all_known: bool = False) -> None:
        self._numbered, self._all_known = numbered, all_known
        self.tensor = np.zeros(int(np.prod(numbered.shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(numbered.shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        """Fill `tensor` with what a player sees."""
        self.tensor[:] = self._numbered.seen(state.ours, player).ravel()

    def string_from(self, state: SpielState, player: int) -> str:
        """The same as text; all that the player knows, for whoever remembers everything."""
        return state.information_state_string(player) if self._all_known else state.observation_string(player)


def _type_of(game: Game) -> Any:
    chances, dynamics = pyspiel.GameType.ChanceMode, pyspiel.GameType.Dynamics
    knowledge, sums = pyspiel.GameType.Information, pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=f"ponderosa_{game.title()}",
        long_name=game.people_call_it(),
        dynamics=dynamics.SIMULTANEOUS if game.simultaneous else dynamics.SEQUENTIAL,
        chance_mode=chances.EXPLICIT_STOCHASTIC if game.chance else chances.DETERMINISTIC,
        information=knowledge.IMPERFECT_INFORMATION if game.viewed else knowledge.PERFECT_INFORMATION,
        utility=sums.ZERO_SUM if _sums_to_nothing(game) else sums.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.players,
        min_num_players=game.players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )


def _sums_to_nothing(game: Game) -> bool:
    """Whether what one player wins the others lose: two players with opposite bounds."""
    return game.players == 2 and game.min_utility == -game.max_utility


def _most_outcomes(game: Game) -> int:
    return game.max_actions if game.chance else 0
