"""Searches in threads, this many at a time, with their trees within bounds. Start at Runner.submit.

The compiled loop runs without the interpreter lock: the page answers while searches run. Whoever wants to see progress
looks at Job.report from time to time; nothing is pushed. A search that goes on after its time is ended: core/watchdog.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from ponderosa.agents.agent import Agent
from ponderosa.core.budget import Budget
from ponderosa.core.clock import Clock
from ponderosa.core.game import Game
from ponderosa.core.spec import split_spec
from ponderosa.core.state import State
from ponderosa.errors import LimitError, PonderosaError, ResignedError
from ponderosa.mcts.report.report import Report
from ponderosa.mcts.search import Search
from ponderosa.registry import load_agent
from ponderosa.system.watchdog import Endable, OverrunError
from ponderosa.web.model.catalogue import setting_of, takes, with_setting
from ponderosa.web.model.compiled_now import Compiled, compiled_now
from ponderosa.web.model.elsewhere import wanted
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.shares import NO_VISITOR, Shares, Visitor

PREPARERS = 2
"""How many games are made ready, which may compile them, beside the searches."""
WAITING_FACTOR = 4
"""How many searches a session may wait at once."""
LOOK_SECONDS = 0.1
"""How often the searches that run are looked at."""
INTERRUPT_SECONDS = 1.0
"""An agent that is told to end has so long to put its things in order."""
CLOSING_SECONDS = 10.0
"""So long a server that ends waits for its searches."""

WAITING, PREPARING, THINKING, DONE, FAILED = "waiting", "preparing", "thinking", "done", "failed"
T = TypeVar("T")
Clocks = tuple[Sequence[Clock], int, int]
"""What `Agent.see_clocks` takes."""


class Thinker:
    """An agent for one game, made when it is first asked, with the tree that it keeps."""

    def __init__(self, spec: str, game: Game, seed: int | None = None) -> None:
        self.spec = spec
        self.game = game
        self._seed = seed
        self.agent: Agent | None = None
        self.history: list[Any] | None = None
        """The moves to the position that it was asked about last."""
        self.iterations: int | None = None
        """So many are searched when it is asked next; None: as its text says."""
        self._lock = threading.Lock()
        self.gone = False
        self.stuck = False
        """Whether its search was given up: then nobody waits for it."""

    def ready(self, limits: Limits) -> Agent:
        """The agent, within the limits."""
        if self.agent is None:
            spec = self.spec
            if self._seed is not None and takes(spec, "seed") and setting_of(spec, "seed") is None:
                spec = with_setting(spec, "seed", self._seed)
            with wanted(self.game, spec):
                agent = load_agent(spec, self.game)
            if agent.ponders:
                raise LimitError("on the page, agents think when it is their turn: leave out ponder")
            self.agent = agent
            bound(self.agent, limits)
        if self.iterations is not None and self.agent.budget is not None:
            self.agent.budget = Budget(self.iterations)
            bound(self.agent, limits)
        return self.agent

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else asks the agent anything meanwhile."""
        while not self._lock.acquire(timeout=LOOK_SECONDS):
            if self.stuck:
                raise LimitError(f"{self.spec} does not come to an end")
        try:
            yield
        finally:
            self._lock.release()

    @property
    def search(self) -> Search | None:
        """The tree search inside, if there is one."""
        return None if self.agent is None else self.agent.search

    @property
    def nodes(self) -> int:
        """How many nodes its tree holds."""
        report = None if self.agent is None or self.agent.search is None else self.agent.last_report
        return 0 if report is None else int(report.nodes)

    def finish(self, state: State, limits: Limits) -> None:
        """The game is over: let the agent learn from it, even if it had to be let go of."""
        if self.stuck:
            return
        with self.alone():
            if self.agent is not None or (setting_of(self.spec, "memory") is not None and not self.gone):
                self.ready(limits).finish(state)

    def forget(self) -> None:
        """Let go of the agent and its tree; the next question makes a new one."""
        if self.stuck:
            return
        with self.alone():
            agent, self.agent, self.history = self.agent, None, None
            if agent is not None:
                agent.close()


def bound(agent: Agent, limits: Limits) -> None:
    """Cut an agent's budget down to what is granted."""
    budget = agent.budget
    if budget is not None:
        seconds = min(budget.seconds or limits.max_seconds, limits.max_seconds)
        agent.budget = Budget(budget.iterations, seconds, min(budget.max_nodes or limits.tree_nodes, limits.tree_nodes))


def try_agent(spec: str, game: Game, limits: Limits) -> None:
    """Make an agent and let it go: a number that makes no sense, or a game that it does not play, is an error now.

    Else it would be one at its first move. It may compile the game, which the first move then finds done.
    """
    thinker = Thinker(spec, game)
    thinker.ready(limits)
    thinker.forget()


