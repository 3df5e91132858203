"""What a player gets to know of the others' moves while a game with hidden things runs. Start at told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ponderosa.errors import GameError, IllegalActionError

if TYPE_CHECKING:
    from ponderosa.core.state import State

WORLDS = 16
"""How many states that agree with what a player sees are drawn, to find out what the player can tell apart."""


def movers(before: State, actions: Sequence[Any]) -> list[int]:
    """Who made the actions of a turn: one player, chance, or all at once."""
    return list(range(len(actions))) if before.is_simultaneous_node() else [before.to_move()]


def noticed(before: State, after: State, player: int | None) -> bool:
    """Whether a player sees any difference: a try that failed in secret is nobody else's business."""
    return player is None or not before.game.hidden or before.observation(player) != after.observation(player)


def told(before: State, actions: Sequence[Any], player: int | None) -> list[str | None]:
    """A turn's actions, as people write them; None where what the player sees fits another action too.

    `before` is the state before the turn, `actions` is one action or outcome, or the choices of all; no player at all
    is told everything.
    """
    if player is None or not before.game.hidden:
        return [before.action_to_string(action) for action in actions]
    seen = before.observation(player)
    return [
        seen.action_to_string(action) if mover == player or _can_tell(before, actions, place, player) else None
        for place, (mover, action) in enumerate(zip(movers(before, actions), actions, strict=True))
    ]


def _can_tell(before: State, actions: Sequence[Any], place: int, player: int) -> bool:
    """Whether no other action, in any state that the player thinks possible, would look the same."""
    after = _after(before, actions).observation(player)
    try:
        worlds = [before, *(before.resample_from_infostate(player, world) for world in range(WORLDS))]
    except GameError:  # a game of another package that draws no such states: what is not known is not told
        return False
    for world in worlds:
        for other in _choices(world, place):
            if other == actions[place]:
                continue
            instead = [*actions[:place], other, *actions[place + 1 :]]
            try:
                if _after(world, instead).observation(player) == after:
                    return False
            except IllegalActionError:  # the others could not have chosen so in this world
                continue
    return True


def _choices(state: State, place: int) -> list[Any]:
    return state.legal_actions(place) if state.is_simultaneous_node() else state.legal_actions()


def _after(before: State, actions: Sequence[Any]) -> State:
    after = before.clone()
    for action in actions:
        after.apply_action(action)
    return after
