"""One rollout an iteration or five, at Connect Four. Start at Rollouts.run."""

from __future__ import annotations

from dataclasses import replace

from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.compare import counted
from ponderosa.lab.published.duels import Duel, duel_findings
from ponderosa.lab.published.words import listed
from ponderosa.lab.published.works import KIM
from ponderosa.lab.reports.report import Findings
from ponderosa.lab.sweeps.sweep import Mean

ITERATIONS = [10, 50, 100]
FIRST = [counted(wins, 100, draws) for wins, draws in ((62, 0), (64, 0), (71, 4))]
"""Of five rollouts as first player, at 10, 50 and 100 iterations."""
SECOND = [counted(wins, 100, draws) for wins, draws in ((50, 2), (51, 3), (51, 4))]
"""At 50 iterations with 3 draws: its other table has 2, which do not add up to the 100 games."""
TIMES = (3.0, 4.0)
"""How many times the time of one rollout five take."""


class Rollouts(Experiment):
    """Five rollouts an iteration against one."""

    name, title = "rollouts", "One rollout or five at Connect Four"
    question = (
        "How much stronger is a search that plays every leaf out five times than one that does so once, with the same "
        "number of iterations a move and c = 1.4, and how much longer does it take?"
    )
    original = (
        f"{KIM}, chapter 6.2.1: in 100 games a seat, five rollouts won 62, 64 and 71 % as first player and 50, 51 and "
        "51 % as second, at 10, 50 and 100 iterations, and took 3 to 4 times the time. (As second player at 50 "
        "iterations, its table of five rollouts has 2 draws, that of one rollout 3; with 51 games won and 46 lost, "
        "only 3 add up to 100.)"
    )

    def run(self, work: Work) -> Findings:
        """A match for each number of iterations and each agent."""
        games = work.games(tiny=4, quick=800, full=10_000)
        wanted: list[tuple[int, tuple[Mean, Mean]]] = list(
            zip(ITERATIONS, zip(FIRST, SECOND, strict=True), strict=True)
        )
        duels = [
            Duel(f"{iterations} iterations", {"c": "1.4", "iterations": str(iterations)}, theirs)
            for iterations, theirs in work.pick(tiny=wanted[:1], quick=wanted, full=wanted)
        ]
        found = duel_findings(work, "rollouts", (1, 5), duels, games, TIMES)
        iterations = listed([int(duel.settings["iterations"]) for duel in duels])
        question = (
            "How much stronger is a search that plays every leaf out five times than one that does so once, with "
            f"{iterations} iterations a move and c = 1.4, and how much longer does it take?"
        )
        return replace(found, question=question)
