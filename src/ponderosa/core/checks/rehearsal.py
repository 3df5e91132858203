"""A game by its rules as plain Python: what fails, in which line, and what would be right. Start at rehearsed.

Machine code looks at no index, and takes any answer; Python does not, so random games are rehearsed in it: when a rule
cannot be compiled, when somebody checks a game, and before a game is searched for the first time.
"""

from __future__ import annotations

import inspect
import math
import random
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ponderosa.compile.annotations import StateBytes
from ponderosa.compile.functions import place
from ponderosa.compile.record_view import PlainRecord
from ponderosa.core.checks.promises import (
    Problem,
    action_problems,
    is_number,
    outcome_problems,
    player_problems,
    result_problems,
    wrong_action,
    wrong_number,
    wrong_returns,
)
from ponderosa.core.observation import cube_of
from ponderosa.core.rng import new_rng
from ponderosa.core.rules import Rules
from ponderosa.core.turns import CHANCE, spans_of
from ponderosa.errors import GameError, PonderosaError, listed
from ponderosa.system.watchdog import within

if TYPE_CHECKING:
    from ponderosa.core.game import Game

PACKAGE = Path(__file__).parents[2]
OURS = tuple(PACKAGE / room for room in ("core", "compile", "mcts", "alphabeta", "system"))
"""Where no rules of games are."""


@dataclass(frozen=True)
class Care:
    """How much is rehearsed, and how closely it is looked at."""

    games: int = 4
    """How many games."""
    longest: int = 300
    """How many actions of each."""
    lists: bool = False
    """Whether `returns` may give a list: some can be compiled."""
    closely: bool = False
    """Whether rules must leave the state alone, and apply_action do the same as machine code."""
    answers: bool = False
    """Whether answers must be right, and not only of the right kind."""
    seconds: float = math.inf
    """After so much time of the processor, no further rule is asked."""


FORMS = Care()
"""When a rule cannot be compiled: does Python trip over it, too?"""
FIRST = Care(closely=True, answers=True, lists=True, seconds=0.02)
"""Before a game is searched for the first time: nobody should notice."""
HUNT = Care(games=10_000, longest=2000, closely=True, answers=True, lists=True, seconds=2.0)
"""When a search has noticed something: where it is."""
SLOW_SECONDS = 1.0
"""A rule that has not come back by so much later is left, and the rehearsal ends."""
FURTHER = "`ponderosa check`, or check_game(game), plays more games and finds more"

_known: set[tuple[Any, ...]] = set()


def rehearsed(
    game: Game,
    care: Care = FORMS,
    seed: int = 0,
    start: StateBytes | None = None,
    clock: Callable[[], float] = time.thread_time,
) -> str | None:
    """What is wrong with a game with a dtype, as far as some random games show it; None: nothing.

    They begin with the bytes of a state, `start`, or at the beginning; a seed stands for the same games every time.
    """
    rehearsal = _Rehearsal(game, care, start, _Alarm(care.seconds, clock))

    def play() -> str:
        for number in range(care.games):
            with np.errstate(all="ignore"):  # as compiled: hashes overflow on purpose
                words = rehearsal.wrong(seed + number, all_rules=number > 0)
            if words or rehearsal.late():
                return words
        return ""

    if math.isinf(care.seconds):
        return play() or None
    return within(care.seconds + SLOW_SECONDS, play) or None  # a rule that hangs is for others to notice


def rehearse_once(game: Game) -> None:
    """See that a game keeps its word in its first moves, once a process; else the error says what is wrong."""
    if type(game).__module__.startswith(f"{__name__.partition('.')[0]}."):
        return  # games of this package are held to their word by its tests
    mark = (game.rules.__name__, game.spec, game.max_actions)
    if mark in _known:
        return
    words = rehearsed(game, FIRST)
    if words is not None:
        raise GameError(f"{words}; {FURTHER}")
    _known.add(mark)


def hunted(game: Game, start: StateBytes | None, noticed: str) -> GameError:
    """What to say of a game that a search has noticed something of: where it is, if random games come to it."""
    return GameError(f"{rehearsed(game, HUNT, start=start) or f'{game.title()}: {noticed}'}; {FURTHER}")


def raised(error: BaseException) -> str:
    """An error of somebody's rule, in words, with the line in which it arose."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_ours(frame.filename)]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno}, in {frames[-1].name})" if frames else ""
    return f"{type(error).__name__}{f': {error}' if str(error) else ''}{where}"


def _is_ours(file: str) -> bool:
    return any(Path(file).is_relative_to(room) for room in OURS)


class _Alarm:
    """Says whether the time is up, counted from the first question: by then, all is loaded that loads when it runs."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds, self._clock, self._end = seconds, clock, math.inf

    def __call__(self) -> bool:
        self._end = min(self._end, self._clock() + self._seconds)
        return self._clock() >= self._end


