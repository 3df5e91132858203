"""Alpha-beta, once, for all games of two players. Start at search_on.

The search keeps its stack in an array: it stops after any number of nodes and goes on later, so that the clock, Ctrl-C
and progress get their turn. A node's values are whole numbers for the player to move there; the mover of a child may be
the same player, so signs follow the players and never the depth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ponderosa.compile.annotations import Actions, Int, Ints, Records, Values

EVALUATED = 1_000_000
"""A static value is at most this."""
PROVEN = 1_500_000_000
"""The value of a certain win is more than this, and that of a certain loss less than its negative."""
DOUBT = 1_000_000_000
"""What a win loses when some replies to it were left out: still more than any static value."""
INFINITE = 2_000_000_000
GRADES, MOST_PLIES = 50_000, 4096
"""A better result counts before a faster one: each of GRADES grades of a result is worth MOST_PLIES plies."""
CERTAIN = PROVEN + (GRADES - 1) * MOST_PLIES
"""Beyond this there is no better result: nothing that is searched later can change it."""

FRESH = -1
"""The `next` of a frame whose node was not looked at yet."""
WHOLE_DEPTH = 1_000_000
"""The depth of a table entry below which nothing was guessed or left out."""
EXACT, AT_LEAST, AT_MOST = 1, 2, 3

PLY, NODES, STATUS, DETAIL, PREFERRED, BRANCH, ORDERED, BEYOND, LINES = range(9)
"""Places in the counters: where the search is, nodes in all, why it returned, a number that explains it, the root's
first action (-1: none), moves kept a node, whether the game ranks its moves cheaply, how many plies beyond the
horizon noisy moves are followed, and how many of the root's best moves have exact values."""
COUNTERS = 9
DONE, RUNNING, BAD_ACTION_COUNT, NOT_ZERO_SUM, NO_RESULT = 0, 1, 2, 3, 4

FRAME = np.dtype(
    [
        ("key", "i8"),  # of the position
        ("alpha", "i4"),  # the mover has this already
        ("beta", "i4"),  # the opponent will not let the mover have more
        ("best", "i4"),
        ("move", "i4"),  # the action of the best; -1: none yet
        ("next", "i4"),  # which of the moves is searched; FRESH at first
        ("count", "i4"),
        ("left", "i4"),  # plies to the horizon
        ("player", "i1"),
        ("dropped", "i1"),  # whether moves were left out
        ("whole", "i1"),  # whether nothing below was guessed or left out
        ("best_whole", "i1"),  # the same below the best move
    ],
    align=True,
)
ENTRY = np.dtype([("key", "i8"), ("value", "i4"), ("move", "i4"), ("depth", "i4"), ("kind", "i4")])


class Game(NamedTuple):
    """The operations that the search calls; core/rules.py says what they do."""

    copy: Callable[..., Any]
    current_player: Callable[..., Any]
    candidates: Callable[..., Any]
    apply_action: Callable[..., Any]
    is_terminal: Callable[..., Any]
    scores: Callable[..., Any]
    evaluate: Callable[..., Any]
    noisy: Callable[..., Any]
    priors: Callable[..., Any]
    """priors(state, spare, actions, count, values, weights); spare and values are scratch space."""
    key: Callable[..., Any]


class Room(NamedTuple):
    """What the search writes on."""

    frames: Records
    """The nodes from the root to where the search is."""
    states: Any
    """Their states, and one to try things on at the end."""
    moves: Actions
    """Their moves, the most promising first."""
    killers: Actions
    """Two actions a ply that refuted something."""
    actions: Actions
    weights: Values
    values: Values
    table: Records
    """What is known of positions seen before; empty: nothing is kept."""
    root_values: Ints
    """The value of each of the root's moves: exact for the best ones, as many as counters[LINES] says; the others are
    worth no more than this."""
    root_nodes: Ints
    """How many nodes were searched below each."""


def search_on(nodes: Int, game: Game, room: Room, counters: Ints) -> Any:
    """Go on for `nodes` nodes; returns how many were searched. counters[STATUS] says whether it is done."""
    counters[STATUS] = RUNNING
    searched = 0
    while searched < nodes:
        ply = counters[PLY]
        frame = room.frames[ply]
        if frame["next"] == FRESH:
            searched += 1
            counters[NODES] += 1
            settled = enter(ply, game, room, counters)
            if counters[STATUS] != RUNNING:
                return searched
        elif frame["next"] < frame["count"] and frame["best"] < frame["beta"]:
            descend(ply, game, room, counters)
            counters[PLY] = ply + 1
            settled = False
        else:
            leave(ply, room)
            settled = True
        if settled:
            if ply == 0:
                counters[STATUS] = DONE
                return searched
            give_back(ply, room, counters)
            counters[PLY] = ply - 1
    return searched


