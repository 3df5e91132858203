"""One game: its moves, who sits where, what was thought of it. Start at GameSession; it knows no page and no thread."""

from __future__ import annotations

import math
import random
import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from ponderosa.core.dice import midst_of_choices, roll
from ponderosa.core.game import CHANCE, Game
from ponderosa.core.notation import given_up, in_a_row, position, read_action, result
from ponderosa.core.rng import seed_of
from ponderosa.core.state import State
from ponderosa.errors import IllegalActionError, SettingError
from ponderosa.mcts.report.report import Report
from ponderosa.web.model.catalogue import PERSON
from ponderosa.web.model.clocks import GameClocks
from ponderosa.web.model.elsewhere import wanted
from ponderosa.web.model.limits import MOST_TEXT

KEPT_MOVES = 8
"""How many moves of every report are kept while nobody looks at the game; the page's table has no more."""
MOST_SEED = 2**53 - 1
"""No seed is greater: every JSON reader knows such numbers exactly, and nobody tries them all."""
BY_THE_CLOCK = "this game is played by the clock: no move is taken back"
FINISHED = "the game is over and stays as it is; a move in an earlier position begins another one"


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
    """A line of moves from the start of a game, and the seats of the players; a finished one never changes."""

    spec: str
    """The game as people name it."""
    game: Game
    """Its rules."""
    seats: list[str]
    """Who plays for each player: PERSON, or an agent's text."""
    seed: int = 0
    """The seed of the dice, and of the agents that are not given one: with the same moves, the same dice fall."""
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    """The name under which the game is kept."""
    resigned: int | None = None
    """The player who gave up."""
    clocks: GameClocks | None = None
    """How much time everybody has left, if it is played by the clock."""
    overtime: int | None = None
    """The player whose time is over."""
    thoughts: dict[int, Report] = field(default_factory=dict)
    """What the adviser thinks of positions, by their number of moves."""
    own: dict[int, Report] = field(default_factory=dict)
    """What machines thought when they moved themselves, by the number of moves before."""
    private: dict[tuple[int, int], Report] = field(default_factory=dict)
    """What the adviser has told single players while something is hidden, by number of moves and player."""
    choices: dict[int, Any] = field(default_factory=dict)
    """Where all choose at once: who has chosen what, until all have."""
    given: tuple[str, ...] = ()
    """The moves that it began with."""
    origin: str = ""
    """Where to find the game that it is a variation of."""
    lent: bool = False
    """Whether it belongs to the API, where its name opens it, after a restart too."""
    kept: bool = False
    """Whether it is among the saved games."""
    unsaved: bool = False
    """Whether something has changed since it was saved."""

    def __post_init__(self) -> None:
        if len(self.seats) != self.game.players:
            raise SettingError(f"{self.spec} has {self.game.players} players, not {len(self.seats)}")
        first: State = self.game.new_initial_state()
        with wanted(self.game):
            first.is_terminal()  # the first question compiles the rules
        self.states = [first]
        self.names: list[str] = []

    @classmethod
    def after(cls, spec: str, game: Game, seats: Sequence[str], moves: str = "", seed: int = 0) -> GameSession:
        """A game after a list of moves."""
        if len(moves) > MOST_TEXT:
            raise SettingError(f"the list of moves must be shorter than {MOST_TEXT} letters, not {len(moves)}")
        session = cls(spec, game, list(seats), seed)
        for action in position(game, moves).history():
            session.play(action)
        session.given, session.unsaved = tuple(session.names), False
        return session

    def variation(self, ply: int, seed: int) -> GameSession:
        """A game of its own that begins with the first moves of this one, which stays as it is."""
        other = GameSession(self.spec, self.game, list(self.seats), seed)
        other.states, other.names = self.states[: ply + 1], self.names[:ply]
        other.thoughts = {at: report for at, report in self.thoughts.items() if at <= ply}
        other.own = {at: report for at, report in self.own.items() if at < ply}
        other.given = tuple(other.names)
        return other

    def rematch(self, seed: int) -> GameSession:
        """The same game from its start, in which everybody sits one seat further on."""
        other = GameSession(self.spec, self.game, self.seats[-1:] + self.seats[:-1], seed)
        other.clocks = None if self.clocks is None else GameClocks(self.clocks.control, self.game)
        return other

    @property
    def state(self) -> State:
        """The position after all moves."""
        return self.states[-1]

    @property
    def plies(self) -> int:
        """How many moves there are in all."""
        return len(self.names)

    @property
    def finished(self) -> bool:
        """Whether the game itself has come to its end."""
        return self.lost_by is not None or self.state.is_terminal()

    @property
    def lost_by(self) -> int | None:
        """The player who has lost otherwise than by the rules: gave up, or used all the time."""
        return self.overtime if self.resigned is None else self.resigned

    @property
    def touched(self) -> bool:
        """Whether somebody has played here, so that the game is worth keeping.

        Where people sit, one of them must have made a move, or given up in the course of it: dice, and a machine that
        began, are not enough. Machines among themselves count as players. What the game began with is not played here.
        """
        if not self.names or self.lost_by is not None:
            return bool(self.names)
        players = self.people() or range(self.game.players)
        begun = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self.names, self.given, strict=False)))
        return any(state.to_move() in players for state in self.states[begun:-1])

    @property
    def secret(self) -> bool:
        """Whether people play who must not see everything yet."""
        return self.game.viewed and bool(self.people()) and not self.finished

    @property
    def plain(self) -> bool:
        """Whether a position says as much of the move before it: elsewhere luck, or what was hidden, is in it."""
        return self.game.players == 2 and not self.game.chance and not self.game.viewed

    def waiting_for(self) -> set[int]:
        """The players who must act now; nobody where chance decides."""
        return set() if self.finished else self.turn_of(self.plies) - set(self.choices)

    def turn_of(self, ply: int) -> set[int]:
        """The players who must act in a position; nobody where chance decides, or when it is the end."""
        state = self.states[ply]
        if state.is_terminal() or state.to_move() == CHANCE:
            return set()
        return set(range(self.game.players)) if all_choose(state) else {state.to_move()}

    @property
    def mover(self) -> int | None:
        """The player to move, the first of them where all choose at once; None when nobody is."""
        return min(self.waiting_for(), default=None)

    def dice_due(self) -> bool:
        """Whether chance is to decide now."""
        return not self.finished and self.state.to_move() == CHANCE

    def roll(self) -> None:
        """Let chance decide: by the seed and the number of moves, so that no take-back and no restart rolls anew."""
        self.play(roll(self.state, random.Random(seed_of(self.seed, self.plies))))

    @property
    def told_seed(self) -> int | None:
        """The seed, for whoever wants to repeat the game; None while it would tell what is hidden, or yet to fall."""
        foretells = self.game.viewed or self.game.chance
        return None if foretells and not self.finished else self.seed

    def people(self) -> list[int]:
        """The players that are people."""
        return [player for player, seat in enumerate(self.seats) if seat == PERSON]

    def play(self, action: Any) -> None:
        """Make a move."""
        self._check_open()
        action = self.state.legal_action(action)
        name, after = self.state.action_to_string(action), self.state.child(action)
        self.choices.clear()
        self.states.append(after)
        self.names.append(name)
        self.unsaved = True

    def _check_open(self) -> None:
        if self.finished:
            raise IllegalActionError(FINISHED)

    def choose(self, player: int, action: Any) -> None:
        """Make a player's move; where all choose at once it counts when all have chosen."""
        self._check_open()
        if player not in self.waiting_for():
            raise IllegalActionError(f"{self.game.people_call_player(player)} is not to move now")
        if not all_choose(self.state):
            self.play(action)
            return
        self.choices[player] = self.state.legal_action(action, player)
        self.unsaved = True
        if len(self.choices) == self.game.players:
            chosen = dict(self.choices)
            for each in range(self.game.players):
                self.play(chosen[each])

    def play_text(self, text: str) -> None:
        """Make the move that a text names."""
        self._check_open()
        self.play(read_action(self.game, text, self.state))

    def turn_before(self, ply: int, players: Sequence[int] = ()) -> int | None:
        """The last position before another in which the turn of one of these began, else of people, else of anybody."""
        people = players or self.people() or range(self.game.players)
        return next((at for at in reversed(range(ply)) if not self._begun(at).isdisjoint(people)), None)

    def turn_after(self, ply: int, players: Sequence[int] = ()) -> int:
        """The next position after another in which such a player's turn begins; else the last one."""
        people = players or self.people() or range(self.game.players)
        ahead = range(ply + 1, self.plies)
        return next((at for at in ahead if not self._begun(at).isdisjoint(people)), self.plies)

    def _begun(self, ply: int) -> set[int]:
        """The players whose turn begins in a position."""
        return set() if midst_of_choices(self.states[ply]) else self.turn_of(ply)

    def take_back(self, ply: int) -> None:
        """Forget the moves after a position."""
        self._check_open()
        if self.clocks is not None and ply < self.plies:
            raise IllegalActionError(BY_THE_CLOCK)
        self.unsaved = True
        self.choices.clear()
        if ply < self.plies:
            del self.states[ply + 1 :], self.names[ply:]
            self.thoughts = {at: report for at, report in self.thoughts.items() if at <= ply}
            self.own = {at: report for at, report in self.own.items() if at < ply}
            self.private = {at: report for at, report in self.private.items() if at[0] <= ply}

    def resign(self, player: int) -> None:
        """A player gives up."""
        self._check_open()
        if not 0 <= player < self.game.players:
            raise SettingError(f"there is no player {player + 1} in {self.spec}")
        self.choices.clear()
        self.resigned, self.unsaved = player, True

    def lose_on_time(self, player: int) -> None:
        """A player's flag has fallen."""
        self._check_open()
        self.choices.clear()
        self.overtime, self.unsaved = player, True

    def set_seat(self, player: int, seat: str) -> None:
        """Somebody else plays for a player from now on."""
        self._check_open()
        self.seats[player], self.unsaved = seat, True

    def swap_seats(self) -> None:
        """Everybody moves on by one seat."""
        self._check_open()
        self.seats, self.unsaved = self.seats[-1:] + self.seats[:-1], True

    def chosen(self) -> dict[int, str]:
        """What those have chosen who choose at once with others that have not, by player."""
        return {p: str(self.state.observation(p).action_to_string(action)) for p, action in self.choices.items()}

    def moves_text(self, upto: int | None = None) -> str:
        """The moves, as a text that reads them back."""
        return in_a_row(self.names[:upto])

    def player_names(self) -> list[str]:
        """The players as people call them who see the board drawn."""
        return [self.game.people_call_player(player) for player in range(self.game.players)]

    def marks(self) -> list[str]:
        """The players as the game's text calls them."""
        return [self.game.player_name(player) for player in range(self.game.players)]

    def result(self, names: list[str] | None = None) -> str:
        """How the game ended, in words, with these names of the players; empty while it goes on."""
        names = names or self.player_names()
        if self.lost_by is not None:
            return given_up(names, self.lost_by, self.resigned is None)
        return result(self.state, names) if self.state.is_terminal() else ""

    def decided_by(self) -> str:
        """What decided it by the rules, in a few words, when it is over; empty: they do not say."""
        return self.game.ending(self.state.record) if self.lost_by is None and self.state.is_terminal() else ""

    def outcome_for(self, player: int) -> str:
        """How it ended for a player, when it is over: "won", "lost" or "drawn"; empty for whoever plays alone."""
        if self.game.players == 1:
            return ""
        if self.lost_by is not None:
            return "lost" if player == self.lost_by else "won"
        returns = self.state.returns()
        if min(returns) == max(returns):
            return "drawn"
        return "won" if returns[player] == max(returns) else "lost"

    def note(self, ply: int, report: Report, advice: bool) -> None:
        """Keep what was found out about a position: by the adviser, or by the machine that is to move there."""
        (self.thoughts if advice else self.own)[ply] = report

    def forget_details(self) -> None:
        """Nobody looks on for a while: keep the curve and the best moves, which is a small part of what was thought."""
        self.private.clear()
        for reports in (self.thoughts, self.own):
            reports.pop(self.plies, None)  # the position in which it goes on is looked at anew
            for ply, report in reports.items():
                reports[ply] = replace(report, actions=report.actions[:KEPT_MOVES])

    def opinion(self) -> tuple[str, dict[int, Report]]:
        """Whose opinion the curve is, in a word, and what they said by the number of moves: nobody else's is in it.

        It is the adviser's when the game is over, and while it goes on the one of who has said most.
        """
        voices = [("the adviser", self.thoughts)]
        for player in range(0 if self.finished else self.game.players):
            own = {ply: report for ply, report in self.own.items() if report.player == player}
            voices.append((self.game.people_call_player(player), own))
        return max(voices, key=lambda voice: len(voice[1]))  # of equals the first

    def curve(self) -> list[float | None]:
        """The first player's win probability after each number of moves; None where nothing is known."""
        said = self.opinion()[1]
        return [self._value(ply, said) for ply in range(self.plies + 1)]

    def _value(self, ply: int, said: Mapping[int, Report]) -> float | None:
        state, low, high = self.states[ply], self.game.min_utility, self.game.max_utility
        if ply == self.plies and self.lost_by is not None:
            return 0.0 if self.lost_by == 0 else 1.0
        if state.is_terminal():
            if not math.isfinite(high - low):
                return None
            return (state.returns()[0] - low) / (high - low)
        if ply not in said:
            return None
        report = said[ply]
        if report.player == 0:
            return report.value
        return 1.0 - report.value if self.game.players == 2 else None

    def mistakes(self, least: float = 0.05, most: int = 3) -> dict[int, list[Mistake]]:
        """Each player's worst moves, the worst first."""
        found: dict[int, list[Mistake]] = {player: [] for player in range(self.game.players)}
        for ply, name in enumerate(self.names):
            report = self.thoughts.get(ply)
            loss = None if report is None else self._loss(ply, report, name)
            if report is not None and loss is not None and loss >= least:
                found[report.player].append(Mistake(ply, report.player, name, report.best_name, loss))
        return {player: sorted(moves, key=lambda move: -move.loss)[:most] for player, moves in found.items()}

    def _loss(self, ply: int, report: Report, name: str) -> float | None:
        """What a move gave away, by the report before it, and by the one after it where there is one."""
        if name == report.best_name:
            return 0.0
        played = next((entry.value for entry in report.actions if entry.name == name), None)
        after = self._value(ply + 1, self.thoughts) if self.plain else None
        if after is not None:
            played = after if report.player == 0 else 1.0 - after
        return None if played is None else report.value - played


def new_seed() -> int:
    """A seed that nobody guesses, for a game of its own."""
    return secrets.randbelow(MOST_SEED + 1)


def all_choose(state: State) -> bool:
    """Whether all players are to choose at once."""
    return state.is_simultaneous_node() and not midst_of_choices(state)