class Job:
    """One search that was asked for."""

    def __init__(
        self, thinker: Thinker, state: State, visitor: Visitor = NO_VISITOR, clocks: Clocks | None = None
    ) -> None:
        self.clocks = clocks
        """What the agent is told of the clocks, in a game that is played by them."""
        self.thinker = thinker
        self.state = state
        self.visitor = visitor
        self.work = Endable()
        self.begun = 0.0
        """Since when it thinks."""
        self.interrupted = 0.0
        """When it was last told to end whatever it does."""
        self.given_up = False
        """Whether nobody waits for it any more, though it has not ended."""
        self.phase = WAITING
        self.report: Report | None = None
        """The latest report; the last one when the search is over."""
        self.action: Any = None
        """What the agent would play, when the search is over."""
        self.error: str | None = None
        """What went wrong, in words."""
        self.resigned = False
        """Whether that is that the agent gives up its game."""
        self.finished = threading.Event()
        self._stop = self._cancelled = False

    def cancel(self) -> None:
        """Nobody wants the answer any more: end at once, or never begin."""
        self._stop = self._cancelled = True

    def stop(self) -> None:
        """End the search soon, with the answer that it has."""
        self._stop = True

    @property
    def cancelled(self) -> bool:
        """Whether nobody wants the answer any more."""
        return self._cancelled

    @property
    def compiled(self) -> Compiled | None:
        """What is compiled before it can think."""
        if self.phase == PREPARING:
            return compiled_now()
        return compiled_now(self.thinker.game) if self.phase == THINKING and self.report is None else None

    @property
    def over(self) -> bool:
        """Whether there is an answer, or an error."""
        return self.phase in (DONE, FAILED)

    def heard(self, report: Report) -> bool:
        """Take a progress report; False ends the search."""
        self.report = report
        return not self._stop