def enter(ply: Int, game: Game, room: Room, counters: Ints) -> Any:
    """Look at a node for the first time; True when its value is known at once."""
    frame, state = room.frames[ply], room.states[ply]
    if game.is_terminal(state):  # for the player who moved here: it may be nobody's turn
        game.scores(state, room.values)
        if abs(room.values[0] + room.values[1] - 1.0) > 1e-6:
            counters[STATUS] = NOT_ZERO_SUM
        elif np.isnan(room.values[0] + room.values[1]):
            counters[STATUS] = NO_RESULT
        frame["best"] = final_value(room.values[frame["player"]], ply)
        frame["whole"] = 1
        return True
    frame["player"] = game.current_player(state)
    if ply > 0 and frame["player"] != room.frames[ply - 1]["player"]:
        kept = frame["alpha"]
        frame["alpha"] = -frame["beta"]
        frame["beta"] = -kept
    if frame["left"] <= 0 or ply + 2 >= len(room.states):
        game.evaluate(state, room.values)
        other = 1 - frame["player"]
        frame["best"] = int(EVALUATED * (room.values[frame["player"]] - room.values[other]))
        frame["whole"] = 0
        return -frame["left"] >= counters[BEYOND] or ply + 2 >= len(room.states) or calm(ply, game, room, counters)
    first = counters[PREFERRED] if ply == 0 else -1
    if len(room.table) > 0:
        frame["key"] = game.key(state)
        known = find(room.table, frame["key"])
        if known >= 0:
            if ply > 0 and usable(room.table[known], frame, ply):
                return True
            if first < 0:
                first = room.table[known]["move"]
    return not list_moves(ply, first, game.candidates(state, room.actions), game, room, counters)


def calm(ply: Int, game: Game, room: Room, counters: Ints) -> Any:
    """Whether a node at the horizon is worth its static value; else its noisy moves are to be searched.

    Quiescence search (Beal 1990, "A generalised quiescence search algorithm"): the mover may also do nothing noisy, and
    has the static value then, unless something must be done at once.
    """
    frame, state = room.frames[ply], room.states[ply]
    value = frame["best"] + 0
    if len(room.table) > 0:
        frame["key"] = game.key(state)
        known = find(room.table, frame["key"])
        if known >= 0 and usable(room.table[known], frame, ply):
            return True
    listed = game.noisy(state, room.actions)
    if listed == 0 or (listed > 0 and value >= frame["beta"]):
        return True
    if not list_moves(ply, -1, abs(listed), game, room, counters):
        return True
    if listed > 0:
        frame["best"] = value
        frame["dropped"] = 1
    frame["whole"] = 0
    return False


def list_moves(ply: Int, first: Int, listed: Any, game: Game, room: Room, counters: Ints) -> Any:
    """The moves to search, of those that are listed in room.actions, the most promising first; False when there are too
    many or none."""
    frame, state, actions = room.frames[ply], room.states[ply], room.actions
    total: Any = abs(listed)
    if total <= 0 or total > len(actions):
        counters[STATUS], counters[DETAIL] = BAD_ACTION_COUNT, total
        return False
    kept = min(total, counters[BRANCH])
    if total > 1 and (counters[ORDERED] != 0 or frame["left"] > 1 or kept < total):
        game.priors(state, room.states[len(room.states) - 1], actions, total, room.values, room.weights)
        keep_best(actions, room.weights, total, kept)
    for place in (1, 0):
        bring_forward(actions, kept, room.killers[ply, place])
    bring_forward(actions, kept, first)
    for index in range(kept):
        room.moves[ply, index] = actions[index]
    frame["count"] = kept
    frame["dropped"] = kept < total or listed < 0  # a negative number: the game itself has left some out
    frame["next"] = 0
    frame["best"] = -INFINITE
    frame["move"] = -1
    frame["whole"] = not frame["dropped"]
    return True


def keep_best(actions: Actions, weights: Values, total: Int, kept: Int) -> None:
    """Sort the `kept` actions of most weight to the front; equal ones stay in their order."""
    for index in range(total):
        weight, action = weights[index], actions[index]
        place = min(index, kept)
        if place == kept and weight <= weights[kept - 1]:
            continue
        if place == kept:
            place -= 1
        while place > 0 and weight > weights[place - 1]:
            weights[place] = weights[place - 1]
            actions[place] = actions[place - 1]
            place -= 1
        weights[place] = weight
        actions[place] = action


def bring_forward(actions: Actions, count: Int, action: Int) -> None:
    """Put an action first, if it is among them; the others keep their order."""
    for index in range(count):
        if actions[index] == action:
            for place in range(index, 0, -1):
                actions[place] = actions[place - 1]
            actions[0] = action
            return