class _WrongError(Exception):
    """Something is wrong with what a rule did."""


class _EnoughError(Exception):
    """The time is up."""


class _Rehearsal:
    """Random games of one game."""

    def __init__(self, game: Game, care: Care, start: StateBytes | None, late: _Alarm) -> None:
        self.game, self.care, self.start, self.late = game, care, start, late
        self.plain: Rules = game.build_rules(compiled=False)
        self.rules: dict[str, Any] = game.own_rules()
        self.dtype: np.dtype[Any] = np.dtype(game.dtype)
        self.scratch = spans_of(self.dtype, game.scratch)
        self.room = np.zeros(game.max_actions, np.int32)
        self.arguments = {name: len(inspect.signature(rule).parameters) for name, rule in self.rules.items()}

    def wrong(self, seed: int, all_rules: bool) -> str:
        """What is wrong, as far as one game shows it; nothing, if it is empty."""
        self.all_rules = all_rules and self.care.answers  # those that need not be may be slow ones
        self.data, self.moves, self.doing = np.zeros(self.game.state_bytes, np.uint8), list[int](), "setup"
        self.s, self.draw, self.rng = PlainRecord(self.data, self.dtype), random.Random(seed), new_rng(seed)
        try:
            self._begin()
            self._play()
        except _WrongError as wrong:
            text = str(wrong)
            joined = "." if text.startswith(self.doing) else ": "
            return f"{self.game.title()}{joined}{text} ({place(self.rules[self.doing].__code__)}){self._after()}"
        except _EnoughError:
            return ""
        except PonderosaError:
            raise
        except Exception as error:
            return f"{self.game.title()}.{self.doing} raised {raised(error)}{self._outside(error)}{self._after()}"
        return ""

    def _outside(self, error: Exception) -> str:
        if not isinstance(error, IndexError):
            return ""
        room = f" size {len(self.room)}" in str(error) and self.doing in (
            "legal_actions",
            "candidates",
            "chance_outcomes",
        )
        more = ", and no state has more actions than max_actions says" if room else ""
        return f"; compiled, it would read or write outside its memory{more}"

    def _after(self) -> str:
        return f", after the actions {listed(self.moves)}" if self.moves else ""

    def _begin(self) -> None:
        if self.start is not None:
            self.data[:] = self.start
            return
        self.game.setup(self.s)
        if "max_utility" in (self.dtype.names or ()):
            self.s.max_utility = self.game.max_utility

    def _play(self) -> None:
        for _ in range(self.care.longest):
            over = self._asked("is_terminal")
            self._hold(wrong_number(over, "True or False"))
            if over:
                self._look_at_the_end()
                return
            choices = self._choices(self._player())
            if not 0 < len(choices) <= len(self.room):
                return
            self._apply(self.draw.choice(choices))
            if self.late():
                return

    def _look_at_the_end(self) -> None:
        values = self._asked("returns")
        self._hold(wrong_returns(values, self.game.players, self.care.lists))
        if self.care.answers:
            high = self.s.max_utility if "max_utility" in (self.dtype.names or ()) else self.game.max_utility
            self._hold_to(result_problems(values, self.game.min_utility, high))

    def _player(self) -> int:
        player = self._asked("current_player")
        self._hold(wrong_number(player, "the number of a player, from 0 on,"))
        if self.care.answers:
            self._hold_to(player_problems(self.game, player))
        return int(player)

    def _choices(self, player: int) -> list[int]:
        """What can be done, or thrown."""
        if player == CHANCE:
            return self._outcomes()
        legal = self._listed("legal_actions")
        if self.care.answers:
            self._hold_to(action_problems(legal, len(self.room)))
        if self.all_rules:
            self._ask_the_others(legal)
        return legal

    def _outcomes(self) -> list[int]:
        chances = np.zeros(len(self.room))
        count = int(self._watched("chance_outcomes", lambda: self.plain.chance_outcomes(self.data, self.room, chances)))
        if count < 0:
            raise _WrongError(f"chance_outcomes gives {count}: the number of outcomes is right")
        known = list(zip(self.room[:count].tolist(), chances[:count].tolist(), strict=True))
        if self.care.answers:
            if count > len(self.room):
                raise _WrongError(f"a state has {count} outcomes, and max_actions says {len(self.room)}")
            self._hold_to(outcome_problems(known))
            return [outcome for outcome, chance in known if chance > 0.0]
        return [outcome for outcome, _ in known]

    def _listed(self, name: str) -> list[int]:
        """What a rule lists, by `yield` or in an array; as many zeros as it claims, if they are too many for that."""
        if self.arguments[name] - self.game.simultaneous == 1:
            who = (int(self.plain.current_player(self.data)),) if self.game.simultaneous else ()
            answer = self._watched(name, lambda: self._whole(self.rules[name](self.s, *who)))
            if not isinstance(answer, list):
                raise _WrongError(f"{name} gave {answer!r}: `yield` every legal action")
            for action in answer:
                self._hold(wrong_action(action))
            return [int(action) for action in answer]
        count = self._watched(name, lambda: int(getattr(self.plain, name)(self.data, self.room)))
        if count < 0 and name != "candidates":  # where it means that they are all there are
            raise _WrongError(f"{name} gives {count}: the number of legal actions is right")
        listing = self.room[: abs(count)].tolist() if abs(count) <= len(self.room) else [0] * abs(count)
        for action in listing:
            self._hold(wrong_action(action))
        return listing

    def _whole(self, answer: object) -> Any:
        return list(answer) if hasattr(answer, "__iter__") and not isinstance(answer, str) else answer

    def _ask_the_others(self, legal: list[int]) -> None:
        """What a game may have besides: its rules are asked, and what they choose must be legal."""
        actions = self.room.copy()
        for name in ("random_action", "playout_action"):
            if name in self.rules:
                drawing = getattr(self.plain, name)
                action = self._watched(name, lambda: drawing(self.data, self.rng, actions))  # noqa: B023
                if not is_number(action, "biu") or action not in legal:
                    raise _WrongError(f"{name} gives {action!r}, which is not legal")
        if "candidates" in self.rules and not 0 < len(found := self._listed("candidates")) <= len(legal):
            raise _WrongError(f"candidates gives {listed(found)}: one legal action at least is right, and no other")
        if "noisy" in self.rules and not abs(self.plain.noisy(self.data, actions)) <= len(legal):
            raise _WrongError("noisy lists more actions than are legal")
        for name in ("bounds", "key", "winning_action"):
            if name in self.rules:
                self._asked(name)
        if "prior" in self.rules:
            self._asked("prior", legal[0])
        if "evaluate" in self.rules:
            self._hold(wrong_returns(self._asked("evaluate"), self.game.players, self.care.lists))
        if "observe" in self.rules and not self.game.viewed:
            self._watched("observe", lambda: self.plain.observe(self.data, np.zeros(cube_of(self.game), np.float32)))
        if self.game.hidden:
            self._look_from_every_seat()

    def _look_from_every_seat(self) -> None:
        for player in range(self.game.players):
            seen = self.data.copy()
            for self.doing in ("conceal", "determinize"):
                more = (self.rng,) if self.doing == "determinize" else ()
                getattr(self.plain, self.doing)(seen, player, *more)

    def _apply(self, action: int) -> None:
        self.doing = "apply_action" if "apply_action" in self.rules else "apply_actions"
        twin = self.data.copy() if self.care.closely else None
        self.plain.apply_action(self.data, action)
        if twin is not None:
            self.game.rules.apply_action(twin, action)
            if not np.array_equal(twin, self.data):
                words = "gives another state compiled than as plain Python; numbers may overflow"
                raise _WrongError(f"{self.doing} {words}, at the action {action}")
        self.moves.append(action)

    def _asked(self, name: str, *more: Any) -> Any:
        return self._watched(name, lambda: self.rules[name](self.s, *more))

    def _watched(self, name: str, ask: Callable[[], Any]) -> Any:
        """What a rule answers that may not change the state."""
        self.doing = name
        before = self._meaning() if self.care.closely else b""
        answer = ask()
        if self.care.closely and self._meaning() != before:
            raise _WrongError(f"{name} changes the state: only apply_action may")
        if self.late():
            raise _EnoughError
        return answer

    def _meaning(self) -> bytes:
        """What tells a state from others: all but the fields that only make the rules fast."""
        if not len(self.scratch):
            return self.data.tobytes()
        told = self.data.copy()
        for begin, end in self.scratch:
            told[begin:end] = 0
        return told.tobytes()

    def _hold(self, words: str) -> None:
        if words:
            raise _WrongError(f"{self.doing} {words}")

    def _hold_to(self, problems: Iterable[Problem]) -> None:
        for text, _ in problems:
            raise _WrongError(text)
