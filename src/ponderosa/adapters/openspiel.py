"""OpenSpiel's games by name: `openspiel:breakthrough(rows=6,columns=6)`. Start at OpenSpielGame."""

from __future__ import annotations

import re
from typing import Any

from ponderosa.adapters.world import WorldGame, package
from ponderosa.core.game import LONGEST
from ponderosa.core.rng import Rng
from ponderosa.errors import GameError, SettingError, unknown

EXTRA = "openspiel"


class OpenSpielGame(WorldGame):
    """A game of OpenSpiel, by its name and parameters there: `openspiel:tic_tac_toe`."""

    name = "openspiel"

    def __init__(self, name: str = "") -> None:
        self._theirs = loaded(name)
        self._kind = kind = self._theirs.get_type()
        self.world_name = str(self._theirs).removesuffix("()")
        self.players = self._theirs.num_players()
        self.min_utility, self.max_utility = self._theirs.min_utility(), self._theirs.max_utility()
        self.chance = kind.chance_mode.name != "DETERMINISTIC"
        self.hidden = kind.information.name == "IMPERFECT_INFORMATION"
        self.simultaneous = kind.dynamics.name == "SIMULTANEOUS"
        self.max_game_length = self._most_actions()
        self.max_actions = max(self._theirs.num_distinct_actions(), self._theirs.max_chance_outcomes(), 1)
        self._no_resampling = False
        if self.viewed and not (kind.provides_information_state_string or kind.provides_observation_string):
            raise GameError(f"OpenSpiel does not say what a player of {self.world_name} sees, so nobody can play it")

    def _most_actions(self) -> int:
        """With dice and the choices of all, which OpenSpiel does not count."""
        moves = self._theirs.max_game_length() * (self.players if self.simultaneous else 1)
        dice = self._theirs.max_chance_nodes_in_history() if self.chance else 0
        return min(int(moves + dice), LONGEST) or LONGEST

    def people_call_it(self) -> str:
        """As OpenSpiel calls it, with its parameters."""
        short, bracket, parameters = self.world_name.partition("(")
        return str(self._kind.long_name or short) + (f" ({parameters}" if bracket else "")

    def new_world(self) -> Any:
        try:
            return self._theirs.new_initial_state()
        except Exception as error:
            raise SettingError(f"OpenSpiel cannot begin {self.world_name}: {_in_one_line(error)}") from None

    def seen(self, world: Any, player: int) -> str:
        if self._kind.provides_information_state_string:
            return str(world.information_state_string(player))
        return str(world.observation_string(player)) if self._kind.provides_observation_string else str(world)

    def shown(self, world: Any, player: int | None) -> str:
        if player is None:
            return str(world)
        if self.hidden and self._kind.provides_observation_string:
            return str(world.observation_string(player)) or self.seen(world, player)
        return self.seen(world, player) if self.hidden else str(world)

    def resampled(self, world: Any, player: int, rng: Rng) -> Any:
        if not self._no_resampling:
            try:
                return super().resampled(world, player, rng)
            except Exception as error:
                if "not implemented" not in str(error):
                    raise GameError(f"OpenSpiel cannot resample {self.world_name}: {_in_one_line(error)}") from None
            self._no_resampling = True
        raise GameError(
            f"OpenSpiel has no resample_from_infostate for {self.world_name}: a search of hidden information draws "
            "what a player cannot see, so only agents that do not search, such as random, and people can play it"
        )


def loaded(name: str) -> Any:
    """The game as OpenSpiel loads it; what it does not know or cannot do is said in a sentence."""
    spiel = package("pyspiel", EXTRA)
    name = re.sub(r"\s*([,=()])\s*", r"\1", name.strip())
    short = name.partition("(")[0]
    if not name:
        raise SettingError("say which game of OpenSpiel, as in openspiel:tic_tac_toe or openspiel:hex(board_size=5)")
    if short not in spiel.registered_names():
        raise unknown("game of OpenSpiel", short, spiel.registered_names())
    try:
        game = spiel.load_game(name)
    except Exception as error:
        raise SettingError(f"OpenSpiel does not take {name!r}: {_in_one_line(error)}") from None
    kind = game.get_type()
    if kind.dynamics.name == "MEAN_FIELD":
        raise SettingError(f"{short} is a mean-field game, of players without number, which no search here plays")
    if kind.chance_mode.name == "SAMPLED_STOCHASTIC":
        raise SettingError(
            f"{short} draws its random numbers itself, and does not say what may happen (sampled stochastic in "
            "OpenSpiel's words): neither a search nor a saved game can go through it again"
        )
    return game


def _in_one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else text[:200] + "…"