def descend(ply: Int, game: Game, room: Room, counters: Ints) -> None:
    """Make the next move of a node, and a fresh node behind it."""
    frame, child = room.frames[ply], room.frames[ply + 1]
    game.copy(room.states[ply + 1], room.states[ply])
    game.apply_action(room.states[ply + 1], room.moves[ply, frame["next"]])
    child["player"] = frame["player"]
    child["alpha"] = max(frame["alpha"], frame["best"])
    if ply == 0 and counters[LINES] > 1:
        child["alpha"] = among_the_best(room.root_values, frame["next"], counters[LINES])
    child["beta"] = frame["beta"]
    child["left"] = frame["left"] - (1 if frame["count"] > 1 or frame["dropped"] else 0)  # a forced move costs no depth
    child["next"] = FRESH


def among_the_best(values: Ints, count: Int, lines: Int) -> Any:
    """What a move must be worth more than to be one of the best `lines` after these."""
    for place in range(count):
        better = 0
        for other in range(count):
            better += values[other] > values[place] or (values[other] == values[place] and other < place)
        if better == lines - 1:
            return values[place] - 1  # an equal one is exact, too: it may be shown first
    return -INFINITE


def give_back(ply: Int, room: Room, counters: Ints) -> None:
    """Tell the node above what a move is worth."""
    child, frame = room.frames[ply], room.frames[ply - 1]
    value = child["best"] if child["player"] == frame["player"] else -child["best"]
    if ply == 1:
        room.root_values[frame["next"]] = value
        room.root_nodes[frame["next"]] = counters[NODES]
    if value > frame["best"]:
        frame["best"] = value
        frame["best_whole"] = child["whole"]
        frame["move"] = room.moves[ply - 1, frame["next"]]
    frame["whole"] &= child["whole"]
    frame["next"] += 1


def leave(ply: Int, room: Room) -> None:
    """All moves are searched, or one is too good: what the node is worth, kept in the table."""
    frame = room.frames[ply]
    refuted = frame["best"] >= frame["beta"]
    if frame["dropped"] != 0 and frame["best"] < -PROVEN:
        frame["best"] += DOUBT  # one of the moves left out may be better
    if refuted:
        frame["whole"] = frame["best_whole"]
        if room.killers[ply, 0] != frame["move"]:
            room.killers[ply, 1] = room.killers[ply, 0]
            room.killers[ply, 0] = frame["move"]
    if abs(frame["best"]) > CERTAIN:
        frame["whole"] = 1
    if len(room.table) > 0:
        kind = AT_LEAST if refuted else EXACT if frame["best"] > frame["alpha"] else AT_MOST
        keep(room.table, frame, kind, ply)


def final_value(score: float, ply: Int) -> Any:
    """What a finished game is worth whose result, from 0 to 1, came after `ply` plies."""
    grade = round(GRADES * (2.0 * score - 1.0))
    if grade == 0:
        return 0
    value = PROVEN + abs(grade) * MOST_PLIES - ply
    return value if grade > 0 else -value


def find(table: Records, key: Int) -> Any:
    """Where a position is in the table, or -1."""
    place = 2 * (key & (len(table) // 2 - 1))
    for index in (place, place + 1):
        if table[index]["kind"] != 0 and table[index]["key"] == key:
            return index
    return -1


def usable(entry: np.void, frame: np.void, ply: Int) -> Any:
    """Whether an entry settles a node; if so, the node has its value."""
    value, kind = from_root(entry["value"], ply), entry["kind"]
    certain = (value > CERTAIN and kind != AT_MOST) or (value < -CERTAIN and kind != AT_LEAST)
    if entry["depth"] < frame["left"] and not certain:
        return False
    if (kind == AT_LEAST and value < frame["beta"]) or (kind == AT_MOST and value > frame["alpha"]):
        return False
    frame["best"] = value
    frame["whole"] = certain or entry["depth"] == WHOLE_DEPTH
    return True


def keep(table: Records, frame: np.void, kind: Int, ply: Int) -> None:
    """Put a node into the table: into the first place of its two unless a deeper one is there, else into the second."""
    depth = WHOLE_DEPTH if frame["whole"] != 0 else frame["left"]
    place = 2 * (frame["key"] & (len(table) // 2 - 1))
    if table[place]["key"] != frame["key"] and table[place]["depth"] > depth:
        place += 1
    entry = table[place]
    entry["key"] = frame["key"]
    entry["value"] = from_here(frame["best"], ply)
    entry["move"] = frame["move"]
    entry["depth"] = depth
    entry["kind"] = kind


def from_here(value: Int, ply: Int) -> Any:
    """A value with the length of a win counted from the node, not from the root."""
    return value + ply if value > EVALUATED else value - ply if value < -EVALUATED else value


def from_root(value: Int, ply: Int) -> Any:
    """The reverse of from_here."""
    return value - ply if value > EVALUATED else value + ply if value < -EVALUATED else value
