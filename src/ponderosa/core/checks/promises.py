"""What is wrong with a rule's answer, in words: check_game.py and rehearsal.py ask. Start at wrong_returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ponderosa.core.turns import CHANCE, SIMULTANEOUS
from ponderosa.errors import listed

if TYPE_CHECKING:
    from ponderosa.core.game import Game

Problem = tuple[str, str]
"""What is wrong, in words, and what kind of wrong it is."""
TOLERANCE = 1e-6
MOST_ACTION = 2**31 - 1
"""The largest number of an action: the tree keeps 32 bits of it."""

NO_RESULT = "returns gives a number outside the declared range (min_utility, max_utility), or none at all"


_PLAIN_KINDS: dict[type, str] = {int: "i", float: "f", bool: "b"}


def is_number(value: Any, kinds: str) -> bool:
    """Whether it is a single number of one of NumPy's kinds."""
    if type(value) in _PLAIN_KINDS:
        return _PLAIN_KINDS[type(value)] in kinds
    try:
        return np.ndim(value) == 0 and np.asarray(value).dtype.kind in kinds
    except ValueError:  # lists in lists
        return False


def wrong_number(value: object, right: str) -> str:
    """What is wrong with an answer that must be a number; nothing, if it is empty."""
    return "" if is_number(value, "biuf") else f"gave {value!r}: {right} is right"


def wrong_action(action: Any) -> str:
    """What is wrong with an action of a game with a dtype; nothing, if it is empty."""
    if not is_number(action, "biu"):
        return f"gives {action!r}: an action of a game with a dtype is a whole number, and action_to_string names it"
    if 0 <= action <= MOST_ACTION:
        return ""
    return f"gives {int(action)}: an action of a game with a dtype is a number from 0 to {MOST_ACTION:,}"


def wrong_returns(value: object, players: int, lists: bool = False) -> str:
    """What is wrong with an answer that must have one number for each player; nothing, if it is empty."""
    example = ", ".join(["1.0", "-1.0", *["0.0"] * players][:players])
    right = f"one number for each of {players} players is right, as in ({example}{',' * (players == 1)})"
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
        return f"gave {value!r}: {right}"
    if len(value) != players:
        return f"gave {value!r}, {len(value)} numbers in a game of {players} players: {right}"
    if isinstance(value, list) and not lists:
        return f"gave the list {value!r}: a tuple is right, ({', '.join(map(str, value))})"
    return next((found for item in value if (found := wrong_number(item, right))), "")


def player_problems(game: Game, player: int) -> Iterator[Problem]:
    """What is wrong with whose turn it is, given what the game declares."""
    if player == CHANCE and not game.chance:
        yield "current_player is CHANCE, and the game does not declare chance = True", "player"
    elif player == SIMULTANEOUS and not game.simultaneous:
        yield "current_player is SIMULTANEOUS, and the game does not declare simultaneous = True", "player"
    elif player not in (CHANCE, SIMULTANEOUS) and player not in range(game.players):
        yield f"current_player is {player!r} in a game of {game.players} players", "player"


def action_problems(legal: Sequence[Any], most: int | None = None) -> Iterator[Problem]:
    """What is wrong with a list of legal actions, given the most that there may be."""
    if not legal:
        yield "a state that is not over has no legal action", "none"
    if most is not None and len(legal) > most:
        enough = f"declare `max_actions = {len(legal)}` or more"
        yield f"a state has {len(legal)} legal actions, and max_actions says {most}: {enough}", "many"
    elif len(set(legal)) != len(legal):
        yield f"legal_actions lists an action twice: {listed(legal)}", "twice"


def outcome_problems(outcomes: Sequence[tuple[Any, float]]) -> Iterator[Problem]:
    """Outcomes of chance are a distribution."""
    if not outcomes:
        yield "dice decide, and chance_outcomes gives none", "no outcome"
    total = sum(probability for _, probability in outcomes)
    if abs(total - 1.0) > TOLERANCE:
        yield f"the probabilities of chance_outcomes sum to {total:g}, not to 1", "sum"
    if any(not 0.0 <= probability <= 1.0 for _, probability in outcomes):
        yield f"chance_outcomes gives a probability that is none: {listed(outcomes)}", "probability"
    if len({outcome for outcome, _ in outcomes}) != len(outcomes):
        yield f"chance_outcomes gives an outcome twice: {listed(outcomes)}", "twice"


def result_problems(values: Sequence[Any], low: float, high: float) -> Iterator[Problem]:
    """What is wrong with the results of a game, one for each player."""
    slack = TOLERANCE * (high - low)
    for value in values:
        if not low - slack <= value <= high + slack:
            declared = f"{low:g} .. {high:g} (min_utility, max_utility)"
            yield f"returns gives {value}, outside the declared range {declared}", "range"
