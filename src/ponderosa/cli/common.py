"""What several commands share: exit codes, games as people play them, positions. Start at position."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ponderosa.core.errors import IllegalActionError, PonderosaError, SettingError, UnknownNameError

if TYPE_CHECKING:
    from ponderosa.core.game import Game
    from ponderosa.core.state import State

FAILED = 1
MISUSED = 2
INTERRUPTED = 130

GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="connect4, connect:m=12,n=12,k=5, or a class of yours, ./nim.py:Nim.")
]
Moves = Annotated[
    str | None,
    typer.Option(help='The moves that led to the position, with spaces or commas between: "4 4 3".'),
]
ShowThinking = Annotated[
    bool, typer.Option("--show-thinking", help="Show what an agent thought of its best moves, after each move.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


def exit_code(error: PonderosaError) -> int:
    """2 when another command line would do, 1 when something failed."""
    return MISUSED if isinstance(error, SettingError | UnknownNameError | IllegalActionError) else FAILED


def game_for_people(spec: str) -> Game:
    """The game that a text names; one that can tell a draw before the last move does so, unless the text says no."""
    from ponderosa.registry import game_class, make, split_spec

    kind, settings = split_spec(spec)
    found = game_class(kind)
    if "early_draw" in found.signature().parameters:
        settings.setdefault("early_draw", "true")
    game: Game = make(f"game {kind}", found, settings)
    return game


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
    for name in sorted(names, key=len, reverse=True):  # a name may have spaces or commas of its own: take 2 from heap 1
        behind = text[len(name) :]
        if text.casefold().startswith(name.casefold()) and re.match(r"[\s,]|$", behind):
            return names[name], _without_separators(behind)
    between = "," if any(" " in name for name in names) else r"[\s,]+"
    first, *rest = re.split(between, text, maxsplit=1)
    return read_action(game, first, state), _without_separators("".join(rest))


def _without_separators(text: str) -> str:
    return text.strip(" \t\r\n,")
