"""The agent that searches. Start at MctsAgent."""

from __future__ import annotations

import contextlib
import inspect
from dataclasses import replace
from typing import Any, ClassVar

from ponderosa.agents.agent import Agent
from ponderosa.agents.clear import UntilClear
from ponderosa.agents.memory import GAME_WEIGHT, MOST_NODES, Memory, check_size, remembering
from ponderosa.agents.ponder import Ponderer
from ponderosa.core.budget import Budget
from ponderosa.core.numbers import check_number
from ponderosa.core.user_files import function_in_file
from ponderosa.errors import IllegalActionError, SettingError
from ponderosa.mcts.engines.evaluator import MOST_LEAVES
from ponderosa.mcts.policies.composition import composed
from ponderosa.mcts.policies.fitting import game_facts
from ponderosa.mcts.report.report import Report
from ponderosa.mcts.search import Progress, Search
from ponderosa.mcts.settings import Evaluate, SearchSettings, takes_settings


class MctsAgent(Agent):
    """Monte Carlo tree search with any policies; the tree is kept from move to move."""

    default_seconds = 1.0
    files: ClassVar[tuple[str, ...]] = ("evaluator", "memory")

    @takes_settings()
    def __init__(
        self,
        game: Any,
        seconds: float | None = None,
        iterations: int | None = None,
        max_nodes: int | None = None,
        reuse: bool = True,
        ponder: bool = False,
        evaluator: str | Evaluate | None = None,
        memory: str | None = None,
        learn: bool = True,
        memory_nodes: int = MOST_NODES,
        game_weight: int = GAME_WEIGHT,
        **settings: Any,
    ) -> None:
        """`settings` are those of SearchSettings, and of the policies: c, epsilon, min_visits, rollouts, per_ply, ...

        An evaluator is a function, or the file and name of one: `./net.py:judge`.
        `memory` is a file in which the tree lasts (ponderosa docs memory): at most `memory_nodes` nodes of it, in which
        a finished game counts like `game_weight` iterations; with learn=False it is only read.
        """
        if (ponder or memory) and type(self).step is not MctsAgent.step:
            raise SettingError("this agent does more than search, and does not ponder or keep a memory; mcts does")
        if memory is not None and not reuse:
            raise SettingError("a memory keeps the tree from move to move: it needs reuse")
        self.paced = seconds is None and iterations is None and max_nodes is None
        if self.paced:
            seconds = self.default_seconds
        self.budget: Budget = Budget(iterations, seconds, max_nodes)
        check_size(memory_nodes, game_weight)
        asked = SearchSettings.of(None, {**settings, "evaluator": evaluator})
        check_number("batch", asked.batch, 1, MOST_LEAVES, whole=True)
        policies = composed(game_facts(game), asked, agent_settings())
        if policies.select.planned and (iterations is None or ponder):
            raise SettingError(f"{policies.select} plans its iterations: it needs iterations=, and does not ponder")
        if memory is not None:
            policies = replace(policies, select=remembering(policies.select, game, asked))
        if isinstance(evaluator, str):
            asked = replace(asked, evaluator=function_in_file(evaluator, "an evaluator"))
        self.search: Search = Search(game, asked.with_policies(policies))
        self.reuse = reuse
        self._ponderer = Ponderer(self.search) if ponder else None
        if ponder and (self.search.engine.viewed or not reuse):
            raise SettingError("ponder keeps the tree for the next move: it needs reuse, and a game where all see all")
        self.memory = None if memory is None else Memory(self.search, memory, learn, memory_nodes, game_weight)
        self._clock = asked.clock
        self._moves: list[Any] | None = None

    def reset(self, seed: int) -> None:
        """As new, with another seed; what is in a memory stays."""
        self._stop_pondering()
        self.search.reset(seed)
        self.last_report, self._moves = None, None
        if self.memory is not None:
            self.memory.begin()

    def step(self, state: Any, progress: Progress | None = None) -> Any:
        """The action that the search prefers."""
        budget, start = self.budget, self._clock()
        self._stop_pondering()
        state = self.seen(state)
        self._follow(state)
        if budget.seconds is not None:
            budget = replace(budget, seconds=max(budget.seconds - (self._clock() - start), 1e-3))
        report = self._search_on(state, budget, progress)
        self._remember()
        self.last_report = self._by_experience(report.lightly())
        action = self.last_report.best_action
        if self._ponderer is not None and self._moves is not None and self._ponderer.start(action, budget.max_nodes):
            self._moves = [*self._moves, action]
        return action

    def _search_on(self, state: Any, budget: Budget, progress: Progress | None) -> Report:
        """Search; by the clock, where time can be saved for later, only until the most visited move is clear."""
        planned, most = self.budget.seconds, self.most_seconds
        saves = planned is not None and most is not None and most > planned
        if not saves or budget.seconds is None or self.search.policies.choose.name != "robust":
            return self.search.run(state, budget, progress=progress)
        early = UntilClear(budget.seconds, progress)
        report = self.search.run(state, budget, progress=early)
        return replace(report, stopped="clear") if early.clear else report

    def think(self, state: Any, progress: Progress | None = None) -> Any:
        return self.step(state, progress)

    @property
    def ponders(self) -> bool:
        return self._ponderer is not None

    def finish(self, state: Any) -> None:
        """A game is over: a memory learns from its result."""
        self._stop_pondering()
        if self.memory is not None:
            self.memory.record(self.seen(state))
        self._moves = None

    def close(self) -> None:
        """End what goes on in the background, and save what was learned."""
        self._stop_pondering()
        if self.memory is not None:
            self.memory.close()

    def _stop_pondering(self) -> None:
        if self._ponderer is not None and self._ponderer.stop():
            self._remember()

    def _by_experience(self, report: Report) -> Report:
        """The report; where a win is proven to be out of reach, a memory prefers what has done best."""
        action = None if self.memory is None else self.memory.preferred(self.search.tree)
        found = next((entry for entry in report.actions if entry.action == action), None)
        return report if found is None else replace(report, best_action=found.action, best_name=found.name)

    def _remember(self) -> None:
        """Keep what the tree knows now."""
        if self.memory is not None and self._moves is not None:
            self.memory.put(self._moves, self.search.tree)

    def seen(self, state: Any) -> Any:
        """The state as the search knows it; for most agents, the same."""
        return state

    def _follow(self, state: Any) -> None:
        """Keep the part of the tree that the moves since the last one lead to."""
        moves = state.history() if hasattr(state, "history") else None
        known = None if self.memory is None else self.memory.take(state)
        if known is not None:
            self.search.adopt(state, known)
        elif not self.reuse or moves is None or self.search.engine.viewed:
            self.search.reset()
        elif self._moves is not None and moves[: len(self._moves)] == self._moves:
            with contextlib.suppress(IllegalActionError):  # whoever set the position up did so by other rules
                for action in moves[len(self._moves) :]:
                    self.search.advance(action)
        self._moves = moves


def agent_settings() -> list[str]:
    """Every setting that the agent itself takes."""
    return [name for name in inspect.signature(MctsAgent).parameters if name not in ("game", "clock", "settings")]
