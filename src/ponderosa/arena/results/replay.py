"""A stored game, move by move. Start at positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ponderosa.core.notation import in_a_row, read_action
from ponderosa.core.user_files import is_file
from ponderosa.errors import IllegalActionError, StoreError, shortly
from ponderosa.registry import load_game, split_spec


def positions(stored: dict[str, Any], trust: bool = False) -> Iterator[tuple[Any, str | None]]:
    """Every state of a game that Store.game gave, and the name of the move that led to it; the first has none.

    A store may be anybody's: the Python file of a game is run only with `trust`.
    """
    if is_file(split_spec(stored["game"])[0]) and not trust:
        name = shortly(stored["game"])
        raise StoreError(f"the store says that this is a game of {name}, which is code: if both are yours, --trust")
    game = load_game(stored["game"])
    state = game.new_initial_state()
    yield state, None
    for move in stored["moves"]:
        try:
            action = state.legal_action(move if isinstance(move, int) else read_action(game, move, state))
        except IllegalActionError as error:
            raise StoreError(f"game {stored['id']} of the store cannot be played: {error}") from None
        name = state.action_to_string(action)
        state = state.child(action)
        yield state, name


def move_names(stored: dict[str, Any], trust: bool = False) -> list[str]:
    """The moves of a game as people write them."""
    return [name for _, name in positions(stored, trust) if name is not None]


def move_list(stored: dict[str, Any], trust: bool = False) -> str:
    """The moves of a game as one text, which --moves reads."""
    return in_a_row(move_names(stored, trust))


def result_words(agents: Sequence[str], scores: Sequence[float], returns: Sequence[float]) -> str:
    """How a game ended: `A 1 - 0 B`, or every agent with its score; of one player, what the game paid."""
    if len(agents) == 1:
        return f"{agents[0]} got {returns[0]:g}"
    if len(agents) == 2:
        return f"{agents[0]} {scores[0]:g} - {scores[1]:g} {agents[1]}"
    return ", ".join(f"{agent} {score:g}" for agent, score in zip(agents, scores, strict=True))
