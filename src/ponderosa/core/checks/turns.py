"""Do dice, hidden things and choices at once keep their promises? Start at turn_problems; check_game.py calls it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ponderosa.core.checks.promises import Problem, player_problems
from ponderosa.core.rng import new_rng
from ponderosa.core.state import RecordState, State
from ponderosa.core.turns import SIMULTANEOUS


def turn_problems(state: State, player: int) -> Iterator[Problem]:
    """What is wrong with whose turn it is, given what the game declares."""
    game = state.game
    yield from player_problems(game, player)
    if player == SIMULTANEOUS:
        for seat in range(game.players):
            if not state.legal_actions(seat):
                yield f"all choose at once, and {game.player_name(seat)} has no legal action", "idle"


def view_problems(state: State, seed: int) -> Iterator[Problem]:
    """What is wrong with what the players see: it must not tell what is hidden, and must be enough to play."""
    for player in range(state.game.players):
        seen = state.observation(player)
        yield from _legal_problems(state, seen, player)
        drawn = state.resample_from_infostate(player, seed)
        yield from _draw_problems(state, seen, drawn, player)
        if isinstance(state, RecordState) and state.game.hidden:
            yield from _leaks(state, player, seed)


def _legal_problems(state: State, seen: State, player: int) -> Iterator[Problem]:
    who = state.game.player_name(player)
    if seen.is_terminal() != state.is_terminal() or seen.current_player() != state.current_player():
        yield f"what {who} sees does not tell whose turn it is: conceal erases too much", "turn"
    elif state.legal_actions(player) != seen.legal_actions(player):
        yield f"what {who} sees does not tell the legal actions: conceal erases too much", "legal view"


def _draw_problems(state: State, seen: State, drawn: State, player: int) -> Iterator[Problem]:
    who = state.game.player_name(player)
    if drawn.observation(player) != seen:
        names = _different(drawn.observation(player), seen)
        yield f"determinize changes what {who} sees, in {names}, or conceal does not erase it", "draw"
    elif drawn.current_player() != state.current_player() or drawn.legal_actions(player) != state.legal_actions(player):
        yield f"determinize for {who} draws a state with another turn or other legal actions", "drawn turn"
    elif drawn.current_player() >= 0 and not drawn.legal_actions():
        yield f"determinize for {who} draws a state without legal actions", "drawn actions"


def _leaks(state: RecordState, player: int, seed: int) -> Iterator[Problem]:
    """Draw the hidden part anew with everything open: what the player sees must stay the same."""
    seen, other = state.observation(player), state.clone()
    other._determinize(player, new_rng(seed))
    if not np.array_equal(other.observation(player).data, seen.data):
        names = _different(other.observation(player), seen)
        who = state.game.player_name(player)
        yield f"the observation of {who} tells hidden things: {names} changes with what determinize draws", "leak"


def _different(one: State, other: State) -> str:
    """The fields in which two states differ."""
    names = getattr(one.game.dtype, "names", None) or tuple(vars(one.record))
    found = [name for name in names if not np.array_equal(getattr(one.record, name), getattr(other.record, name))]
    return ", ".join(map(repr, found)) or "the order of play"
