"""A learning curve: how an agent scored, the more games it had played. Start at Curve."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ponderosa.arena.results.statistics import share_interval
from ponderosa.core.field_texts import with_field_texts
from ponderosa.errors import PonderosaError

BLOCKS = 20
"""How many stretches of games a curve is cut into by default."""
ENOUGH, FEW = 20, 5
"""A stretch has at least ENOUGH games against each opponent, unless there would be fewer than FEW stretches."""
BARS = "▁▂▃▄▅▆▇█"
LEAST_SPAN = 0.25
"""A row of bars shows at least such a difference of scores from its foot to its top."""
COLOURS = ("#2a6f97", "#c44536", "#3a7d44", "#8e6c8a", "#b07d2b")


@dataclass(frozen=True)
class Lesson:
    """One game that was learned from."""

    game: int
    """Which game it was of all that the memory knows, from 1 on."""
    opponent: str
    seat: int
    """Where the learner sat; against itself, 0, the one who begins."""
    score: float
    """1 for a win of the learner, 0.5 for a draw, 0 for a loss; against itself, of the one who begins."""
    plies: int


@with_field_texts
@dataclass(frozen=True)
class CurvePoint:
    """What a stretch of games against one opponent has come to."""

    opponent: str
    begin: int
    """The stretch goes from this game of the memory ..."""
    end: int
    """... to this one."""
    wins: int
    draws: int
    losses: int
    score: float
    """The mean score of its games, from 0 to 1."""
    low: float
    """The lower end of its interval of 95 %."""
    high: float
    """The upper end."""


@with_field_texts
@dataclass
class Curve:
    """All games of a training, in their order, and the conditions that they were played under."""

    game: str
    agent: str
    opponents: tuple[str, ...]
    memory: str
    """The file that has learned."""
    seed: int
    before: int
    """How many games the memory knew when it began."""
    wanted: int
    """How many games were to be played."""
    lessons: list[Lesson] = field(default_factory=list)
    known: int = 0
    """How many games the memory knows now."""
    interrupted: bool = False
    """Whether somebody ended it before the last game."""

    def points(self, blocks: int = BLOCKS) -> list[CurvePoint]:
        """The games in equal stretches, for each opponent that was met there a point."""
        games = len(self.lessons) // len(self.opponents)  # an opponent: each of its stretches has both seats in it
        blocks = max(1, min(blocks, max(games // ENOUGH, FEW), games // 2))
        turn = 2 * len(self.opponents)
        size = max(len(self.lessons) // (blocks * turn), 1) * turn
        begins = [size * block for block in range(max(1, min(blocks, len(self.lessons) // size)))]
        ends = [*begins[1:], len(self.lessons)]  # what is left over belongs to the last one
        stretches = [self.lessons[begin:end] for begin, end in zip(begins, ends, strict=True)]
        return [
            _point(opponent, stretch, met)
            for stretch in stretches
            for opponent in self.opponents
            if (met := [lesson.score for lesson in stretch if lesson.opponent == opponent])
        ]

    def of(self, opponent: str, blocks: int = BLOCKS) -> list[CurvePoint]:
        """The points against one opponent."""
        return [point for point in self.points(blocks) if point.opponent == opponent]

    def to_csv(self) -> str:
        """A line a game."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["game", "opponent", "seat", "score", "plies"])
        writer.writerows([one.game, one.opponent, one.seat, one.score, one.plies] for one in self.lessons)
        return text.getvalue()

    def figure(self, form: str = "svg", blocks: int = BLOCKS) -> bytes:
        """The curve as a picture: svg, png or pdf."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise PonderosaError('a figure needs more packages: pip install "ponderosa[arena]"') from None
        figure = Figure(figsize=(8, 4.5), layout="constrained")
        axes = figure.subplots()
        for opponent, colour in zip(self.opponents, _colours(len(self.opponents)), strict=True):
            _draw(axes, self.of(opponent, blocks), _label(opponent), colour)
        axes.set(xlabel="games played", ylabel="score, with its interval of 95 %", ylim=(0, 1.02))
        axes.set_title(f"{_label(self.agent)} learns {_label(self.game)}", fontsize=10)
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
        axes.grid(alpha=0.3)
        axes.legend(loc="lower right")
        content = io.BytesIO()
        figure.savefig(content, format=form, dpi=150, metadata={"Date": None} if form == "svg" else None)
        return content.getvalue()

    def _repr_svg_(self) -> str | None:
        """In a notebook, the figure itself, if there is anything in it and the package for it."""
        with contextlib.suppress(PonderosaError):
            return self.figure().decode() if self.lessons else None
        return None


def sparkline(values: Sequence[float]) -> str:
    """Scores as a row of bars, from the least of them to the most; small differences stay small."""
    low, span = min(values), max(max(values) - min(values), LEAST_SPAN)
    return "".join(BARS[round((value - low) / span * (len(BARS) - 1))] for value in values)


def _point(opponent: str, stretch: Sequence[Lesson], scores: Sequence[float]) -> CurvePoint:
    mean = sum(scores) / len(scores)
    low, high = share_interval([(score, 1) for score in scores])
    wins, draws, losses = (sum(score == result for score in scores) for result in (1.0, 0.5, 0.0))
    return CurvePoint(opponent, stretch[0].game, stretch[-1].game, wins, draws, losses, mean, low, high)


def _draw(axes: Any, points: Sequence[CurvePoint], label: str, colour: str) -> None:
    games = [(point.begin + point.end) / 2 for point in points]
    axes.fill_between(games, [p.low for p in points], [p.high for p in points], color=colour, alpha=0.15, linewidth=0)
    axes.plot(games, [point.score for point in points], "o-", color=colour, label=f"against {label}", markersize=4)


def _colours(count: int) -> list[str]:
    return [COLOURS[index % len(COLOURS)] for index in range(count)]


def _label(text: str) -> str:
    text = text.replace("$", r"\$")  # no formulas
    return text if len(text) <= 60 else text[:59] + "…"
