"""A tree over the best cells, and proofs by threats, for every board of the Connect family. Start at StrongTree."""

from __future__ import annotations

import heapq
from dataclasses import replace
from typing import Any

from ponderosa.agents.connect.named import needs_connect
from ponderosa.agents.mcts import MctsAgent
from ponderosa.connect.evaluations import worth_of
from ponderosa.connect.tactical import MOST_CHOSEN, TacticalConnect
from ponderosa.connect.threats.prover import Prover
from ponderosa.connect.threats.turn_prover import TurnProver
from ponderosa.core.bounds import LOSS, WIN, is_settled
from ponderosa.core.game import Game
from ponderosa.core.state import State
from ponderosa.mcts.report.report import Report
from ponderosa.mcts.search import Progress
from ponderosa.mcts.tree.node import ROOT

TURNS = 6
"""Into this many parts the time is cut; in each, first the tree grows, then positions in it are proven."""
PROOF_SHARE, ANSWER_SHARE = 0.2, 0.2
"""Of the time: for proofs in the tree, and at most for the refutation of answers at the root before it grows."""
EFFORT_A_SECOND = 1_000_000
"""A prover does more in a second: what is begun late ends in time."""
FIRST_SHARE = 0.1
"""Of the time, so much effort at most is for a win at the root, and as much for a win of the opponent's."""
FIRST_EFFORT = 30_000
"""The same, when no time is given."""
LEAST_EFFORT, MOST_EFFORT = 1_000, 64_000
"""Answers at the root are refuted with more and more effort, from the one to the other."""
EFFORT_A_VISIT = 4
"""The effort of a proof for each visit of its position."""
LEAST_VISITS = 24
"""Positions with fewer visits are not looked at more closely."""
ENDS = ("solved", "interrupted", "nodes", "progress")
"""What ends not only a turn."""


