"""`ponderosa play`: a game against the machine, or between people. Start at play."""

from __future__ import annotations

import enum
import shutil
import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ponderosa.cli.common import ByTheClock, Device, DiceSeed, GameName, Moves, ShowThinking, names_of_agents
from ponderosa.cli.console import ask, preparing, remark, say
from ponderosa.cli.session import BEST_MOVES, Left, Session
from ponderosa.cli.thinking import show_report, think
from ponderosa.core.notation import in_a_row, position, read_action
from ponderosa.errors import IllegalActionError
from ponderosa.levels import PREFIX, STRONGEST, levels
from ponderosa.mcts.report.table import verdict

if TYPE_CHECKING:
    from ponderosa.core.game import Game
    from ponderosa.core.state import State


class First(enum.StrEnum):
    """Who has the next move."""

    me = "me"
    ai = "ai"


def play(
    game: GameName,
    agent: Annotated[
        str,
        typer.Option(
            metavar="AGENT", help="Whom you play against: a level, or any other agent.", autocompletion=names_of_agents
        ),
    ] = PREFIX + STRONGEST,
    first: Annotated[
        First,
        typer.Option(help="Who has the next move: at the start, or in the position after --moves."),
    ] = First.me,
    two_players: Annotated[
        bool, typer.Option("--two-players", help="People play for all; the agent only gives hints.")
    ] = False,
    show_thinking: ShowThinking = False,
    moves: Moves = None,
    time_control: ByTheClock = None,
    seed: DiceSeed = None,
    device: Device = None,
) -> None:
    """Play in the terminal: type a move, or help for what else there is."""
    from ponderosa.core.clock import TimeControl
    from ponderosa.registry import game_for_people, load_agent, with_settings

    control = None if time_control is None else TimeControl.of(time_control)
    with preparing(game):
        rules = game_for_people(game)
        state = position(rules, moves)
        agent = agent if device is None else with_settings(agent, {"device": device}, rules)
        machines = [load_agent(agent, rules) for _ in range(rules.players if rules.viewed else 1)]
    people = set(range(rules.players)) if two_players else _seats_of_people(rules, state, first)
    advisers = {seat: machines[seat % len(machines)] for seat in range(rules.players)}  # one tree, where all see alike
    against = not two_players and not state.is_terminal()
    roles = {seat: "you" if seat in people else "machine" for seat in range(rules.players)} if against else {}
    session = Session(rules, state, roles, show_thinking, people, seed, machines, control)
    person = _Person(session, advisers)

    def turn() -> None:
        seat = session.state.to_move()
        if seat in people:
            person.turn(seat)
        else:
            session.let_play(advisers[seat])

    if not state.is_terminal():
        remark(f"{_about(agent, rules, two_players)}\nType a move, or help.")
    session.run(turn)


def _about(agent: str, game: Game, two_players: bool) -> str:
    """Who the machine is, and how to have another one."""
    from ponderosa.registry import written_out

    stands_for = written_out(agent, game)
    called = agent if stands_for == agent else f"{agent}, which is {stands_for}"
    others = [f"{PREFIX}{name}" for name, text in levels(game).items() if text != stands_for]
    role = "Hints come from" if two_players else "You play against"
    return f"{role} {called}. Another one: --agent {', '.join(others) or 'NAME'} (`ponderosa agents` lists all)."


def _seats_of_people(game: Game, state: State, first: First) -> set[int]:
    """The one seat that is not the machine's; none, when the machine begins a game of one player."""
    mover = max(state.to_move(), 0)  # a game that is over, or in which dice are to fall, has no mover
    if first is First.me:
        return {mover}
    return {(mover + 1) % game.players} - {mover}


class _Person:
    """Somebody at the keyboard, who may ask for more than a move."""

    def __init__(self, session: Session, advisers: dict[int, Any]) -> None:
        self.session = session
        self.advisers = advisers
        self.seat = 0

    @property
    def view(self) -> State:
        """The position as the one who is asked may see it."""
        return self.session.state.observation(self.seat)

    def turn(self, seat: int) -> None:
        """Ask for one entry, and do what it says."""
        self.seat = seat
        self.session.hand_over(seat)
        entry = ask("> ")
        if entry is None:
            raise Left
        text = entry.strip()
        if not text:
            return
        try:
            self.session.play(read_action(self.session.game, text, self.view))
        except IllegalActionError as error:  # a move may be called like a command, and then it is a move
            command = _COMMANDS.get(_SHORT.get(text.casefold(), text.casefold()))
            if command is None:
                remark(f"{error}\n`help` lists the commands.")
            else:
                command(self)

    def help(self) -> None:
        """this list"""
        for name, command in _COMMANDS.items():
            say(f"  {name:6}  {command.__doc__}")
        say("Anything else is a move; q, h and ? are short for quit, help and moves.")

    def list_moves(self) -> None:
        """the legal moves"""
        state = self.view
        names = in_a_row(state.action_to_string(action) for action in state.legal_actions())
        say(textwrap.fill(names, shutil.get_terminal_size().columns, break_long_words=False, break_on_hyphens=False))

    def hint(self) -> None:
        """what the agent would play"""
        state, adviser = self.view, self.advisers[self.seat]
        name = state.action_to_string(think(adviser, state))
        report = adviser.last_report
        if report is not None and self.session.show_thinking:
            show_report(report, BEST_MOVES)
        say(f"Hint: {name}" + ("" if report is None else f" ({verdict(report)})"))

    def undo(self) -> None:
        """take your last move back, and what was played since"""
        if self.session.table is not None:
            remark("by the clock, no move is taken back")
        elif self.session.take_back(self.session.people):
            self.session.show()
        else:
            remark("there is no move of yours to take back")

    def quit(self) -> None:
        """leave the game; so does Ctrl-D"""
        raise Left


_COMMANDS = {
    "moves": _Person.list_moves,
    "hint": _Person.hint,
    "undo": _Person.undo,
    "help": _Person.help,
    "quit": _Person.quit,
}
_SHORT = {"q": "quit", "exit": "quit", "h": "help", "?": "moves"}
"""Commands in other words."""
