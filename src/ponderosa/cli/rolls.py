"""A position in which dice are to fall: every roll is searched for a share of the time. Start at analyze_rolls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ponderosa.cli.console import add_row, new_table, say, show, show_json
from ponderosa.cli.thinking import think
from ponderosa.core.budget import Budget
from ponderosa.core.notation import in_a_row, move_names
from ponderosa.core.turns import CHANCE
from ponderosa.errors import SettingError, listed
from ponderosa.mcts.report.table import percent, verdict

if TYPE_CHECKING:
    from ponderosa.core.state import State
    from ponderosa.mcts.report.report import Report

MOST_ROLLS = 64
"""With more rolls than this, each would get too little of the time."""
CHANCES = ("Chance", "Value")


class Roll(NamedTuple):
    """What the dice may show, and what follows."""

    names: tuple[str, ...]
    chance: float
    state: State
    """After it, with a player to move, or the game over."""


class Found(NamedTuple):
    """A roll, and what it is worth to the one who is asked about, from 0 to 1."""

    roll: Roll
    value: float
    best: str
    worth: str


def rolls_of(state: State) -> list[Roll]:
    """All that dice may show until a player is to move."""
    if state.game.hidden:
        raise SettingError(
            f"dice decide here, and not all see them: add what they show to --moves; one of {_shown(state)}"
        )
    waiting, done = [Roll((), 1.0, state)], []
    while waiting:
        roll = waiting.pop()
        if roll.state.to_move() != CHANCE:
            done.append(roll)
        else:
            waiting += [_after(roll, outcome, chance) for outcome, chance in roll.state.chance_outcomes()]
        if len(waiting) + len(done) > MOST_ROLLS:
            raise SettingError(
                f"more than {MOST_ROLLS} rolls decide here: add what they show to --moves; one of {_shown(state)}"
            )
    return sorted(done, key=lambda roll: -roll.chance)


def _shown(state: State) -> str:
    return listed(state.action_to_string(outcome) for outcome in state.legal_actions())


def _after(roll: Roll, outcome: Any, chance: float) -> Roll:
    name = roll.state.action_to_string(outcome)
    return Roll((*roll.names, name), roll.chance * chance, roll.state.child(outcome))


def analyze_rolls(agent: Any, state: State, as_json: bool) -> None:
    """Search the position after every roll, and say what they are worth together."""
    rolls = rolls_of(state)
    seat = next((roll.state.to_move() for roll in rolls if not roll.state.is_terminal()), 0)
    others = [roll for roll in rolls if not roll.state.is_terminal() and roll.state.to_move() != seat]
    if others and state.game.players > 2:
        raise SettingError("dice decide here, and who moves next: add what they show to --moves")
    agent.budget = _shared(agent.budget, len(rolls))
    found = [_found(agent, roll, seat) for roll in rolls]
    mean = sum(each.roll.chance * each.value for each in found)
    _show(state, found, seat, mean, as_json)


def _shared(budget: Budget, parts: int) -> Budget:
    """A part of a budget for each."""
    iterations = None if budget.iterations is None else max(1, budget.iterations // parts)
    return Budget(iterations, None if budget.seconds is None else budget.seconds / parts, budget.max_nodes)


def _found(agent: Any, roll: Roll, seat: int) -> Found:
    if roll.state.is_terminal():
        game, got = roll.state.game, roll.state.returns()[seat]
        return Found(roll, (got - game.min_utility) / (game.max_utility - game.min_utility), "", "the game is over")
    best = think(agent, roll.state)
    report: Report | None = agent.last_report
    if report is None:
        raise SettingError("this agent does not say what it thinks of a position; take mcts")
    value = report.value if report.player == seat else 1.0 - report.value
    return Found(roll, value, roll.state.action_to_string(best), verdict(report))


def _show(state: State, found: list[Found], seat: int, mean: float, as_json: bool) -> None:
    who = state.game.player_name(seat)
    if as_json:
        each = [
            {"roll": list(one.roll.names), "chance": one.roll.chance, "value": one.value, "best": one.best or None}
            for one in found
        ]
        rolls = {"game": state.game.title(), "moves": move_names(state), "player": seat, "value": mean, "rolls": each}
        show_json(rolls)
        return
    say(f"{state}\nThe dice are to fall; values are those of {who}\n")
    table = new_table("Roll", *CHANCES, "Best", "Found", numbers=CHANCES, whole=("Roll", "Best"))
    for one in found:
        add_row(table, in_a_row(one.roll.names), percent(one.roll.chance), percent(one.value), one.best, one.worth)
    show(table)
    say(f"In the mean of all rolls: {percent(mean)} for {who}")
