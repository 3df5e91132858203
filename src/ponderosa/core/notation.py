"""Games in words: moves one after the other, and how a game ended. Start at position."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ponderosa.errors import IllegalActionError, PonderosaError, listed

if TYPE_CHECKING:
    from ponderosa.core.game import Game
    from ponderosa.core.state import State


def position(game: Game, moves: str | None) -> State:
    """The state after moves that are written one after the other."""
    state: State = game.new_initial_state()
    state.is_terminal()  # the first question compiles the rules: here, where every command is prepared to wait
    rest = _without_separators(moves or "")
    while rest:
        try:
            action, rest = _first_action(game, state, rest)
            state.apply_action(action)
        except IllegalActionError as error:
            raise IllegalActionError(f"move {len(state.history()) + 1}: {error}") from None
    return state


def read_action(game: Game, text: str, state: State) -> Any:
    """The legal action that a text names; whatever a game's own reader trips over is an illegal action too."""
    try:
        return game.parse_action(text, state)
    except PonderosaError:
        raise
    except (ValueError, LookupError, TypeError) as error:
        raise IllegalActionError(f"{text!r} is not a legal action here ({error})") from None


def named_action(given: Any, legal: Sequence[Any], name: Callable[[Any], str], whose: str = "here") -> Any:
    """The one of the legal actions that is given, itself or by its name; the error tells actions and names apart."""
    if given in legal:
        return legal[legal.index(given)]
    names = [name(action) for action in legal]
    if isinstance(given, str):
        place = place_of_name(given, names)
        if place is not None:
            return legal[place]
    raise refused(given, legal, names, whose)


def place_of_name(text: str, names: Sequence[str]) -> int | None:
    """Which of the names a text is; upper and lower case are the same, unless two names differ in nothing else."""
    wanted = text.strip()
    if wanted in names:
        return names.index(wanted)
    folded = [name.casefold() for name in names]
    return folded.index(wanted.casefold()) if wanted.casefold() in folded else None


def refused(given: Any, legal: Sequence[Any], names: Sequence[str], whose: str = "here") -> IllegalActionError:
    """The error for what is neither a legal action nor the name of one; a text is answered with names."""
    words, hint = [*names], ""
    if not isinstance(given, str):
        pairs = [*zip(map(repr, legal), names, strict=True)]
        words = [action if action in (name, repr(name)) else f"{action} ({name!r})" for action, name in pairs]
        hint = next((f"; {name!r} is the name of {action}" for action, name in pairs if name == str(given)), "")
    text = given.strip() if isinstance(given, str) else given
    can_be = listed(words) or "none, the game is over"
    return IllegalActionError(f"{text!r} is not a legal action {whose}; legal: {can_be}{hint}")


def replay(game: Game, actions: Iterable[Any]) -> Iterator[State]:
    """The state before each of the actions."""
    state: State = game.new_initial_state()
    for action in actions:
        yield state.clone()
        state.apply_action(action)


def move_names(state: State) -> list[str]:
    """The moves that led to a state, as people write them."""
    actions = state.history()
    return [
        before.action_to_string(action) for before, action in zip(replay(state.game, actions), actions, strict=True)
    ]


def in_a_row(names: Iterable[str]) -> str:
    """Moves as one text that `position` reads."""
    listed = list(names)
    return (", " if any(" " in name for name in listed) else " ").join(listed)


def _first_action(game: Game, state: State, text: str) -> tuple[Any, str]:
    """The action that a list of moves begins with, and the moves behind it."""
    names = {state.action_to_string(action): action for action in state.legal_actions()}
    for begins in (str.startswith, _begins_in_any_case):
        for name in sorted(
            names, key=len, reverse=True
        ):  # one may have spaces or commas of its own: take 2 from heap 1
            behind = text[len(name) :]
            if begins(text, name) and re.match(r"[\s,]|$", behind):
                return names[name], _without_separators(behind)
    between = "," if any(" " in name for name in names) else r"[\s,]+"
    first, *rest = re.split(between, text, maxsplit=1)
    return read_action(game, first, state), _without_separators("".join(rest))


def _begins_in_any_case(text: str, name: str) -> bool:
    return text.casefold().startswith(name.casefold())


def _without_separators(text: str) -> str:
    return text.strip(" \t\r\n,")


def result(state: State, names: list[str]) -> str:
    """How a game ended, in words."""
    returns = state.returns()
    if len(returns) == 1:
        return f"The game is over: {names[0]} got {returns[0]:g}."
    scores = "" if set(returns) <= {-1.0, 0.0, 1.0} else f" ({' : '.join(f'{value:g}' for value in returns)})"
    winners = [name for name, value in zip(names, returns, strict=True) if value == max(returns)]
    if len(winners) == len(names):
        return f"A draw{scores}."
    return f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'win'}{scores}."


def given_up(names: list[str], loser: int, on_time: bool) -> str:
    """How a game ended, in words, that somebody lost otherwise than by the rules."""
    others = [name for player, name in enumerate(names) if player != loser]
    how = "lost on time" if on_time else "gave up"
    verb = "win" if len(others) > 1 else "wins"
    return f"{names[loser]} {how}" + (f"; {' and '.join(others)} {verb}." if others else ".")
