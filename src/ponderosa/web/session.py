"""One game: its moves, who sits where, what was thought of it. Start at GameSession; it knows no page and no thread."""

from __future__ import annotations

import math
import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from ponderosa.core.dice import midst_of_choices, roll
from ponderosa.core.errors import IllegalActionError, SettingError
from ponderosa.core.game import CHANCE, Game
from ponderosa.core.notation import in_a_row, position, read_action, result
from ponderosa.core.state import State
from ponderosa.search.report import Report
from ponderosa.web.catalogue import PERSON
from ponderosa.web.elsewhere import wanted
from ponderosa.web.limits import MOST_TEXT


@dataclass(frozen=True)
class Thought:
    """What was found out about one position."""

    report: Report
    """The report."""
    advice: bool
    """Whether the adviser said so; else it was the agent that was to move."""


@dataclass(frozen=True)
class Mistake:
    """A move that gave something away."""

    ply: int
    """The position in which it was played."""
    player: int
    """Who played it."""
    played: str
    """The move."""
    best: str
    """What the adviser would have played."""
    loss: float
    """How much of the win probability it gave away."""


@dataclass
class GameSession:
    """A line of moves from the start of a game, a place in it, and the seats of the players."""

    spec: str
    """The game as people name it."""
    game: Game
    """Its rules."""
    seats: list[str]
    """Who plays for each player: PERSON, or an agent's text."""
    seed: int = 0
    """The seed of the dice, and of the agents that are not given one."""
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    """The name under which the game is kept."""
    cursor: int = 0
    """How many moves the position that is looked at is away from the start."""
    resigned: int | None = None
    """The player who gave up."""
    thoughts: dict[int, Thought] = field(default_factory=dict)
    """What is known of positions, by their number of moves."""
    private: dict[tuple[int, int], Report] = field(default_factory=dict)
    """What the adviser has told single players while something is hidden, by number of moves and player."""
    choices: dict[int, Any] = field(default_factory=dict)
    """Where all choose at once: who has chosen what, until all have."""
    given: tuple[str, ...] = ()
    """The moves that it began with."""

    def __post_init__(self) -> None:
        if len(self.seats) != self.game.players:
            raise SettingError(f"{self.spec} has {self.game.players} players, not {len(self.seats)}")
        first: State = self.game.new_initial_state()
        with wanted(self.game):
            first.is_terminal()  # the first question compiles the rules
        self.states = [first]
        self.names: list[str] = []
        self._luck = random.Random(self.seed)

    @classmethod
    def after(cls, spec: str, game: Game, seats: Sequence[str], moves: str = "", seed: int = 0) -> GameSession:
        """A game after a list of moves."""
        if len(moves) > MOST_TEXT:
            raise SettingError(f"the list of moves must be shorter than {MOST_TEXT} letters, not {len(moves)}")
        session = cls(spec, game, list(seats), seed)
        for action in position(game, moves).history():
            session.play(action)
        session.given = tuple(session.names)
        return session

    @property
    def state(self) -> State:
        """The position that is looked at."""
        return self.states[self.cursor]

    @property
    def plies(self) -> int:
        """How many moves there are in all."""
        return len(self.names)

    @property
    def at_end(self) -> bool:
        """Whether the last position is the one that is looked at."""
        return self.cursor == self.plies

    @property
    def over(self) -> bool:
        """Whether nobody moves any more in the position that is looked at."""
        return self.state.is_terminal() or (self.at_end and self.resigned is not None)

    @property
    def finished(self) -> bool:
        """Whether the game itself has come to its end."""
        return self.resigned is not None or self.states[-1].is_terminal()

    @property
    def touched(self) -> bool:
        """Whether somebody has played here, so that the game is worth keeping.

        Where people sit, one of them must have made a move, or given up in the course of it: dice, and a machine that
        began, are not enough. Machines among themselves count as players. What the game began with is not played here.
        """
        if not self.names or self.resigned is not None:
            return bool(self.names)
        players = self.people() or range(self.game.players)
        begun = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self.names, self.given, strict=False)))
        return any(state.to_move() in players for state in self.states[begun:-1])

    @property
    def secret(self) -> bool:
        """Whether people play who must not see everything yet."""
        return self.game.viewed and bool(self.people()) and not self.finished

    def waiting_for(self) -> set[int]:
        """The players who must act now; nobody where chance decides."""
        if self.over or self.state.to_move() == CHANCE:
            return set()
        if self._all_choose():
            return set(range(self.game.players)) - set(self.choices)
        return {self.state.to_move()}

    def _all_choose(self) -> bool:
        return self.state.is_simultaneous_node() and not midst_of_choices(self.state)

    @property
    def mover(self) -> int | None:
        """The player to move, the first of them where all choose at once; None when nobody is."""
        return min(self.waiting_for(), default=None)

    def dice_due(self) -> bool:
        """Whether chance is to decide now, at the end of the line of moves."""
        return self.at_end and not self.over and self.state.to_move() == CHANCE

    def roll(self) -> None:
        """Let chance decide."""
        self.play(roll(self.state, self._luck))

    def person_moves(self) -> bool:
        """Whether a person is to move."""
        return self.mover is not None and self.seats[self.mover] == PERSON

    def people(self) -> list[int]:
        """The players that are people."""
        return [player for player, seat in enumerate(self.seats) if seat == PERSON]

    def actions(self) -> list[Any]:
        """The legal actions in the position that is looked at."""
        return [] if self.over else self.state.legal_actions()

    def play(self, action: Any) -> None:
        """Make a move; moves that came after this position before are forgotten."""
        if self.over:
            raise IllegalActionError("the game is over: there is no move to make")
        name = self.state.action_to_string(action) if action in self.state.legal_actions() else ""
        after = self.state.child(action)
        self.cut()
        self.resigned = None
        self.choices.clear()
        self.states.append(after)
        self.names.append(name)
        self.cursor += 1

    def choose(self, player: int, action: Any) -> None:
        """Make a player's move; where all choose at once it counts when all have chosen."""
        if player not in self.waiting_for():
            raise IllegalActionError(f"{self.game.player_name(player)} is not to move now")
        if not self._all_choose():
            self.play(action)
            return
        if action not in self.state.legal_actions(player):
            raise IllegalActionError(f"{action!r} is not a legal action of {self.game.player_name(player)}")
        self.choices[player] = action
        if len(self.choices) == self.game.players:
            chosen = dict(self.choices)
            for each in range(self.game.players):
                self.play(chosen[each])

    def play_text(self, text: str) -> None:
        """Make the move that a text names."""
        if self.over:
            raise IllegalActionError("the game is over: there is no move to make")
        self.play(read_action(self.game, text, self.state))

    def go_to(self, ply: int) -> None:
        """Look at another position of the game."""
        self.cursor = min(max(ply, 0), self.plies)
        self.choices.clear()

    def undo(self) -> bool:
        """Go back to a person's last turn, or by one move between machines; False: there is none."""
        people = self.people() or list(range(self.game.players))
        for ply in reversed(range(self.cursor)):
            if not self._turn_of(ply).isdisjoint(people):
                self.go_to(ply)
                return True
        return False

    def redo(self) -> bool:
        """Go forward to a person's next turn, or to the end; False: there is nothing ahead."""
        if self.at_end:
            return False
        people = self.people() or list(range(self.game.players))
        ahead = range(self.cursor + 1, self.plies)
        self.go_to(next((ply for ply in ahead if not self._turn_of(ply).isdisjoint(people)), self.plies))
        return True

    def _turn_of(self, ply: int) -> set[int]:
        """The players whose turn begins in a position."""
        state = self.states[ply]
        if midst_of_choices(state):
            return set()
        return set(range(self.game.players)) if state.is_simultaneous_node() else {state.to_move()}

    def cut(self) -> None:
        """Forget the moves after the position that is looked at."""
        if not self.at_end:
            del self.states[self.cursor + 1 :], self.names[self.cursor :]
            self.thoughts = {ply: thought for ply, thought in self.thoughts.items() if ply <= self.cursor}
            self.private = {place: report for place, report in self.private.items() if place[0] <= self.cursor}
            self.resigned = None

    def resign(self, player: int) -> None:
        """A player gives up, at the end of the line of moves."""
        if self.finished:
            raise IllegalActionError("the game is over: nobody can give up")
        if not 0 <= player < self.game.players:
            raise SettingError(f"there is no player {player + 1} in {self.spec}")
        self.go_to(self.plies)
        self.resigned = player

    def swap_seats(self) -> None:
        """Everybody moves on by one seat."""
        self.seats = self.seats[-1:] + self.seats[:-1]

    def moves_text(self, upto: int | None = None) -> str:
        """The moves, as a text that reads them back."""
        return in_a_row(self.names[:upto])

    def player_names(self) -> list[str]:
        """The players as people call them."""
        return [self.game.player_name(player) for player in range(self.game.players)]

    def result(self) -> str:
        """How the game ended, in words; empty while it goes on."""
        names = self.player_names()
        if self.resigned is not None:
            others = [name for player, name in enumerate(names) if player != self.resigned]
            verb = "win" if len(others) > 1 else "wins"
            return f"{names[self.resigned]} gave up" + (f"; {' and '.join(others)} {verb}." if others else ".")
        return result(self.states[-1], names) if self.states[-1].is_terminal() else ""

    def note(self, ply: int, report: Report, advice: bool) -> None:
        """Keep what was found out about a position; an agent's own thought never replaces the adviser's."""
        known = self.thoughts.get(ply)
        if known is None or advice or not known.advice:
            self.thoughts[ply] = Thought(report, advice)

    def report(self) -> Report | None:
        """What is known of the position that is looked at."""
        thought = self.thoughts.get(self.cursor)
        return None if thought is None else thought.report

    def curve(self) -> list[float | None]:
        """The first player's win probability after each number of moves; None where nothing is known."""
        return [self._value(ply) for ply in range(self.plies + 1)]

    def _value(self, ply: int) -> float | None:
        state, low, high = self.states[ply], self.game.min_utility, self.game.max_utility
        if ply == self.plies and self.resigned is not None:
            return 0.0 if self.resigned == 0 else 1.0
        if state.is_terminal():
            if not math.isfinite(high - low):
                return None
            return (state.returns()[0] - low) / (high - low)
        if ply not in self.thoughts:
            return None
        report = self.thoughts[ply].report
        if report.player == 0:
            return report.value
        return 1.0 - report.value if self.game.players == 2 else None

    def mistakes(self, least: float = 0.05, most: int = 3) -> dict[int, list[Mistake]]:
        """Each player's worst moves, the worst first."""
        found: dict[int, list[Mistake]] = {player: [] for player in range(self.game.players)}
        for ply, name in enumerate(self.names):
            thought = self.thoughts.get(ply)
            loss = None if thought is None or not thought.advice else self._loss(ply, thought.report, name)
            if thought is not None and loss is not None and loss >= least:
                report = thought.report
                found[report.player].append(Mistake(ply, report.player, name, report.best_name, loss))
        return {player: sorted(moves, key=lambda move: -move.loss)[:most] for player, moves in found.items()}

    def _loss(self, ply: int, report: Report, name: str) -> float | None:
        """What a move gave away, by the report before it, and by the one after it where there is one."""
        if name == report.best_name:
            return 0.0
        played = next((entry.value for entry in report.actions if entry.name == name), None)
        plain = self.game.players == 2 and not self.game.chance and not self.game.viewed
        after = self._value(ply + 1) if plain else None  # elsewhere luck, or what was hidden, is in it
        if after is not None:
            played = after if report.player == 0 else 1.0 - after
        return None if played is None else report.value - played
