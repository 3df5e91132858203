"""Searches in threads, so many at a time, with their trees within bounds. Start at Runner.submit.

The compiled loop runs without the interpreter lock: the page answers while searches run. Whoever wants to see progress
looks at Job.report from time to time; nothing is pushed.
"""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from ponderosa.core.budget import Budget
from ponderosa.core.errors import LimitError, PonderosaError
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.registry import load_agent
from ponderosa.search.report import Report
from ponderosa.web.catalogue import setting_of, takes, with_setting
from ponderosa.web.elsewhere import wanted
from ponderosa.web.limits import Limits

PREPARERS = 2
"""So many games are made ready, which may compile them, beside the searches."""
WAITING_FACTOR = 4
"""So many searches a session may wait at once."""

WAITING, PREPARING, THINKING, DONE, FAILED = "waiting", "preparing", "thinking", "done", "failed"
T = TypeVar("T")


class Thinker:
    """An agent for one game, made when it is first asked, with the tree that it keeps."""

    def __init__(self, spec: str, game: Game, seed: int | None = None) -> None:
        self.spec = spec
        self.game = game
        self._seed = seed
        self.agent: Any = None
        self.history: list[Any] | None = None
        """The moves to the position that it was asked about last."""
        self.lock = threading.Lock()
        self.gone = False

    def ready(self, limits: Limits) -> Any:
        """The agent, within the limits."""
        if self.agent is None:
            spec = self.spec
            if self._seed is not None and takes(spec, "seed") and setting_of(spec, "seed") is None:
                spec = with_setting(spec, "seed", self._seed)
            with wanted(self.game, spec):
                agent = load_agent(spec, self.game)
            if getattr(agent, "ponders", False):
                raise LimitError("on the page, agents think when it is their turn: leave out ponder")
            self.agent = agent
            bound(self.agent, limits)
        return self.agent

    @property
    def search(self) -> Any:
        """The tree search inside, if there is one."""
        return getattr(self.agent, "search", None)

    @property
    def nodes(self) -> int:
        """How many nodes its tree holds."""
        report = None if self.search is None else self.agent.last_report
        return 0 if report is None else int(report.nodes)

    def finish(self, state: State, limits: Limits) -> None:
        """The game is over: let the agent learn from it, even if it had to be let go of."""
        with self.lock:
            if self.agent is not None or (setting_of(self.spec, "memory") is not None and not self.gone):
                agent = self.ready(limits)
                if hasattr(agent, "finish"):
                    agent.finish(state)

    def forget(self) -> None:
        """Let go of the agent and its tree; the next question makes a new one."""
        with self.lock:
            agent, self.agent, self.history = self.agent, None, None
            if hasattr(agent, "close"):
                agent.close()


def bound(agent: Any, limits: Limits) -> None:
    """Cut an agent's budget down to what is granted."""
    budget = getattr(agent, "budget", None)
    if isinstance(budget, Budget):
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

    def __init__(self, thinker: Thinker, state: State) -> None:
        self.thinker = thinker
        self.state = state
        self.phase = WAITING
        self.report: Report | None = None
        """The latest report; the last one when the search is over."""
        self.action: Any = None
        """What the agent would play, when the search is over."""
        self.error: str | None = None
        """What went wrong, in words."""
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
        self._searches = ThreadPoolExecutor(limits.max_searches, thread_name_prefix="search")
        self._preparers = ThreadPoolExecutor(PREPARERS, thread_name_prefix="prepare")
        self._lock = threading.Lock()
        self._jobs: set[Job] = set()
        self._kept: dict[Thinker, tuple[int, float]] = {}
        """The thinkers with trees that nobody searches now, their nodes, and since when; the one used last at the end.
        """

    def prepare(self, work: Callable[[], T]) -> Future[T]:
        """Do something that may compile, beside the searches."""
        return self._preparers.submit(work)

    def submit(self, thinker: Thinker, state: State) -> Job:
        """Ask a thinker about a position."""
        job = Job(thinker, state.clone())
        with self._lock:
            if len(self._jobs) >= WAITING_FACTOR * self.limits.max_sessions:
                raise LimitError("too many searches are waiting; try again in a moment")
            self._jobs.add(job)
        self._searches.submit(self._run, job)
        return job

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
        if hasattr(thinker.agent, "close"):
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
        with self._lock:
            for job in self._jobs:
                job.cancel()
        self._searches.shutdown(wait=True, cancel_futures=True)
        self._preparers.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job) -> None:
        thinker = job.thinker
        try:
            with thinker.lock:
                if not job.cancelled:
                    self._think(job)
        except PonderosaError as error:
            job.error = str(error)
        except Exception as error:  # an agent's or a game's own mistake must not end the thread in silence
            job.error = f"{type(error).__name__}: {error}"
        finally:
            self._put_away(job)
            job.phase = DONE if job.error is None else FAILED
            job.finished.set()

    def _think(self, job: Job) -> None:
        job.phase = PREPARING
        with self._lock:
            self._kept.pop(job.thinker, None)
        agent = job.thinker.ready(self.limits)
        job.phase, job.thinker.history = THINKING, job.state.history()
        tells = "progress" in inspect.signature(agent.step).parameters
        with wanted(job.thinker.game, job.thinker.spec):
            job.action = agent.step(job.state, progress=job.heard) if tells else agent.step(job.state)
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
