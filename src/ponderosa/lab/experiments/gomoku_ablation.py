"""What each of some ideas adds at Gomoku: the agent plays itself without one. Start at GomokuAblation.run."""

from __future__ import annotations

from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.compare import above, percent
from ponderosa.lab.published.works import LIN
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import AGREES, DIFFERS, Claim, Findings
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.sweep import Mean

IDEAS = {
    "candidates": (
        {"near": "0"},
        "Only cells next to stones are looked at: all would cost too much, and suggest moves without a purpose.",
    ),
    "delayed reward": (
        {"backup": "mean"},
        "A result counts less the later it comes, which made the agent more aggressive.",
    ),
    "voting": (
        {"threads": "1", "iterations": "{each}"},
        "Several trees, side by side, vote for the move, which helped greatly.",
    ),
    "voting, equal effort": ({"threads": "1"}, "Several trees vote for the move, which helped greatly."),
    "near playouts": ({"playout": "random"}, "Playouts, too, look at cells next to stones only."),
    "threats": (
        {"forced": "false", "threes": "false"},
        "A winning move is made, else a threat, of three stones too, is blocked before it gets worse.",
    ),
    "threes": ({"threes": "false"}, "Three stones in a row with both ends open are blocked."),
}
"""What takes an idea out of the agent, and what the original says of it; `each`: the iterations of one tree."""


class GomokuAblation(Experiment):
    """The whole agent against itself without one idea."""

    name, title = "gomoku-ablation", "Ideas for Gomoku, one left out at a time"
    question = (
        "What do candidate moves, near playouts, delayed reward, voting and the handling of threats each add to a tree "
        "search for Gomoku on 15x15? The agent with all of them plays the one without one of them, with as many "
        "iterations in all."
    )
    original = (
        f"{LIN}: all are said to improve the agent, voting greatly; nothing is counted. The agent is said to be better "
        "than random moves and to avoid simple losses, and to lose easily to people who know the game, and to two "
        "threats at once."
    )

    def run(self, work: Work) -> Findings:
        """A match for each idea."""
        iterations = work.pick(tiny=20, quick=2000, full=50_000)
        games = work.games(tiny=2, quick=40, full=400)
        threads = work.pick(tiny=2, quick=4, full=4)
        ideas = work.pick(tiny=list(IDEAS)[:2], quick=list(IDEAS), full=list(IDEAS))
        whole = f"voting:iterations={iterations},threads={threads}"
        scores: dict[str, Mean | None] = {}
        for idea in ideas:
            vary = {key: [value.format(each=iterations // threads)] for key, value in IDEAS[idea][0].items()}
            without = work.sweep("gomoku", whole, vary, whole, games).points[0].score
            scores[idea] = None if without is None else turned(without)
        return Findings(
            _summary(scores),
            [_claim(idea, score) for idea, score in scores.items()],
            [_table(scores)],
            [_figure(scores)],
            [
                f"{games} games a match, half of them in each seat. The whole agent is {whole}.",
                f"Left out were, one at a time: {', '.join(ideas)}.",
                "Iterations count those of all trees. Against voting stands one tree with as many iterations as each "
                "of the voters has, as when all have a core, and one with as many as all of them together (equal "
                "effort). In equal time candidates would add more, because fewer moves are listed.",
            ],
        )


def turned(share: Mean) -> Mean:
    """The same games from the other side."""
    return Mean(share.games, 1 - share.value, 1 - share.high, 1 - share.low)


def _claim(idea: str, score: Mean | None) -> Claim:
    verdict = above(score)
    why = {
        DIFFERS: "The agent without it is stronger, with as many iterations.",
        AGREES: "",
    }.get(verdict, "These games do not show it; more of them, or another measure of effort, may.")
    return Claim(IDEAS[idea][1], f"With {idea}: {percent(score)} against the agent without.", verdict, why)


def _summary(scores: dict[str, Mean | None]) -> str:
    told = "; ".join(f"with {idea} {percent(score)}" for idea, score in scores.items())
    return f"The whole agent against the one without an idea scored: {told}."


def _table(scores: dict[str, Mean | None]) -> Table:
    rows = [
        {"idea": idea, "games": score.games if score else 0} | with_interval("score with it", "%", score, 100)
        for idea, score in scores.items()
    ]
    return Table.of("ideas", "What the whole agent scores against the one without", rows)


def _figure(scores: dict[str, Mean | None]) -> Chart:
    series = [Series.of("with the idea", list(scores), list(scores.values()), 100)]
    axes = Axis("idea that the opponent lacks"), Axis("score of the whole agent", "%", low=0, high=100)
    return Chart("ideas", "What each idea adds", *axes, series, bars=True, level=50.0)
