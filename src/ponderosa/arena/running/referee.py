"""Plays one game and judges it: whoever breaks the rules, crashes or overruns its time loses. Start at Referee.play."""

from __future__ import annotations

import errno
import math
import random
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ponderosa.agents.adapter import as_agent
from ponderosa.agents.agent import Agent
from ponderosa.arena.event import Event
from ponderosa.arena.running.blame import NOTICED, MemoryUse
from ponderosa.arena.running.judge import (
    CRASH,
    ILLEGAL,
    MEMORY,
    RESIGNED,
    TIME,
    TOO_LONG,
    Forfeit,
    Judge,
    Record,
    Task,
    Verdict,
    agent_seeds,
)
from ponderosa.core.checks.rehearsal import raised
from ponderosa.core.clock import Clock, moves_to_come
from ponderosa.core.dice import roll
from ponderosa.core.game import CHANCE, Game
from ponderosa.core.state import State
from ponderosa.errors import (
    ArenaError,
    ForbiddenMoveError,
    GameError,
    IllegalActionError,
    LateError,
    PonderosaError,
    ResignedError,
)

MOST_EFFORT = 10**15
"""No move takes more iterations or nodes; an agent of somebody's own may say anything."""


class Fault(Exception):  # noqa: N818  a result, no error
    """What an agent in a process of its own has done wrong there."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(detail or reason)
        self.reason, self.detail = reason, detail


class Remote(Agent):
    """An agent in a process of its own."""

    def start(self) -> None:
        """See to it that its process is there; that takes its time, and is no part of anything the agent does."""


class Overseer(Protocol):
    """Somebody outside, who ends the process of an agent that hangs."""

    def thinking(self, number: int, seat: int, preparing: bool = False, limit: float = 0.0) -> None:
        """From now on the agent in this seat is at work on a move, or makes itself ready for a game.

        `limit` is how long the move may take by its clock, if it has one.
        """

    def ruling(self) -> None:
        """No agent is at work, only the rules of the game."""

    def rest(self) -> None:
        """What is done now may take its time."""

    def begin(self, opening: list[Any]) -> None:
        """A new game begins, with these moves."""

    def moved(self, action: Any) -> None:
        """A move was made."""


class Nobody:
    """No watch."""

    def thinking(self, number: int, seat: int, preparing: bool = False, limit: float = 0.0) -> None: ...

    def ruling(self) -> None: ...

    def rest(self) -> None: ...

    def begin(self, opening: list[Any]) -> None: ...

    def moved(self, action: Any) -> None: ...


class Referee:
    """Plays the games of an event; agents that can be reset are made once."""

    def __init__(
        self,
        event: Event,
        game: Game | None = None,
        makers: Sequence[Callable[[Any, int], Any] | None] = (),
        watch: Overseer | None = None,
        shown: Game | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """A game, and functions that make agents from game and seed, go before what the event's texts say.

        `shown` is an equal game, if agents are not to get hold of the referee's own.
        """
        from ponderosa.registry import load_game

        self.event = event
        self.game = load_game(event.game) if game is None else game
        self._shown = self.game if shown is None else shown
        given = makers or [None] * len(event.agents)
        self.makers = [make or maker(event.agent_text(agent)) for agent, make in enumerate(given)]
        self.limits = [event.limit(agent) for agent in range(len(event.agents))]
        self._watch: Overseer = watch or Nobody()
        self._alone = watch is None
        self._clock = clock
        self._judge = Judge(event, self.game)
        self._memory = MemoryUse()
        self._held = self._memory.now()
        self._clocks: list[Clock] = []
        """What each seat has left in the game that is played; empty: it is played without clocks."""
        self._agents: dict[int, Agent] = {}
        """Those that can be reset; nobody sits at a table twice, so one of each will do."""

    def rehearse(self) -> None:
        """Try the rules and make every agent once: what cannot be made is known, and compiled, before a game."""
        if self.game.dtype is not None:
            self.game.rules  # noqa: B018  compiled now, which is no rule at work
        self._watch.ruling()
        self._try_rules()
        self._watch.rest()
        for agent, make in enumerate(self.makers):
            made = self._keep(agent, make(self._shown, 0))
            if agent in self._agents:
                made.prepare()

    def _try_rules(self) -> None:
        try:
            state = self.game.new_initial_state()
            state.is_terminal()
            state.legal_actions()
        except Exception as error:
            raise self._broken(error) from error

    @property
    def forfeit(self) -> tuple[float, float]:
        """What a game pays the one who loses it by a fault, and the others."""
        return self._judge.forfeit

    def play(self, number: int, seats: Sequence[int], opening: int, line: str | None) -> Record:
        """One game, from the opening to the end or the first fault. Whatever is no agent's fault is the game's."""
        try:
            return self._play((number, seats, opening, line))
        except Exception as error:
            raise self._broken(error) from error
        finally:
            self._watch.rest()

    def _play(self, task: Task) -> Record:
        number, seats, opening, line = task
        self._watch.ruling()
        state, luck = self._judge.opening(opening, line), self._judge.dice(opening)
        begun = len(state.history())
        self._watch.begin(state.history())
        thoughts: list[list[Any]] = []
        seeds = agent_seeds(self.event, number, seats)
        control = self.event.control
        self._clocks = [] if control is None else [control.start() for _ in seats]
        start, verdict = self._clock(), Verdict()
        try:
            agents = [self._agent(number, seat, seats, seeds[seat]) for seat in range(len(seats))]
            if self._play_on(number, state, seats, agents, thoughts, luck):
                self._tell_end(number, state, seats, agents)
            else:
                verdict = Verdict(TOO_LONG)
        except Forfeit as forfeit:
            verdict = Verdict(forfeit.reason, forfeit.seat, forfeit.detail)
        return self._judge.record(task, seeds, state, begun, verdict, thoughts, round(self._clock() - start, 6))

    def _broken(self, error: Exception) -> Exception:
        """What to say when the game itself goes wrong."""
        if isinstance(error, PonderosaError) or out_of_memory(error):
            return error
        return GameError(f"a rule of {self.game.title()} raised {raised(error)}: no agent's fault, so nobody has lost")

    def _play_on(
        self,
        number: int,
        state: State,
        seats: Sequence[int],
        agents: list[Agent],
        thoughts: list[Any],
        luck: random.Random | None,
    ) -> bool:
        """Take turns until the game is over; False: it would not end."""
        for _ in range(len(state.history()), self._judge.longest):
            if state.is_terminal():
                return True
            seat = state.to_move()
            if seat == CHANCE:
                self._roll(state, luck)
                thoughts.append([CHANCE, 0.0])
                continue
            thoughts.append(self._move(number, state, seat, seats, agents[seat]))
        return bool(state.is_terminal())

    def _tell_end(self, number: int, state: State, seats: Sequence[int], agents: list[Agent]) -> None:
        """Show the last state to the agents that want to learn from it, each once."""
        for seat, agent in enumerate(agents):
            if not agent.finishes or agent in agents[:seat]:
                continue
            self._watch.thinking(number, seat, preparing=True)
            try:
                agent.finish(self._copy(state.clone()))
            except BaseException as error:
                raise self._fault_of(seat, error, seats) from None
            finally:
                self._watch.ruling()

    def _roll(self, state: State, luck: random.Random | None) -> None:
        assert luck is not None
        outcome = roll(state, luck)
        state.apply_action(outcome)
        self._watch.moved(outcome)
        self._watch.ruling()

    def _move(self, number: int, state: State, seat: int, seats: Sequence[int], agent: Agent) -> list[Any]:
        """Let an agent move; what it took and thought: seat, seconds, and iterations, nodes, value if it says."""
        legal = state.legal_actions()
        if not legal:
            raise GameError(f"{self.game.title()} is not over, and there is no legal action")
        shown = self._copy(state.observation(seat))  # without what is hidden
        held = self._held
        self._watch.thinking(number, seat, limit=self._clocks[seat].limit if self._clocks else 0.0)
        begun = self._clock()
        try:
            if self._clocks:
                agent.see_clocks(self._clocks, seat, self._moves_to_come(state))
            action = agent.step(shown)
        except BaseException as error:  # whatever it raises, SystemExit too, is its own fault
            self._memory.note(seats[seat], held, self._clock() - begun)
            raise self._fault_of(seat, error, seats) from None
        finally:
            self._watch.ruling()
        seconds = self._clock() - begun
        if self._alone and _interrupted(agent):
            raise KeyboardInterrupt  # the search has swallowed it and answered early
        if seconds > NOTICED:
            self._memory.note(seats[seat], held, seconds)
            self._held = self._memory.now()
        self._check_time(seat, seats[seat], seconds)
        self._watch.moved(self._applied(state, seat, action, legal))
        return [seat, round(seconds, 6), *effort_of(agent)]

    def _copy(self, state: State) -> State:
        """A copy of a state for an agent, which may play on it, and on its game, and changes nothing."""
        state.game = self._shown
        return state

    def _moves_to_come(self, state: State) -> int:
        return moves_to_come(len(state.history()), self.game.players, self.game.max_game_length)

    def _check_time(self, seat: int, agent: int, seconds: float) -> None:
        if self._clocks:
            self._check_clock(seat, seconds)
        limit = self.limits[agent]
        if limit is not None and seconds > limit + self.event.tolerance:
            words = f"{seconds:.3f} s for a move; the limit is {limit:g} s and {self.event.tolerance:g} s of tolerance"
            raise Forfeit(seat, TIME, words)

    def _check_clock(self, seat: int, seconds: float) -> None:
        """Take a move's time off the clock of whoever made it."""
        clock = self._clocks[seat]
        if seconds > clock.limit + self.event.tolerance:
            words = f"its flag fell: {seconds:.3f} s for a move, with {clock.limit:.3f} s left on the clock"
            raise Forfeit(seat, TIME, words)
        self._clocks[seat] = clock.after(seconds) or clock.after(clock.limit * (1.0 - 1e-9)) or clock

    @staticmethod
    def _applied(state: State, seat: int, action: Any, legal: list[Any]) -> Any:
        """The action that was chosen, as the game has it, played."""
        try:
            action = legal[legal.index(action)] if action in legal else state.legal_action(action)
        except IllegalActionError as error:
            raise Forfeit(seat, ILLEGAL, str(error)) from None
        except Exception as error:  # an action of a type that cannot be compared with others
            raise Forfeit(seat, ILLEGAL, f"{type(action).__name__}: {error}") from None
        state.apply_legal(action)
        return action

    def _agent(self, number: int, seat: int, seats: Sequence[int], seed: int) -> Agent:
        """The agent of a seat as new, and ready: reset if it can be, else made again."""
        self._start(seats[seat])
        self._watch.thinking(number, seat, preparing=True)
        try:
            agent = self._agents.get(seats[seat])
            if agent is not None:
                agent.reset(seed)
            else:
                agent = self._keep(seats[seat], self.makers[seats[seat]](self._shown, seed))
            agent.prepare()
            return agent
        except BaseException as error:
            raise self._fault_of(seat, error, seats) from None
        finally:
            self._watch.ruling()

    def _start(self, number: int) -> None:
        agent = self._agents.get(number)
        if isinstance(agent, Remote):
            self._watch.rest()
            agent.start()

    def _keep(self, number: int, made: Any) -> Agent:
        agent = as_agent(made)
        if agent.resets:
            self._agents[number] = agent
        return agent

    def close(self) -> None:
        """Let the agents that are kept end what they have started."""
        for agent in self._agents.values():
            agent.close()

    def _fault_of(self, seat: int, error: BaseException, seats: Sequence[int]) -> Forfeit:
        if isinstance(error, KeyboardInterrupt) and self._alone:
            raise error  # somebody at the keyboard, no agent
        if isinstance(error, Fault):
            return Forfeit(seat, error.reason, error.detail)
        if out_of_memory(error):
            return Forfeit(seats.index(self._memory.culprit(list(seats), seats[seat])), MEMORY)
        if isinstance(error, ArenaError) or in_a_rule(error, self.game):
            raise error
        words = str(error) if isinstance(error, PonderosaError) else f"{type(error).__name__}: {error}"
        reasons: dict[type[BaseException], str] = {
            ResignedError: RESIGNED,
            ForbiddenMoveError: ILLEGAL,
            LateError: TIME,
        }
        return Forfeit(seat, reasons.get(type(error), CRASH), words)


