"""What is shown to people who wait for a game that is made ready. Start at preparing."""

from __future__ import annotations

from html import escape

from ponderosa.core.game import Game
from ponderosa.web.model.compiled_now import Compiled


def preparing(compiled: Compiled | None) -> str:
    """A line above the empty board: what is compiled, about how long, and a bar."""
    if compiled is None:
        return '<span class="what">Preparing the game …</span>'
    return f'<span class="what">Compiling {escape(compiled.game)}, once{compiled.far.about}</span>{bar(compiled)}'


def compiling_words(compiled: Compiled, game: Game) -> str:
    """What is compiled, and about how long, beside the board of a game."""
    name = game.people_call_it()
    return f"compiling{'' if compiled.game == name else ' ' + compiled.game}, once{compiled.far.about}"


def bar(compiled: Compiled) -> str:
    """A bar that grows, and moves meanwhile; screen readers hear the words alone."""
    return f'<span class="progress" aria-hidden="true"><i style="width:{100 * compiled.far.share:.0f}%"></i></span>'
