"""How a network learns: settings, and what they are for a game when nothing is said. Start at LearnSettings.

The defaults are sized by what random games show of the game (how long they are, how many actions there are) and by the
device: a card wants thousands of games at once, two cores want a few dozen.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, fields, replace
from typing import Any

from ponderosa.core.dice import roll_on
from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.observation import shape_of
from ponderosa.errors import SettingError
from ponderosa.networks.network import Exports, Shape, named

PROBES = 100
"""Random games that a game is judged by."""
LARGE = 128
"""A board of so many cells keeps a device busy with fewer games at once."""
OPENING_SHARE, RANDOM_CHOICES, FEWEST_PLIES = 0.9, 8.0, 6.0
"""Games begin with random moves up to such a share of a random game's length where there is little to choose from. Of
many moves few are good: where there are more than so many, openings are as much shorter, but not shorter than that."""
WINDOW_BYTES, WINDOW = 2e9, (500_000, 6_000_000)
"""How large the window of a run on a card is: in memory, and in positions at least and at most."""


@with_field_texts
@dataclass(frozen=True)
class LearnSettings:
    """What decides how a network learns; None: as the game and the device ask for."""

    network: str | Exports | None = None
    """Its size: tiny, small or medium; or one of your own (networks/network.py). Larger ones know more in the end, and
    are slower from the start."""
    actions: int | None = None
    """How many actions the game has, numbered from 0; None: as many as random games show."""
    choices: int | None = None
    """The most legal actions of a state, for which trees have room; None: as many as random games show, and some more.
    Trees in which there are more forget what they have visited least."""
    tables: int | None = None
    """Games at once. More of them keep the device busier, and wait longer for what was learned."""
    simulations: int = 32
    """Iterations of the search for a move. More of them make better targets, and fewer of them."""
    openings: float | None = None
    """Games begin with up to this many random moves, most of them with few: more show the network more of what people
    and bad players do."""
    drawn: int | None = None
    """The moves of a game, counted from its beginning, that are drawn from the improved policy; later ones are the
    best."""
    result_share: float = 0.5
    """How much of the value's target is the result of the game; the rest is what the search says."""
    moves: int = 16
    """Moves at each table between two trainings."""
    window: int | None = None
    """The most positions that training draws from. It begins smaller, and grows with what was played."""
    passes: float = 6.0
    """How often a position is trained on, in the mean."""
    batch: int | None = None
    """Positions of a training step."""
    learning_rate: float = 2e-3
    """At its highest; it falls with the plan, to a fiftieth at its end."""
    weight_decay: float = 1e-4
    """How much smaller a step makes all weights, as a share of the learning rate."""
    averaging: float | None = None
    """How much the averaged weights, which play, keep of themselves in a step."""
    gates: int = 8
    """How often the network is measured in the course of the plan; 0: never, and the newest one is the best."""
    gate_games: int = 64
    """Games against each rival at a gate."""
    seed: int = 0
    """All that is random follows from it."""

    def __post_init__(self) -> None:
        for name in ("actions", "choices", "tables", "window", "batch"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), 1, whole=True)
        for name in ("simulations", "moves", "gate_games"):
            check_number(name, getattr(self, name), 1, whole=True)
        check_number("gates", self.gates, 0, whole=True)
        for name in ("openings", "drawn"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), 0)
        for name in ("result_share", "averaging"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), 0, 1)
        check_number("passes", self.passes, 0.01)
        check_number("learning_rate", self.learning_rate, 1e-9, 1)
        check_number("weight_decay", self.weight_decay, 0, 1)

    def nodes(self, iterations: int) -> int:
        """How many nodes a tree may have that gets so many iterations."""
        return (iterations + 2) * ((self.choices or 1) + 1)

    def told(self) -> dict[str, Any]:
        """The settings ready for JSON; of a network of one's own, what it says of itself."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        named_by = self.network if isinstance(self.network, str | None) else repr(self.network)
        return values | {"network": named_by}

    @classmethod
    def of(cls, given: LearnSettings | None, more: dict[str, Any]) -> LearnSettings:
        """Settings, with others in the place of some."""
        known = {field.name for field in fields(cls)}
        for name in more:
            if name not in known:
                raise SettingError(f"learning has no setting {name!r}: it has {', '.join(sorted(known))}")
        return replace(given or cls(), **more)


@dataclass(frozen=True)
class Probe:
    """What random games show of a game."""

    actions: int
    """One more than the highest action."""
    choices: int
    """The most legal actions of a state."""
    length: float
    """Moves of a game, in the mean, without dice."""


def probe(game: Game, seed: int = 0) -> Probe:
    """Play random games and look at them."""
    luck, highest, most, moves = random.Random(seed), 0, 1, 0
    for row in game.symmetries():
        highest = max(highest, len(row) - 1 if not isinstance(row, dict) else max(row))
    for _ in range(PROBES):
        state, length = game.new_initial_state(), 0
        roll_on(state, luck)
        while not state.is_terminal() and len(state.history()) < game.longest:
            legal = state.legal_actions()
            highest, most = max(highest, *map(int, legal)), max(most, len(legal))
            state.apply_action(luck.choice(legal))
            roll_on(state, luck)
            length += 1
        moves += length
    return Probe(highest + 1, most, moves / PROBES)


def settled(settings: LearnSettings, game: Game, device: str) -> LearnSettings:
    """The settings with nothing left open."""
    shown, on_card = probe(game, settings.seed), device == "cuda"
    cells = math.prod(shape_of(game)[:2]) if len(shape_of(game)) == 3 else 1
    large = cells >= LARGE
    usual: dict[str, Any] = {
        "network": "small" if on_card else "tiny",
        "actions": shown.actions,
        "choices": min(game.max_actions, shown.choices * 5 // 4),
        "tables": (4096 if large else 16384) if on_card else 32 if large else 128,
        "openings": longest_opening(shown),
        "drawn": round(0.3 * shown.length),
        "window": window_of(game, shown.actions) if on_card else 200_000,
        "batch": 4096 if on_card else 256,
        "averaging": 0.999 if on_card else 0.995,  # a card takes many more steps
    }
    return replace(settings, **{name: value for name, value in usual.items() if getattr(settings, name) is None})


def longest_opening(shown: Probe) -> float:
    """The most random moves that games begin with."""
    most = OPENING_SHARE * shown.length
    return min(most, max(FEWEST_PLIES, RANDOM_CHOICES * shown.length / shown.choices))


def window_of(game: Game, actions: int) -> int:
    """How many positions are kept of a game with so many actions: as records here, as planes on the card."""
    assert game.dtype is not None
    least, most = WINDOW
    each = max(game.dtype.itemsize, 2 * math.prod(shape_of(game))) + 2 * actions + 4
    return int(min(max(WINDOW_BYTES / each, least), most))


def network_of(settings: LearnSettings, shape: Shape) -> Exports:
    """The network that is meant."""
    return named(settings.network, shape) if isinstance(settings.network, str) else settings.network  # type: ignore[return-value]
