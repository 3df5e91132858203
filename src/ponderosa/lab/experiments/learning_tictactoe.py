"""An agent with a memory learns tic-tac-toe from a blind and a scripted player. Start at LearningTicTacToe.run."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ponderosa.arena.results.statistics import share_interval
from ponderosa.arena.training import train
from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.compare import counted, difference, percent, together
from ponderosa.lab.published.works import LIU
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, PARTLY, Claim, Findings
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.sweep import Mean

GAME = "tictactoe"
OPPONENTS = ("blind", "scripted")
SELDOM = 0.05
"""Who surely loses fewer games than this plays well, if not perfectly."""

Lessons = list[tuple[str, float]]
"""The opponent and the score of each game of a learner, in their order."""


def lessons_of(agent: str, games: int, seed: int) -> Lessons:
    """The games of one learner that begins with an empty memory; opponents take turns, each in both seats."""
    with tempfile.TemporaryDirectory() as folder:
        curve = train(GAME, agent, OPPONENTS, games, Path(folder) / "memory.npz", seed=seed)
    if curve.interrupted:
        raise KeyboardInterrupt  # half a course is none
    return [(lesson.opponent, lesson.score) for lesson in curve.lessons]


class LearningTicTacToe(Experiment):
    """Scores over games played."""

    name, title = "learning-tictactoe", "Learning tic-tac-toe from a blind and a scripted player"
    plays = False
    question = (
        "A search that keeps its tree from game to game plays tic-tac-toe against a player that moves at random "
        "(blind) and one that wins, blocks and else takes corners first (scripted). How does its score grow with the "
        "games it has played, with few iterations a move?"
    )
    original = (
        f"{LIU}: the tree is trained by games against a blind and a scripted player, and is kept as long as the "
        "program runs. No results are counted; perfect play is said to be within a computer's reach."
    )

    def run(self, work: Work) -> Findings:
        """Several learners, and the same agent without a memory."""
        agent = f"mcts:iterations={work.pick(tiny=5, quick=10, full=10)}"
        learners = work.pick(tiny=3, quick=20, full=100)
        games, blocks = work.pick(tiny=(16, 2), quick=(400, 10), full=(2000, 20))
        courses = []
        for number in range(learners):
            work.tell(f"learners of {games} games", number, learners)
            courses.append(work.kept(lessons_of, agent=agent, games=games, seed=1000 * work.seed + number))
        curves = {opponent: curve(courses, opponent, blocks) for opponent in OPPONENTS}
        plain = {opponent: self._without(work, agent, opponent) for opponent in OPPONENTS}
        ends = [(index + 1) * games // blocks for index in range(blocks)]
        return Findings(
            _summary(curves, plain, games),
            [_grows(curves), _safe(courses, blocks)],
            [_table(curves, plain, ends)],
            [_figure(curves, plain, ends)],
            [
                f"{learners} learners, {agent}, each with {games} games, half of them against each opponent and half "
                f"in each seat. Points are means over {games // blocks // 2} games of every learner; intervals are "
                "those between learners.",
                "Without a memory the same agent begins every game anew, with its tree kept within a game.",
            ],
        )

    @staticmethod
    def _without(work: Work, agent: str, opponent: str) -> Mean | None:
        games = work.pick(tiny=4, quick=1000, full=10_000)
        return Mean.of(work.match(GAME, agent, opponent, games, count_repeats=True).elo)


def curve(courses: list[Lessons], opponent: str, blocks: int) -> list[Mean]:
    """The mean score of all learners against an opponent, stretch by stretch of their games."""
    scores = [[score for met, score in course if met == opponent] for course in courses]
    size = len(scores[0]) // blocks
    stretches = [[each[size * index : size * (index + 1)] for each in scores] for index in range(blocks)]
    return [_mean([sum(part) / size for part in stretch]) for stretch in stretches]


def _mean(shares: list[float]) -> Mean:
    """The mean of the learners' scores; a learner is one sample, however many games it played."""
    return Mean(len(shares), sum(shares) / len(shares), *share_interval([(share, 1) for share in shares]))


def _grows(curves: dict[str, list[Mean]]) -> Claim:
    gains = {opponent: difference(found[-1], found[0]) for opponent, found in curves.items()}
    verdict = together(AGREES if low > 0 else DIFFERS if high < 0 else OPEN for low, high in gains.values())
    ours = "; ".join(
        f"{opponent}: from {percent(found[0])} to {percent(found[-1])}" for opponent, found in curves.items()
    )
    return Claim("Games against both players train the tree.", f"{ours}.", verdict)


def _safe(courses: list[Lessons], blocks: int) -> Claim:
    """How often the learners lose in the last stretch."""
    last = [score for course in courses for _, score in course[-(len(course) // blocks) :]]
    losses = sum(score == 0 for score in last)
    lost = counted(losses, len(last))
    verdict = DIFFERS if lost.low > SELDOM else OPEN if lost.high > SELDOM else PARTLY if losses else AGREES
    why = (
        f"With so few iterations and games some lines are untried. Surely less than {SELDOM:.0%} is agreement in part."
    )
    return Claim(
        "A computer can play it perfectly.",
        f"In the last stretch learners lost {losses} of {len(last)} games, {percent(lost)}.",
        verdict,
        "" if verdict == AGREES else why,
    )


def _summary(curves: dict[str, list[Mean]], plain: dict[str, Mean | None], games: int) -> str:
    told = [
        f"Against {opponent} the score went from {percent(found[0])} in the first stretch to {percent(found[-1])} in "
        f"the last of {games} games; without a memory it is {percent(plain[opponent])}."
        for opponent, found in curves.items()
    ]
    return " ".join(told)


def _table(curves: dict[str, list[Mean]], plain: dict[str, Mean | None], ends: list[int]) -> Table:
    means: list[tuple[str, int | None, Mean | None]] = [
        (opponent, end, mean) for opponent, found in curves.items() for end, mean in zip(ends, found, strict=True)
    ]
    means += [(f"{opponent}, no memory", None, mean) for opponent, mean in plain.items()]
    rows: list[dict[str, Any]] = []
    for opponent, end, mean in means:
        rows.append({"opponent": opponent, "games played (number)": end} | with_interval("score", "%", mean, 100))
    return Table.of("learning", "Scores by games played, up to the number in a row", rows)


def _figure(curves: dict[str, list[Mean]], plain: dict[str, Mean | None], ends: list[int]) -> Chart:
    series = [Series.of(f"against {opponent}", ends, found, 100) for opponent, found in curves.items()]
    series += [
        Series.of(f"against {opponent}, no memory", ends, [mean] * len(ends), 100) for opponent, mean in plain.items()
    ]
    axes = Axis("games played, both opponents", "games"), Axis("score of a stretch", "%")
    return Chart("learning", "Learning tic-tac-toe", *axes, series)
