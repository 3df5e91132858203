"""Tree search at chess with a static value of positions against plain playouts. Start at ChessValues.run."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.compare import above, percent, together
from ponderosa.lab.published.works import KENYON
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, Claim, Findings
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.sweep import Mean

PLAYOUTS, STATIC = "mcts:iterations={n}", "mcts:playout=static,c=0.3,iterations={n}"
"""Random games to the end from every new leaf, and a look at it: men, and where they stand."""
NAMES = {STATIC: "static value", PLAYOUTS: "playouts"}
ALPHA_BETA = "minimax:depth=2,branch=none"
GNU_CHESS = 'engine:protocol=uci,cmd="gnuchess -u",depth=1'
OPENINGS = "balanced:4"
TINY = "chess:fen=4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3"


class ChessValues(Experiment):
    """The two against each other, and both against others, by iterations."""

    name, title = "chess-values", "A static value against playouts at chess"
    question = (
        "How much stronger is a tree search at chess that judges every new leaf by its men and where they stand than "
        "one that plays it out at random, with the same number of iterations a move? And what do both score against "
        "a random player, alpha-beta two moves deep with the same values, and GNU Chess one move deep, where it is "
        "installed?"
    )
    original = (
        f"{KENYON}, in the extensions of its proposal, thought of an agent for chess, to be tried against a random "
        "player and GNU Chess, and expected it to play very poorly, even against the former. It was not tried."
    )

    def run(self, work: Work) -> Findings:
        """A match for each opponent and number of iterations."""
        game = work.pick(tiny=TINY, quick="chess", full="chess")
        steps = work.pick(tiny=[5], quick=[30, 300], full=[30, 100, 300, 1000, 3000, 10_000])
        games = work.games(tiny=2, quick=12, full=200)
        others = {"random player": "random", "alpha-beta, depth 2": ALPHA_BETA}
        installed = shutil.which("gnuchess") is not None
        if installed and game == "chess":
            others["GNU Chess, depth 1"] = GNU_CHESS
        found = {
            (NAMES[one], name): [_score(work, game, one.format(n=n), other, games) for n in steps]
            for name, other in others.items()
            for one in NAMES
        }
        direct = [_score(work, game, STATIC.format(n=n), PLAYOUTS.format(n=n), games) for n in steps]
        found = {("static value", "playouts"): direct} | found
        return Findings(
            _said(found, steps),
            [_expected(found["playouts", "random player"], steps)],
            [_table(found, steps)],
            [_figure(found, steps)],
            [
                f"{games} games a match, in pairs from the same opening with seats swapped; an opening is four random "
                "moves after which a short alpha-beta search sees nobody ahead.",
                f"Static value is {STATIC}, playouts are {PLAYOUTS}.",
                *([] if installed else ["GNU Chess is not installed here."]),
            ],
        )


Found = dict[tuple[str, str], list[Mean | None]]
"""The scores of one against another, by iterations."""


def _score(work: Work, game: str, one: str, other: str, games: int) -> Mean | None:
    return Mean.of(work.match(game, one, other, games, openings=OPENINGS, count_repeats=True).elo)


def _said(found: Found, steps: Sequence[int]) -> str:
    told = [
        f"{one} against {other} {', '.join(percent(score) for score in scores)}"
        for (one, other), scores in found.items()
    ]
    return f"With {' and '.join(f'{n:,}' for n in steps)} iterations a move: {'; '.join(told)}."


def _expected(scores: Sequence[Mean | None], steps: Sequence[int]) -> Claim:
    """What was expected of playouts, held against what they score."""
    return Claim(
        "Monte Carlo search plays chess very poorly, even against a random player (expected, not measured).",
        f"Playouts scored {', '.join(percent(score) for score in scores)} against it, with "
        f"{' and '.join(f'{n:,}' for n in steps)} iterations a move.",
        DIFFERS if together(above(score) for score in scores) == AGREES else OPEN,
        "An expectation, from a time in which nobody was known to have had success with it.",
    )


def _table(found: Found, steps: Sequence[int]) -> Table:
    rows = [
        {"agent": one, "against": other, "iterations": n} | with_interval("score", "%", score, 100)
        for (one, other), scores in found.items()
        for n, score in zip(steps, scores, strict=True)
    ]
    return Table.of("scores", "Static value and playouts at chess", rows)


def _figure(found: Found, steps: Sequence[int]) -> Chart:
    series = [Series.of(f"{one} against {other}", steps, scores, 100) for (one, other), scores in found.items()]
    axes = Axis("iterations a move", "number, logarithmic", log=True), Axis("score", "%", low=0, high=100)
    return Chart("scores", "Static value and playouts at chess", *axes, series, level=50.0)
