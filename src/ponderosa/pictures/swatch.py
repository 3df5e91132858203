"""A spot of a player's colour, for texts about a game. Start at player_swatch."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from ponderosa.core.game import Game
from ponderosa.errors import PonderosaError
from ponderosa.pictures.colours import stone_colours
from ponderosa.pictures.places import layout

_KNOWN: WeakKeyDictionary[Game, tuple[str, ...]] = WeakKeyDictionary()


def player_swatch(game: Game, player: int) -> str:
    """The spot as HTML, in the colour of the player's stones."""
    colours = player_colours(game)
    style = f' style="background:{colours[player]}"' if 0 <= player < len(colours) else ""
    return f'<span class="swatch p{player}"{style}></span>'


def player_colours(game: Game) -> tuple[str, ...]:
    """The colours of the players' stones on the board as it is at the start; none: those of the page."""
    if game not in _KNOWN:
        try:
            found = layout(game.new_initial_state())
        except PonderosaError:
            found = None
        _KNOWN[game] = stone_colours(game, found is not None and found.drops)
    return _KNOWN[game]
