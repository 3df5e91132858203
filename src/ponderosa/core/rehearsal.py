"""A game by its rules as plain Python: what fails, in which line, and what would be right. Start at rehearsed."""

from __future__ import annotations

import inspect
import random
import traceback
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa.core.forms import place
from ponderosa.core.rules import PlainRecord, Rules
from ponderosa.core.turns import CHANCE

GAMES = 4
LONGEST = 300
"""So many games, and so many actions of each, are rehearsed."""
OURS = Path(__file__).parent


def rehearsed(game: Any, games: int = GAMES, lists: bool = False) -> str | None:
    """What is wrong with a game with a dtype, as far as some random games show it; None: nothing.

    `lists` says whether `returns` may give a list: some can be compiled.
    """
    plain = game.build_rules(compiled=False)
    return next((words for seed in range(games) if (words := _rehearsed(game, plain, seed, lists))), None)


def _rehearsed(game: Any, plain: Rules, seed: int, lists: bool) -> str:
    rules, data, doing = game.own_rules(), np.zeros(game.state_bytes, np.uint8), "setup"
    try:
        game.setup(PlainRecord(data, game.dtype))
        for doing, words in _play(game, rules, plain, data, random.Random(seed), lists):
            if words:
                return f"{game.title()}.{doing} {words} ({place(rules[doing].__code__)})"
    except Exception as error:
        outside = "; compiled, it would read or write outside its memory" if isinstance(error, IndexError) else ""
        return f"{game.title()}.{doing} raised {raised(error)}{outside}"
    return ""


def raised(error: BaseException) -> str:
    """An error of somebody's rule, in words, with the line in which it arose."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_ours(frame.filename)]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno}, in {frames[-1].name})" if frames else ""
    return f"{type(error).__name__}{f': {error}' if str(error) else ''}{where}"


def _is_ours(file: str) -> bool:
    return Path(file).parent in (OURS, OURS.parent / "search")


def _play(
    game: Any, rules: dict[str, Any], plain: Rules, data: Any, draw: random.Random, lists: bool
) -> Iterator[tuple[str, str]]:
    """Each rule that is about to be asked, and what is wrong with its answer."""
    actions = np.zeros(game.max_actions, np.int32)
    s = PlainRecord(data, game.dtype)
    for _ in range(LONGEST):
        yield "is_terminal", ""
        over = rules["is_terminal"](s)
        yield "is_terminal", _wrong_number(over, "True or False")
        if over:
            yield "returns", ""
            yield "returns", wrong_returns(rules["returns"](s), game.players, lists)
            return
        yield "current_player", ""
        player = rules["current_player"](s)
        yield "current_player", _wrong_number(player, "the number of a player, from 0 on,")
        listing = "chance_outcomes" if player == CHANCE else "legal_actions"
        yield listing, ""
        count = yield from _listed(listing, rules, plain, data, s, actions)
        if not 0 < count <= len(actions):
            return
        doing = "apply_action" if "apply_action" in rules else "apply_actions"
        yield doing, ""
        plain.apply_action(data, int(draw.choice(actions[:count].tolist())))


def _listed(
    name: str, rules: dict[str, Any], plain: Rules, data: Any, s: Any, actions: Any
) -> Generator[tuple[str, str], None, int]:
    """Fill in what can be done or thrown; the number of it."""
    if name == "chance_outcomes":
        return int(plain.chance_outcomes(data, actions, np.zeros(len(actions))))
    if len(inspect.signature(rules[name]).parameters) == 1:
        answer = rules[name](s)
        if not hasattr(answer, "__iter__"):
            yield name, f"gave {answer!r}: `yield` every legal action"
        for action in answer:
            yield name, _wrong_action(action)
    return int(plain.legal_actions(data, actions))


def _wrong_action(action: Any) -> str:
    if _is_number(action, "biu"):
        return ""
    return f"gives {action!r}: an action of a game with a dtype is a whole number, and action_to_string names it"


def _wrong_number(value: Any, right: str) -> str:
    return "" if _is_number(value, "biuf") else f"gave {value!r}: {right} is right"


def _is_number(value: Any, kinds: str) -> bool:
    """Whether it is a single number of one of NumPy's kinds."""
    try:
        return np.ndim(value) == 0 and np.asarray(value).dtype.kind in kinds
    except ValueError:  # lists in lists
        return False


def wrong_returns(value: Any, players: int, lists: bool = False) -> str:
    """What is wrong with an answer that must have one number for each player; nothing, if it is empty."""
    example = ", ".join(["1.0", "-1.0", *["0.0"] * players][:players])
    right = f"one number for each of {players} players is right, as in ({example}{',' * (players == 1)})"
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
        return f"gave {value!r}: {right}"
    if len(value) != players:
        return f"gave {value!r}, {len(value)} numbers in a game of {players} players: {right}"
    if isinstance(value, list) and not lists:
        return f"gave the list {value!r}: a tuple is right, ({', '.join(map(str, value))})"
    return next((found for item in value if (found := _wrong_number(item, right))), "")
