"""Plays one game and judges it: whoever breaks the rules, crashes or overruns its time loses. Start at Referee.play."""

from __future__ import annotations

import errno
import math
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ponderosa.arena.event import Event, draw
from ponderosa.arena.memory import NOTICED, Memory
from ponderosa.arena.openings import opening_state
from ponderosa.arena.symmetry import Canon
from ponderosa.core.dice import roll
from ponderosa.core.errors import IllegalActionError, PonderosaError
from ponderosa.core.game import CHANCE
from ponderosa.core.notation import move_names

Record = dict[str, Any]
"""A game that was played, as plain values: see Referee.play."""

FINISHED = "finished"
ILLEGAL, CRASH, TIME, HANG, MEMORY = "illegal move", "crash", "time", "hang", "out of memory"
LONGEST = 10_000
"""A game without a declared length that has more moves is a draw."""
TOO_LONG = "too long"


class Forfeit(Exception):  # noqa: N818  a result, no error
    """An agent has lost the game by its own fault."""

    def __init__(self, seat: int, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.seat, self.reason, self.detail = seat, reason, detail[:500]


class Watch(Protocol):
    """Somebody outside, who ends the process of an agent that hangs."""

    def thinking(self, number: int, seat: int, preparing: bool = False) -> None:
        """From now on the agent in this seat is at work on a move, or makes itself ready for a game."""

    def idle(self) -> None:
        """Nobody is at work."""

    def begin(self, opening: list[Any]) -> None:
        """A new game begins, with these moves."""

    def moved(self, action: Any) -> None:
        """A move was made."""


class Nobody:
    """No watch."""

    def thinking(self, number: int, seat: int, preparing: bool = False) -> None: ...

    def idle(self) -> None: ...

    def begin(self, opening: list[Any]) -> None: ...

    def moved(self, action: Any) -> None: ...


class Referee:
    """Plays the games of an event; agents that can be reset are made once."""

    def __init__(
        self,
        event: Event,
        game: Any = None,
        makers: Sequence[Callable[[Any, int], Any] | None] = (),
        watch: Watch | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """A game, and functions that make agents from game and seed, go before what the event's texts say."""
        from ponderosa.registry import load_game

        self.event = event
        self.game = load_game(event.game) if game is None else game
        given = makers or [None] * len(event.agents)
        self.makers = [make or _maker(event.agent_text(agent)) for agent, make in enumerate(given)]
        self.limits = [event.limit(agent) for agent in range(len(event.agents))]
        self.longest = min(self.game.max_game_length or LONGEST, self.game.longest)
        self._watch: Watch = watch or Nobody()
        self._alone = watch is None
        self._clock = clock
        self._canon = Canon(self.game)
        self._memory = Memory()
        self._held = self._memory.now()
        self._agents: dict[int, Any] = {}
        """Those that can be reset; nobody sits at a table twice, so one of each will do."""

    def rehearse(self) -> None:
        """Make every agent once, so that what cannot be made is known, and compiled, before the first game."""
        state = self.game.new_initial_state()
        state.legal_actions()
        for agent, make in enumerate(self.makers):
            self._keep(agent, make(self.game, 0))

    def play(self, number: int, seats: Sequence[int], opening: int, line: str | None) -> Record:
        """One game, from the opening to the end or the first fault."""
        seeds = agent_seeds(self.event, number, seats)
        state = opening_state(self.game, self.event.openings, line, draw(self.event.seed, "opening", opening))
        luck = self._dice(opening)
        begun = len(state.history())
        self._watch.begin(state.history())
        thoughts: list[list[Any]] = []
        start = self._clock()
        reason, detail, fault = FINISHED, "", None
        try:
            agents = [self._agent(number, seat, seats, seeds[seat]) for seat in range(len(seats))]
            if self._play_on(number, state, seats, agents, thoughts, luck):
                self._tell_end(number, state, seats, agents)
            else:
                reason = TOO_LONG
        except Forfeit as forfeit:
            reason, detail, fault = forfeit.reason, forfeit.detail, forfeit.seat
        returns = self._returns(state, reason, fault)
        return {
            "number": number,
            "seats": list(seats),
            "seeds": seeds,
            "reason": reason,
            "detail": detail,
            "fault": fault,
            "returns": returns,
            "scores": scores(returns),
            "opening": begun,
            "moves": _plain_moves(state),
            "thoughts": thoughts,
            "efforts": _efforts(thoughts, len(seats)),
            "canon": "" if self._drawn_anew(seats) else self._canon.of(state.history()),
            "seconds": round(self._clock() - start, 6),
        }

    def _drawn_anew(self, seats: Sequence[int]) -> bool:
        """Whether a game that comes out like an earlier one is a result of its own, and not the same one again.

        Dice are rolled anew for each game, and where things are hidden good players choose at random: to count equal
        games once would give unlikely ones too much weight.
        """
        seeded = all(self.event.own_seeds[agent] is not None for agent in seats)
        return bool(self.game.chance or (self.game.viewed and not seeded))

    def _play_on(
        self,
        number: int,
        state: Any,
        seats: Sequence[int],
        agents: list[Any],
        thoughts: list[Any],
        luck: random.Random | None,
    ) -> bool:
        """Take turns until the game is over; False: it would not end."""
        for _ in range(len(state.history()), self.longest):
            if state.is_terminal():
                return True
            seat = state.to_move()
            if seat == CHANCE:
                self._roll(state, luck)
                thoughts.append([CHANCE, 0.0])
                continue
            thoughts.append(self._move(number, state, seat, seats, agents[seat]))
        return bool(state.is_terminal())

    def _tell_end(self, number: int, state: Any, seats: Sequence[int], agents: list[Any]) -> None:
        """Show the last state to the agents that want to learn from it, each once."""
        for seat, agent in enumerate(agents):
            if not hasattr(agent, "finish") or any(agent is other for other in agents[:seat]):
                continue
            self._watch.thinking(number, seat, preparing=True)
            try:
                agent.finish(state.clone())
            except BaseException as error:
                raise self._fault_of(seat, error, seats) from None
            finally:
                self._watch.idle()

    def _dice(self, opening: int) -> random.Random | None:
        """The dice of a game: all games of a group have the same ones."""
        return random.Random(draw(self.event.seed, "dice", opening)) if self.game.chance else None

    def _roll(self, state: Any, luck: random.Random | None) -> None:
        assert luck is not None
        state.apply_action(roll(state, luck))
        self._watch.moved(state.history()[-1])

    def _move(self, number: int, state: Any, seat: int, seats: Sequence[int], agent: Any) -> list[Any]:
        """Let an agent move; what it took and thought: seat, seconds, and iterations, nodes, value if it says."""
        shown = state.observation(seat)  # a copy without what is hidden: an agent that plays on it changes nothing
        held = self._held
        self._watch.thinking(number, seat)
        begun = self._clock()
        try:
            action = agent.step(shown)
        except BaseException as error:  # whatever it raises, SystemExit too, is its own fault
            self._memory.note(seats[seat], held, self._clock() - begun)
            raise self._fault_of(seat, error, seats) from None
        finally:
            self._watch.idle()
        seconds = self._clock() - begun
        if self._alone and getattr(getattr(agent, "last_report", None), "stopped", "") == "interrupted":
            raise KeyboardInterrupt  # the search has swallowed it and answered early
        if seconds > NOTICED:
            self._memory.note(seats[seat], held, seconds)
            self._held = self._memory.now()
        self._check_time(seat, seats[seat], seconds)
        self._apply(state, seat, action)
        self._watch.moved(state.history()[-1])
        return [seat, round(seconds, 6), *_effort(agent)]

    def _check_time(self, seat: int, agent: int, seconds: float) -> None:
        limit = self.limits[agent]
        if limit is not None and seconds > limit + self.event.tolerance:
            words = f"{seconds:.3f} s for a move; the limit is {limit:g} s and {self.event.tolerance:g} s of tolerance"
            raise Forfeit(seat, TIME, words)

    @staticmethod
    def _apply(state: Any, seat: int, action: Any) -> None:
        try:
            state.apply_action(action)
        except IllegalActionError as error:
            raise Forfeit(seat, ILLEGAL, str(error)) from None
        except Exception as error:  # an action of a type that the game's rules trip over
            raise Forfeit(seat, ILLEGAL, f"{type(action).__name__}: {error}") from None

    def _agent(self, number: int, seat: int, seats: Sequence[int], seed: int) -> Any:
        """The agent of a seat as new, and ready: reset if it can be, else made again."""
        self._watch.thinking(number, seat, preparing=True)
        try:
            agent = self._agents.get(seats[seat])
            if agent is not None:
                agent.reset(seed)
            else:
                agent = self._keep(seats[seat], self.makers[seats[seat]](self.game, seed))
            if hasattr(agent, "prepare"):
                agent.prepare()
            return agent
        except BaseException as error:
            raise self._fault_of(seat, error, seats) from None
        finally:
            self._watch.idle()

    def _keep(self, number: int, agent: Any) -> Any:
        if hasattr(agent, "reset"):
            self._agents[number] = agent
        return agent

    def close(self) -> None:
        """Let the agents that are kept end what they have started."""
        for agent in self._agents.values():
            if hasattr(agent, "close"):
                agent.close()

    def _fault_of(self, seat: int, error: BaseException, seats: Sequence[int]) -> Forfeit:
        if isinstance(error, KeyboardInterrupt) and self._alone:
            raise error  # somebody at the keyboard, no agent
        if out_of_memory(error):
            return Forfeit(seats.index(self._memory.culprit(list(seats), seats[seat])), MEMORY)
        words = str(error) if isinstance(error, PonderosaError) else f"{type(error).__name__}: {error}"
        return Forfeit(seat, CRASH, words)

    @property
    def forfeit(self) -> tuple[float, float]:
        """What a game pays the one who loses it by a fault, and the others; where it has no bounds, nothing."""
        low, high = self.game.min_utility, self.game.max_utility
        return low if math.isfinite(low) else min(0.0, high), high if math.isfinite(high) else max(0.0, low)

    def _returns(self, state: Any, reason: str, fault: int | None) -> list[float]:
        low, high = self.forfeit
        if fault is not None:
            return [low if seat == fault else high for seat in range(self.game.players)]
        if reason == TOO_LONG:
            return [low if self.game.players == 1 else (low + high) / 2] * self.game.players
        return [float(value) for value in state.returns()]


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


def _maker(text: str) -> Callable[[Any, int], Any]:
    """A function that makes an agent; its seed is the game's unless the text gives one."""
    from ponderosa.registry import agent_class, make, split_spec, takes

    name, settings = split_spec(text)
    kind = agent_class(name)
    seeded = "seed" not in settings and takes(kind, "seed")

    def made(game: Any, seed: int) -> Any:
        return make(f"agent {name}", kind, settings | ({"seed": str(seed)} if seeded else {}), game)

    return made


def out_of_memory(error: BaseException) -> bool:
    """Whether there was no memory left, by whatever name."""
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)


def _effort(agent: Any) -> list[Any]:
    """Iterations, nodes, value and proof of the last move, when the agent tells them."""
    report = getattr(agent, "last_report", None)
    if report is None:
        return []
    try:
        proven = report.proven if report.proven in ("win", "draw", "loss") else None
        return [int(report.iterations), int(report.nodes), round(float(report.value), 4), proven]
    except Exception:  # an agent of somebody's own may keep anything there
        return []


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


def _plain_moves(state: Any) -> list[Any]:
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
