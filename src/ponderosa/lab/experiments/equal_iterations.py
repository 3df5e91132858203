"""Slow, medium and fast with equal iterations: one search, made three ways. Start at EqualIterations.run."""

from __future__ import annotations

from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.experiments.strength import asked_about, curves, notes, points_figure, points_table, said
from ponderosa.lab.published.compare import elsewhere, equal, percent, together
from ponderosa.lab.published.words import board_words
from ponderosa.lab.published.works import KENYON, KENYON_SETTINGS
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import Claim, Findings
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.ranges import with_settings
from ponderosa.lab.sweeps.sweep import Mean

BOARD = "connect:m=12,n=12,k=5"
AGENTS = {name: with_settings(name, KENYON_SETTINGS) for name in ("slow", "medium", "fast")}
PAIRS = (("slow", "fast"), ("medium", "fast"))


class EqualIterations(Experiment):
    """Points against alpha-beta, and against each other."""

    name, title = "equal-iterations", "Slow, medium and fast with equal iterations"
    question = (
        "Slow and medium are the search of fast over lists, in the tree and the playouts or in the tree alone. Are the "
        "three as strong as each other with the same number of iterations? They play alpha-beta with the threats "
        "evaluation, and fast."
    )
    original = (
        f"{KENYON}, figure 4.3: with equal iterations on the first move, the three fare alike against alpha-beta with "
        "the threats evaluation; slow and medium are measured for few iterations only, because they take too long."
    )

    def run(self, work: Work) -> Findings:
        """Three curves and two matches."""
        board = work.pick(tiny="tictactoe", quick=BOARD, full=BOARD)
        steps = work.pick(tiny=[5], quick=[10, 30], full=[30, 100, 300, 1000])
        games = work.games(tiny=2, quick=16, full=200)
        found = curves(work, board, AGENTS, "iterations", steps, games)
        direct = {
            (one, other): [
                Mean.of(work.match(board, *_both(one, other, number), 2 * games, count_repeats=True).elo)
                for number in steps
            ]
            for one, other in PAIRS
        }
        axis = Axis("iterations a move", "number, logarithmic", log=True)
        chart = points_figure(found, "iterations", axis, f"Points by iterations, {board_words(board)}")
        tables = [points_table(found, "iterations", "number"), _table(direct, steps)]
        claims = elsewhere([_claim(direct, steps)], board_words(board), board_words(BOARD))
        more = [*notes(work, games), f"Against fast, slow and medium play {2 * games} games with each number."]
        return asked_about(
            self, work, board, Findings(said(found), claims, tables, [chart, _figure(direct, steps, axis)], more)
        )


def _both(one: str, other: str, iterations: int) -> tuple[str, str]:
    first, second = (with_settings(AGENTS[name], {"iterations": str(iterations)}) for name in (one, other))
    return first, second


def _claim(direct: dict[tuple[str, str], list[Mean | None]], steps: list[int]) -> Claim:
    """What is surely near half of the points against fast is as strong."""
    verdict = together(equal(score) for scores in direct.values() for score in scores)
    told = "; ".join(
        f"{one} against {other} {percent(score)} with {number:,}"
        for (one, other), scores in direct.items()
        for number, score in zip(steps, scores, strict=True)
    )
    return Claim("The three are as strong with equal iterations.", f"{told} iterations.", verdict)


def _figure(direct: dict[tuple[str, str], list[Mean | None]], steps: list[int], axis: Axis) -> Chart:
    series = [Series.of(one, steps, scores, 100) for (one, _), scores in direct.items()]
    return Chart("direct", "Scores against fast", axis, Axis("score", "%"), series, level=50.0)


def _table(direct: dict[tuple[str, str], list[Mean | None]], steps: list[int]) -> Table:
    rows = [
        {"agent": one, "against": other, "iterations": number} | with_interval("score", "%", score, 100)
        for (one, other), scores in direct.items()
        for number, score in zip(steps, scores, strict=True)
    ]
    return Table.of("direct", "Scores against fast", rows)