class Runner:
    """Runs searches for everybody, within the limits."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits, self._clock = limits, clock
        most_waiting = WAITING_FACTOR * limits.max_sessions
        self._shares: Shares[Job] = Shares(limits.max_searches, limits.spare_searches, most_waiting)
        self._threads: dict[Job, threading.Thread] = {}
        """The searches that run; without those that were given up."""
        self._closed = threading.Event()
        self._watcher: threading.Thread | None = None
        self._endless: set[tuple[str, str]] = set()
        """Games and agents whose machine code has not come back: they are not asked again before it does."""
        self._preparers = ThreadPoolExecutor(PREPARERS, thread_name_prefix="prepare")
        self._lock = threading.Lock()
        self._jobs: set[Job] = set()
        self._kept: dict[Thinker, tuple[int, float]] = {}
        """The thinkers with trees that nobody searches now, their nodes, and since when; the one used last at the end.
        """

    def prepare(self, work: Callable[[], T]) -> Future[T]:
        """Do something that may compile, beside the searches."""
        return self._preparers.submit(work)

    def submit(
        self, thinker: Thinker, state: State, visitor: Visitor = NO_VISITOR, clocks: Clocks | None = None
    ) -> Job:
        """Ask a thinker about a position."""
        job = Job(thinker, state.clone(), visitor, clocks)
        if _kinds(thinker) in self._endless:
            raise LimitError(f"{thinker.spec} has not come to an end in this game, and is not asked again before")
        with self._lock:
            if not self._shares.may_ask(visitor):
                raise LimitError("too many searches are waiting; try again in a moment")
            self._jobs.add(job)
            self._shares.ask(job)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="watchdog", daemon=True)
                self._watcher.start()
        self._begin_due()
        return job

    def _begin_due(self) -> None:
        """Let those searches begin whose turn it is."""
        with self._lock:
            while not self._closed.is_set() and (job := self._shares.next()) is not None:
                thread = threading.Thread(target=self._run, args=(job,), name="search", daemon=True)
                self._threads[job] = thread
                thread.start()

    def forget(self, thinker: Thinker) -> None:
        """Nobody needs this thinker any more."""
        thinker.gone = True
        with self._lock:
            running = [job for job in self._jobs if job.thinker is thinker]
            self._kept.pop(thinker, None)
        for job in running:
            job.cancel()
        if not running:
            self._let_go(thinker)

    def _let_go(self, thinker: Thinker) -> None:
        """Free an agent; one that runs a program may take its time, and nobody waits for that."""
        if thinker.agent is not None:
            self._preparers.submit(thinker.forget)
        else:
            thinker.forget()

    @property
    def busy(self) -> int:
        """How many searches run or wait."""
        return len(self._jobs)

    @property
    def kept_nodes(self) -> int:
        """How many nodes the trees hold that nobody searches now."""
        with self._lock:
            return sum(nodes for nodes, _ in self._kept.values())

    def sweep(self) -> int:
        """Let go of the trees that nobody has searched for long; how many. Their agents begin anew when asked again."""
        since = self._clock() - self.limits.tree_seconds
        with self._lock:
            asked = {job.thinker for job in self._jobs}
            old = [thinker for thinker, (_, used) in self._kept.items() if used < since and thinker not in asked]
            for thinker in old:
                del self._kept[thinker]
        for thinker in old:
            thinker.forget()
        return len(old)

    def close(self) -> None:
        """Stop everything, and end the threads."""
        self._closed.set()
        with self._lock:
            threads = list(self._threads.values())
            for job in self._jobs:
                job.cancel()
        until = time.monotonic() + CLOSING_SECONDS
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        self._preparers.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job) -> None:
        thinker = job.thinker
        try:
            with thinker.alone():
                if not job.cancelled:
                    job.work.run(lambda: self._think(job))
        except OverrunError:
            job.work.leave()
            job.error = self._too_long(job)
            self._drop_agent(thinker)  # it was left in the middle of its work
        except PonderosaError as error:
            job.error, job.resigned = str(error), isinstance(error, ResignedError)
        except Exception as error:  # an agent's or a game's own mistake must not end the thread in silence
            job.error = f"{type(error).__name__}: {error}"
        finally:
            self._end(job)

    def _end(self, job: Job) -> None:
        """A search is over, or given up, whichever comes first."""
        with self._lock:
            self._threads.pop(job, None)
            if job.given_up:
                job.thinker.stuck = False
                self._endless.discard(_kinds(job.thinker))
            else:
                self._shares.done(job)
        self._put_away(job)
        job.phase = DONE if job.error is None else FAILED
        job.finished.set()
        self._begin_due()

    def _drop_agent(self, thinker: Thinker) -> None:
        agent, thinker.agent, thinker.history = thinker.agent, None, None
        if agent is not None:
            self._preparers.submit(agent.close)

    def _watch(self) -> None:
        """Look after the searches that run, until the server ends."""
        while not self._closed.wait(LOOK_SECONDS):
            self._look()

    def _look(self) -> None:
        with self._lock:
            running = [job for job in self._jobs if job.phase == THINKING]
        for job in running:
            if job.work.prepares:
                job.begun = self._clock()
            late = (self._clock() - job.begun - self.limits.max_seconds) / self.limits.overrun_seconds
            if late > 2:
                self._give_up(job)
            elif late > 1 and self._clock() - job.interrupted > INTERRUPT_SECONDS:
                job.interrupted = self._clock()
                job.work.interrupt()
            elif late > 0.5:
                job.stop()

    def _give_up(self, job: Job) -> None:
        """Nothing ends this search: whoever waits for it is told, and others get its place."""
        with self._lock:
            if job not in self._threads:
                return  # it has just ended
            del self._threads[job]
            self._jobs.discard(job)
            self._shares.done(job)
            job.given_up = job.thinker.stuck = True
            self._endless.add(_kinds(job.thinker))
        job.cancel()
        job.work.slow_down()
        job.error, job.phase = self._too_long(job), FAILED
        job.finished.set()
        self._begin_due()

    def _too_long(self, job: Job) -> str:
        return f"{job.thinker.spec} took longer than the {self.limits.max_seconds:g} s that a search may take here"

    def _think(self, job: Job) -> None:
        job.phase = PREPARING
        with self._lock:
            self._kept.pop(job.thinker, None)
        agent = job.thinker.ready(self.limits)
        if job.clocks is not None:
            agent.see_clocks(*job.clocks)
        job.begun, job.thinker.history = self._clock(), job.state.history()
        job.phase = THINKING
        with wanted(job.thinker.game, job.thinker.spec):
            job.action = agent.think(job.state, job.heard)
        if agent.last_report is not None:
            job.report = agent.last_report

    def _put_away(self, job: Job) -> None:
        """Keep the tree while there is room for it; the trees that waited longest go first."""
        dropped: list[Thinker] = []
        with self._lock:
            self._jobs.discard(job)
            if job.thinker.gone:
                dropped.append(job.thinker)
            elif not any(other.thinker is job.thinker for other in self._jobs):
                self._kept[job.thinker] = (job.thinker.nodes, self._clock())
            while sum(nodes for nodes, _ in self._kept.values()) > self.limits.kept_nodes:
                oldest = next(iter(self._kept))
                del self._kept[oldest]
                dropped.append(oldest)
        for thinker in dropped:
            thinker.forget()


def _kinds(thinker: Thinker) -> tuple[str, str]:
    """The names of a game and an agent, whatever their settings."""
    return split_spec(thinker.game.spec)[0], split_spec(thinker.spec)[0]
