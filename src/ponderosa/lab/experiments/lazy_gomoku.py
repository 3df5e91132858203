"""Lazy against alpha-beta with threats at Gomoku on its own board. Start at LazyGomoku.run."""

from __future__ import annotations

from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.experiments.strength import (
    Curves,
    asked_about,
    curves,
    notes,
    opponent,
    outcomes,
    points_figure,
    points_table,
    said,
)
from ponderosa.lab.published.compare import compared, counted, difference, elsewhere, percent
from ponderosa.lab.published.words import board_words
from ponderosa.lab.published.works import KENYON, both_ways
from ponderosa.lab.reports.figures import Axis
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, Claim, Findings
from ponderosa.lab.sweeps.sweep import Mean

BOARD = "gomoku"
AGENTS = both_ways(("lazy",))
THEIRS = counted(31, 100)
"""The share of its hundred games that it won."""
ITERATIONS = 1_000_000
"""What its 300 s a move are worth: section 4.2.3 says so of a board of nearly this size."""


class LazyGomoku(Experiment):
    """Wins, draws and losses by iterations."""

    name, title = "lazy-gomoku", "Lazy against alpha-beta at Gomoku"
    question = (
        "What does lazy, the strongest of the published agents, win at Gomoku against alpha-beta with the threats "
        "evaluation? As the original's and as ours."
    )
    original = (
        f"{KENYON}, section 4.2.4: with 300 s a move, lazy won 31 % of 100 games of Freestyle Gomoku against "
        "alpha-beta with the threats evaluation, and with them the tournament, narrowly. How many games were drawn is "
        "not said."
    )

    def run(self, work: Work) -> Findings:
        """A match for each agent and number of iterations."""
        board = work.pick(tiny="connect:m=7,n=7,k=4", quick=BOARD, full=BOARD)
        steps = work.pick(tiny=[20], quick=[10_000, 100_000], full=[30_000, 100_000, 300_000, ITERATIONS])
        games = work.games(tiny=2, quick=20, full=100)
        found = curves(work, board, AGENTS, "iterations", steps, games)
        axis = Axis("iterations a move", "number, logarithmic", log=True)
        chart = points_figure(found, "iterations", axis, f"Points by iterations, {board_words(board)}")
        played = f"{steps[-1]:,} iterations a move at {board_words(board)} against {opponent(work)}"
        full = "minimax:eval=threats,depth=9,branch=13,forced=0,positions=2000000"
        theirs = f"{ITERATIONS:,} iterations a move at {board_words(BOARD)} against {full}"
        claims = elsewhere(_claims(found), played, theirs)
        table = points_table(found, "iterations", "number")
        return asked_about(self, work, board, Findings(said(found), claims, [table], [chart], notes(work, games)))


def _claims(found: Curves) -> list[Claim]:
    """What the original's agent won and lost with the most iterations."""
    won, drawn, lost = outcomes(found["lazy"], len(found["lazy"].points) - 1)
    played = won + drawn + lost
    wins, losses = (counted(count, played) if played else None for count in (won, lost))
    return [
        Claim("Lazy wins 31 % of the games.", f"It won {percent(wins)}.", compared(wins, THEIRS)),
        Claim(
            "Lazy wins more games than it loses.",
            f"It won {won} games, drew {drawn} and lost {lost}.",
            _more(wins, losses),
        ),
    ]


def _more(wins: Mean | None, losses: Mean | None) -> str:
    if wins is None or losses is None:
        return OPEN
    low, high = difference(wins, losses)
    return AGREES if low > 0 else DIFFERS if high < 0 else OPEN
