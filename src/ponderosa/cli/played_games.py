"""A position out of a file of games, for commands that begin with one. Start at position_in."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ponderosa.cli.console import remark
from ponderosa.errors import FileError, SettingError
from ponderosa.system.files import read_text

if TYPE_CHECKING:
    from ponderosa.core.state import State

MOST_BYTES = 50_000_000


def position_in(path: Path, number: int, after: int | None) -> State:
    """The position after so many moves of a game of the file, or after all of them."""
    from ponderosa.core.notation import replay
    from ponderosa.registry import load_game
    from ponderosa.transcripts.formats import read_games

    try:
        text = read_text(path.expanduser(), MOST_BYTES)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise FileError(f"{path} is no text in UTF-8") from None
    found = [*islice(read_games(text, load_game), number - 1, number + 1)]
    if not found:
        raise SettingError(f"{path} has fewer than {number} games")
    if len(found) > 1 and number == 1:
        remark(f"{path} has several games: this is the first; --number 2 is the second")
    state = found[0].state
    actions = state.history()
    if after is None:
        if state.is_terminal():
            raise SettingError(f"the game is over after {len(actions)} moves: say after how many, as in --after 10")
        return state
    if after > len(actions):
        raise SettingError(f"the game has {len(actions)} moves: --after {after} is beyond its end")
    return next(islice(replay(state.game, actions), after, None), state)
