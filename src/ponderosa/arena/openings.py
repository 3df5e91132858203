"""Where games begin: openings drawn by chance or read from a file. Start at read_openings and opening_state."""

from __future__ import annotations

import random
from pathlib import Path

from ponderosa.alphabeta.deepening import Deepening
from ponderosa.core.budget import Budget
from ponderosa.core.dice import midst_of_choices, roll_on
from ponderosa.core.game import Game
from ponderosa.core.notation import position
from ponderosa.core.state import State
from ponderosa.errors import GameError, IllegalActionError, SettingError
from ponderosa.system.files import read_text

NONE = "none"
ATTEMPTS = 1000
"""How many times a random opening is drawn again that ends the game, or favours a player too much."""
BALANCED = "balanced"
JUDGED_DEPTH, JUDGED_POSITIONS, EVEN = 3, 100_000, 0.06
"""A balanced opening is one after which alpha-beta so deep, or of so many positions, sees no player further than this
from an even score."""


def read_openings(text: str) -> tuple[str, tuple[str, ...]]:
    """The openings that an option names, checked, and the move lists when it is a file."""
    if text == NONE:
        return text, ()
    kind, colon, plies = text.partition(":")
    if kind in ("random", BALANCED):
        if not (colon and plies.isdecimal() and 0 < int(plies) < 1000):
            raise SettingError(f"{kind} openings are written {kind}:PLIES, as in {kind}:2, not {text!r}")
        return text, ()
    try:
        lines = read_text(Path(text).expanduser()).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(
            f"openings are none, random:PLIES, balanced:PLIES, or a file with a move list a line; {text!r} cannot "
            f"be read: {error}"
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
        return game.new_initial_state()
    plies, chance = int(openings.partition(":")[2]), random.Random(seed)
    judge = _judge(game) if openings.startswith(BALANCED) else None
    for _ in range(ATTEMPTS):
        state = game.new_initial_state()
        _play_at_random(state, plies, chance)
        if not state.is_terminal() and (judge is None or _is_even(judge, state)):
            return state
    if judge is not None:
        raise GameError(f"{game.title()} is even after {plies} random moves not once in {ATTEMPTS} times: take random")
    raise GameError(f"{game.title()} is over after {plies} random moves, {ATTEMPTS} times in a row: take fewer")


def _judge(game: Game) -> Deepening:
    """Who says whether an opening is even."""
    if game.players != 2 or game.viewed or game.chance or "evaluate" not in game.own_rules():
        raise SettingError(
            f"{game.title()} has no balanced openings: they are for two players who see everything, without dice, in a "
            "game with a rule 'evaluate'; take random:PLIES"
        )
    return Deepening(game, depth=JUDGED_DEPTH, table=2**12)


def _is_even(judge: Deepening, state: State) -> bool:
    judge.forget()
    value = judge.run(state, Budget(iterations=JUDGED_POSITIONS)).value
    return value is not None and abs(value - 0.5) <= EVEN


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
