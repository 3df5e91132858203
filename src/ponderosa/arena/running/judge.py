"""What a game comes to by its moves: what a referee writes down, and what is checked by replaying. Start at Judge."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from ponderosa.arena.event import Event, draw
from ponderosa.arena.openings import opening_state
from ponderosa.arena.results.equal_games import Canon
from ponderosa.core.dice import roll
from ponderosa.core.game import CHANCE, Game
from ponderosa.core.notation import move_names, read_action
from ponderosa.core.state import State

Record = dict[str, Any]
"""A game that was played, as plain values: see Judge.record."""
Task = Sequence[Any]
"""A game to play: number, seats, opening, and the opening's move list or None."""

FINISHED, TOO_LONG = "finished", "too long"
ILLEGAL, CRASH, TIME, HANG, MEMORY, RESIGNED = FAULTS = (
    *("illegal move", "crash", "time", "hang", "out of memory"),
    "resignation",
)
LONGEST = 10_000
"""A game without a declared length that has more moves is a draw."""


class Forfeit(Exception):  # noqa: N818  a result, no error
    """An agent has lost the game by its own fault, or given it up."""

    def __init__(self, seat: int, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.seat, self.reason = seat, reason
        self.detail = detail[:500].encode(errors="replace").decode()  # halves of characters cannot be stored


class Verdict(NamedTuple):
    """How a game ended."""

    reason: str = FINISHED
    """FINISHED, TOO_LONG, or one of FAULTS."""
    fault: int | None = None
    """The seat that has lost by its own fault."""
    detail: str = ""
    """What it did, in words."""


class Judge:
    """Knows an event and the rules of its game, and no agent."""

    def __init__(self, event: Event, game: Game) -> None:
        self.event, self.game = event, game
        self.longest = min(game.max_game_length or LONGEST, game.longest)
        self._canon = Canon(game)

    def opening(self, opening: int, line: str | None) -> State:
        """The state that a game begins with."""
        return opening_state(self.game, self.event.openings, line, draw(self.event.seed, "opening", opening))

    def dice(self, opening: int) -> random.Random | None:
        """The dice of a game: all games of a group have the same ones."""
        return random.Random(draw(self.event.seed, "dice", opening)) if self.game.chance else None

    @property
    def forfeit(self) -> tuple[float, float]:
        """What a game pays the one who loses it by a fault, and the others; where it has no bounds, nothing."""
        low, high = self.game.min_utility, self.game.max_utility
        return low if math.isfinite(low) else min(0.0, high), high if math.isfinite(high) else max(0.0, low)

    def record(
        self,
        task: Task,
        seeds: list[int],
        state: State,
        opening: int,
        verdict: Verdict,
        thoughts: list[list[Any]],
        seconds: float,
    ) -> Record:
        """A game that led to a state, of whose moves the first ones are the opening."""
        number, seats = task[0], list(task[1])
        returns = self._returns(state, verdict)
        return {
            "number": number,
            "seats": seats,
            "seeds": seeds,
            "reason": verdict.reason,
            "detail": verdict.detail,
            "fault": verdict.fault,
            "returns": returns,
            "scores": scores(returns),
            "opening": opening,
            "moves": _plain_moves(state),
            "thoughts": thoughts,
            "efforts": _efforts(thoughts, len(seats)),
            "canon": "" if self._drawn_anew(seats) else self._canon.of(state.history()),
            "seconds": seconds,
        }

    def doubt(self, task: Task, told: Any) -> str:
        """Why a record cannot be what came of a game by the rules; nothing when it can."""
        try:
            number, seats, opening, line = task
            seeds = agent_seeds(self.event, number, seats)
            state, luck = self.opening(opening, line), self.dice(opening)
            begun = len(state.history())
            for move in told["moves"][begun:]:
                state.apply_action(self._action(state, move, luck))
            verdict = Verdict(told["reason"], told["fault"], told["detail"])
            if not self._can_end_so(state, verdict):
                return f"game {number} had not ended as it is told"
            replayed = self.record(task, seeds, state, begun, verdict, told["thoughts"], told["seconds"])
            differing = [name for name in {**replayed, **told} if replayed.get(name) != told.get(name)]
            return f"in game {number}, {' and '.join(differing)} differ when its moves are replayed" * bool(differing)
        except Exception as error:  # what is told may be anything
            return f"its moves cannot be replayed: {type(error).__name__}: {error}"

    def _action(self, state: State, move: Any, luck: random.Random | None) -> Any:
        """What a move of a record stands for; where dice decide, what they show."""
        if luck is not None and state.to_move() == CHANCE:
            return roll(state, luck)
        return read_action(self.game, move, state) if isinstance(move, str) else move

    def _can_end_so(self, state: State, verdict: Verdict) -> bool:
        over = bool(state.is_terminal())
        if verdict.fault is not None:
            return verdict.reason in FAULTS and verdict.fault in range(self.game.players)
        if verdict.reason == TOO_LONG:
            return not over and len(state.history()) >= self.longest
        return over and verdict.reason == FINISHED

    def _returns(self, state: State, verdict: Verdict) -> list[float]:
        low, high = self.forfeit
        if verdict.fault is not None:
            return [low if seat == verdict.fault else high for seat in range(self.game.players)]
        if verdict.reason == TOO_LONG:
            return [low if self.game.players == 1 else (low + high) / 2] * self.game.players
        return [float(value) for value in state.returns()]

    def _drawn_anew(self, seats: Sequence[int]) -> bool:
        """Whether a game that comes out like an earlier one is a result of its own, and not the same one again.

        Dice are rolled anew for each game, and where things are hidden good players choose at random: to count equal
        games once would give unlikely ones too much weight.
        """
        seeded = all(self.event.own_seeds[agent] is not None for agent in seats)
        return bool(self.game.chance or (self.game.viewed and not seeded))


def scores(returns: list[float]) -> list[float]:
    """What each seat scores, from 0 to 1: the share of the others that it left behind, half for a tie."""
    if len(returns) == 2:
        first, second = returns
        return [0.5, 0.5] if first == second else [1.0, 0.0] if first > second else [0.0, 1.0]
    if len(returns) == 1:
        return [0.5]  # nobody to be compared with yet
    others = len(returns) - 1
    beaten = [sum(mine > value for value in returns) for mine in returns]
    tied = [sum(mine == value for value in returns) - 1 for mine in returns]
    return [(more + same / 2) / others for more, same in zip(beaten, tied, strict=True)]


def _efforts(thoughts: list[list[Any]], seats: int) -> list[list[Any]]:
    """A seat: how many moves, their seconds, iterations and nodes."""
    efforts: list[list[Any]] = [[0, 0.0, 0, 0] for _ in range(seats)]
    for seat, seconds, *told in thoughts:
        if seat == CHANCE:
            continue
        effort = efforts[seat]
        effort[0] += 1
        effort[1] += seconds
        if told:
            effort[2] += told[0]
            effort[3] += told[1]
    return efforts


def _plain_moves(state: State) -> list[Any]:
    """The moves as JSON keeps them: numbers as they are, else as people write them."""
    moves = state.history()
    numbers = all(type(move) is int for move in moves)
    return list(moves) if numbers else list(move_names(state))


def forfeited(
    event: Event,
    number: int,
    seats: list[int],
    forfeit: Forfeit,
    moves: list[int],
    opening: int,
    pays: Sequence[float] = (-1.0, 1.0),
) -> Record:
    """The record of a game whose process had to be ended: of its moves, those that were seen from outside are left.

    `pays` is what the one at fault gets, and what the others get.
    """
    returns = [float(pays[0] if seat == forfeit.seat else pays[1]) for seat in range(len(seats))]
    return {
        "number": number,
        "seats": seats,
        "seeds": agent_seeds(event, number, seats),
        "reason": forfeit.reason,
        "detail": forfeit.detail,
        "fault": forfeit.seat,
        "returns": returns,
        "scores": scores(returns),
        "opening": opening,
        "moves": moves,
        "thoughts": [],
        "efforts": [[0, 0.0, 0, 0] for _ in seats],
        "canon": "",
        "seconds": 0.0,
    }


def agent_seeds(event: Event, number: int, seats: Sequence[int]) -> list[int]:
    """The seed of the agent in each seat: its own if its text gives one, else the game's."""
    drawn = (draw(event.seed, "agent", number, seat) for seat in range(len(seats)))
    own = (event.own_seeds[agent] for agent in seats)
    return [mine if theirs is None else theirs for mine, theirs in zip(drawn, own, strict=True)]