def maker(text: str) -> Callable[[Any, int], Agent]:
    """A function that makes an agent; its seed is the game's unless the text gives one."""
    from ponderosa.registry import agent_class, make_agent, split_spec, takes

    name, settings = split_spec(text)
    seeded = "seed" not in settings and takes(agent_class(name), "seed")

    def made(game: Game, seed: int) -> Agent:
        return make_agent(name, settings | ({"seed": str(seed)} if seeded else {}), game)

    return made


def out_of_memory(error: BaseException) -> bool:
    """Whether there was no memory left, by whatever name."""
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)


def effort_of(agent: Agent) -> list[Any]:
    """Iterations, nodes, value and proof of the last move, when the agent tells them."""
    try:
        report = agent.last_report
        if report is None:
            return []
        proven = report.proven if report.proven in ("win", "draw", "loss") else None
        effort = [int(report.iterations), int(report.nodes)]
        value = round(float(report.value), 4)
        return [*effort, value, proven] if math.isfinite(value) and _credible(effort) else []
    except Exception:  # an agent of somebody's own may keep anything there
        return []


def _credible(effort: list[int]) -> bool:
    return all(0 <= number <= MOST_EFFORT for number in effort)


def _interrupted(agent: Agent) -> bool:
    """Whether Ctrl-C has ended its search early."""
    try:
        return agent.last_report is not None and bool(agent.last_report.stopped == "interrupted")
    except Exception:  # an agent of somebody's own may keep anything there
        return False


def in_a_rule(error: BaseException | None, game: Game) -> bool:
    """Whether an error arose in one of the rules of a game, and not because of how deep whoever asked it was."""
    if not isinstance(error, Exception) or isinstance(error, RecursionError):
        return False
    rules = {(rule.__code__.co_filename, rule.__code__.co_name) for rule in type(game).own_rules().values()}
    frames = traceback.extract_tb(error.__traceback__)
    return any((frame.filename, frame.name) in rules for frame in frames) or in_a_rule(error.__cause__, game)
