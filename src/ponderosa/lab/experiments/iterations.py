"""Thirty iterations a move or a hundred, at Connect Four. Start at Iterations.run."""

from __future__ import annotations

from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.compare import counted
from ponderosa.lab.published.duels import Duel, duel_findings
from ponderosa.lab.published.works import KIM
from ponderosa.lab.reports.report import Findings

FIRST, SECOND = counted(76 + 78, 200, 1 + 1), counted(69 + 68, 200, 2 + 1)
"""Of 100 iterations, by seat: the two published tests together."""
TIMES = (3.0, 4.0)


class Iterations(Experiment):
    """A hundred iterations against thirty."""

    name, title = "iterations", "Thirty iterations or a hundred at Connect Four"
    question = (
        "How much stronger is a search of 100 iterations a move than one of 30, with five rollouts each and c = 1.4, "
        "and how much longer does it take?"
    )
    original = (
        f"{KIM}, chapter 6.2.2: in two tests of 100 games a seat, 100 iterations won 76 and 78 % as first player and "
        "69 and 68 % as second, and took 3 to 4 times the time. (Its table has 58 instead of 68, against its own list; "
        "with the 31 games that the other won and one draw, 68 adds up to 100.)"
    )

    def run(self, work: Work) -> Findings:
        """A match of each agent."""
        games = work.games(tiny=4, quick=800, full=10_000)
        duels = [Duel("100 against 30", {"c": "1.4", "rollouts": "5"}, (FIRST, SECOND))]
        return duel_findings(work, "iterations", (30, 100), duels, games, TIMES)
