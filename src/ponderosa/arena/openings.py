"""Where games begin: openings drawn by chance or read from a file. Start at read_openings and opening_state."""

from __future__ import annotations

import random
from pathlib import Path

from ponderosa.core.dice import midst_of_choices, roll_on
from ponderosa.core.game import Game
from ponderosa.core.notation import position
from ponderosa.core.state import State
from ponderosa.errors import GameError, IllegalActionError, SettingError
from ponderosa.system.files import read_text

NONE = "none"
ATTEMPTS = 1000
"""How many times a random opening is drawn again that ends the game."""


def read_openings(text: str) -> tuple[str, tuple[str, ...]]:
    """The openings that an option names, checked, and the move lists when it is a file."""
    if text == NONE:
        return text, ()
    kind, colon, plies = text.partition(":")
    if kind == "random":
        if not (colon and plies.isdecimal() and 0 < int(plies) < 1000):
            raise SettingError(f"random openings are written random:PLIES, as in random:2, not {text!r}")
        return text, ()
    try:
        lines = read_text(Path(text).expanduser()).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(
            f"openings are none, random:PLIES, or a file with a move list a line; {text!r} cannot be read: {error}"
        ) from None
    wanted = tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    if not wanted:
        raise SettingError(f"there is no opening in {text!r}: write one move list a line, as in `4 4 3`")
    return Path(text).name, wanted


def opening_state(game: Game, openings: str, line: str | None, seed: int) -> State:
    """The state after an opening; the game goes on from there."""
    if line is not None:
        return _after_line(game, line)
    if openings == NONE:
        begin: State = game.new_initial_state()
        return begin
    plies, chance = int(openings.partition(":")[2]), random.Random(seed)
    for _ in range(ATTEMPTS):
        state: State = game.new_initial_state()
        _play_at_random(state, plies, chance)
        if not state.is_terminal():
            return state
    raise GameError(f"{game.title()} is over after {plies} random moves, {ATTEMPTS} times in a row: take fewer")


def _play_at_random(state: State, plies: int, chance: random.Random) -> None:
    """Random moves; dice roll in between and are not counted, and where all choose at once nobody is left out."""
    while not state.is_terminal() and (plies > 0 or midst_of_choices(state)):
        roll_on(state, chance)
        if not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
            plies -= 1


def _after_line(game: Game, line: str) -> State:
    try:
        state = position(game, line)
    except IllegalActionError as error:
        raise SettingError(f"the opening {line!r}: {error}") from None
    if state.is_terminal():
        raise SettingError(f"the opening {line!r} ends the game; openings leave something to play")
    return state