class StrongTree(MctsAgent):
    """The best cells, static values backed up as in minimax, and wins by threats.

    If the opponent threatens to win by threats, only moves that disturb that win are considered. The more often the
    tree visits a position, the deeper threats are searched there; what is proven enters the tree.
    """

    def __init__(
        self,
        game: Game,
        seconds: float | None = None,
        iterations: int | None = None,
        branch: int = 10,
        effort: int = 60,
        root_effort: int = 60,
        threes: int = 0,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        """`branch`, `effort`, `root_effort` and `threes` are those of connect/tactical.py."""
        connect = needs_connect("strong", game)
        self.twin = TacticalConnect.of(connect, branch=branch, effort=effort, root_effort=root_effort, threes=threes)
        self.prover = Prover(connect) if connect.p == 1 else TurnProver(connect)
        self._start = 0.0
        self._looked: dict[int, int] = {}  # by node: its visits when threats were searched there last
        own = {"reuse": False, **self.judged(), **settings}
        super().__init__(self.twin, seconds=seconds, iterations=iterations, seed=seed, **own)

    def judged(self) -> dict[str, Any]:
        """How leaves are judged, and the tree grows by it: by static values, backed up as in minimax."""
        return {"max_length": 0, "at_cutoff": "evaluate", "c": 0.05, "backup": "best"}

    def seen(self, state: State) -> Any:
        return self.twin.state_after(state.history())

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.prover.forget()

    def step(self, state: State, progress: Progress | None = None) -> Any:
        """The first move of a win by threats, else the move that the tree prefers with all that is proven of it."""
        self._start = self._clock()
        self._looked.clear()
        position = self.seen(state)
        if position.is_terminal() and not state.is_terminal():
            self.last_report = None
            return state.legal_actions()[0]  # nobody can win any more: any move will do
        self._follow(position)
        moves, first = position.history(), self._affordable(FIRST_SHARE, FIRST_EFFORT)
        win = self.prover.winning_move(moves, first)
        answers = None if win >= 0 else self.prover.answers(moves, first)
        if answers is not None:
            _leave_only(position, self._not_refuted(position, answers))
        report = self.search.run(position, iterations=1)
        report = _winning(report, win) if win >= 0 else self._think(moves, report, progress)
        self.last_report = replace(report.lightly(), seconds=self._clock() - self._start)
        return report.best_action

    def _affordable(self, share: float, effort: int) -> int:
        """An effort that ends when this share of the time is over; the given one, if there is no clock."""
        if self.budget.seconds is None:
            return effort
        left = self._start + share * self.budget.seconds - self._clock()
        return max(0, min(effort if share != FIRST_SHARE else EFFORT_A_SECOND, int(left * EFFORT_A_SECOND)))

    def _not_refuted(self, position: Any, answers: list[int]) -> list[int]:
        """Those of the answers that are not refuted with more and more effort; the hardest to refute, if all are."""
        moves = position.history()
        answers = sorted(answers, key=lambda action: -worth_of(position.record, action))
        hardest, hardness, effort = answers[:1], 0, LEAST_EFFORT
        while answers and effort <= MOST_EFFORT:
            refuted = set()
            for action in answers:
                most = self._affordable(ANSWER_SHARE, effort)
                if most > 0 and self.prover.winning_move([*moves, action], most) >= 0:
                    refuted.add(action)
                    if self.prover.used > hardness:
                        hardest, hardness = [action], self.prover.used
            answers, effort = [action for action in answers if action not in refuted], effort * 4
        return answers or hardest

    def _think(self, moves: list[int], report: Report, progress: Progress | None) -> Report:
        """Let tree and proofs take turns."""
        done, stopped, turn = report.iterations, report.stopped if report.stopped in ENDS else "", 0
        while not stopped:
            turn += 1
            try:
                report = self._grow(turn, progress)
                done += report.iterations
                stopped = report.stopped if turn == TURNS or report.stopped in ENDS else ""
                if report.stopped not in ENDS and self.search.solve:
                    self._prove(moves, turn, EFFORT_A_VISIT * report.iterations)
            except KeyboardInterrupt:
                stopped = "interrupted"
        return replace(self.search.report(), iterations=done, stopped=stopped)

    def _grow(self, turn: int, progress: Progress | None) -> Report:
        """Let the tree grow for its share of a turn."""
        budget, seconds, iterations = self.budget, None, None
        if budget.seconds is not None:
            until = self._start + (turn - PROOF_SHARE) * budget.seconds / TURNS
            seconds = max(until - self._clock(), 1e-3)
        if budget.iterations is not None:
            iterations = max(1, turn * int(budget.iterations) // TURNS - (turn - 1) * int(budget.iterations) // TURNS)
        return self.search.run(iterations=iterations, seconds=seconds, max_nodes=budget.max_nodes, progress=progress)

    def _prove(self, moves: list[int], turn: int, effort: int) -> None:
        """Look more closely at the positions that the tree visits most, until the turn or the effort is over."""
        nodes = self.search.tree.nodes
        looked = self._looked
        queue: list[tuple[int, tuple[int, ...]]] = [(0, (ROOT,))]
        while queue and effort > 0 and not is_settled(nodes[ROOT]["proven"]):
            path = heapq.heappop(queue)[1]
            node, visits = nodes[path[-1]], int(nodes[path[-1]]["visits"])
            if len(path) > 1 and visits >= 2 * looked.get(path[-1], 0) and not is_settled(node["proven"]):
                looked[path[-1]] = visits
                most = self._affordable(turn / TURNS, EFFORT_A_VISIT * visits)
                effort -= most if most > 0 else effort
                self._settle(moves, path, most)
            if is_settled(node["proven"]):
                continue
            for child in range(int(node["first"]), int(node["first"]) + int(node["count"])):
                if nodes[child]["visits"] >= LEAST_VISITS:
                    heapq.heappush(queue, (-int(nodes[child]["visits"]), (*path, child)))

    def _settle(self, moves: list[int], path: tuple[int, ...], effort: int) -> None:
        """Enter what threats prove of a node."""
        nodes = self.search.tree.nodes
        line = [*moves, *(int(nodes[step]["action"]) for step in path[1:])]
        found = self.prover.proven(line, effort) if effort > 0 else 0
        if found != 0:
            for_mover = nodes[path[-1]]["mover"] == self.twin.turn(len(line))[0]
            self.search.settle(path, WIN if (found > 0) == for_mover else LOSS)


def _leave_only(position: Any, answers: list[int]) -> None:
    """Let a search consider only these moves at its root; nothing is concluded from them alone."""
    if len(answers) <= MOST_CHOSEN:
        position.record.chosen[: len(answers)] = answers
        position.record.choices = len(answers)


def _winning(report: Report, action: int) -> Report:
    """The report with a best action that wins."""
    entry = next(entry for entry in report.actions if entry.action == action)
    return replace(report, best_action=action, best_name=entry.name, value=1.0, proven="win", stopped="solved")
