"""Points against alpha-beta with threats, by iterations and by time. Start at StrengthIterations.run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ponderosa.core.spec import split_spec
from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.compare import above, counted, difference, elsewhere, percent, together
from ponderosa.lab.published.words import NUMBERS, board_words
from ponderosa.lab.published.works import KENYON, KENYON_UNLIKE, both_ways
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, Claim, Findings
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.ranges import with_settings
from ponderosa.lab.sweeps.sweep import Mean, SweepResult

AGENTS = both_ways(("fast", "clever", "lazy"))
PHASES = {"lost": (0, 15_000), "drawn": (15_000, 27_000), "won": (27_000, 10**9)}
"""Which iterations of the first move most games were lost, drawn and won with, in the original."""

Curves = Mapping[str, SweepResult]


def opponent(work: Work) -> str:
    """Alpha-beta nine moves ahead, after the original's, which looks at 1 to 13 moves as its evaluation is more or less
    sure; smaller scales play the evaluation alone, which is hard enough.

    A fixed number of positions keeps it as strong on any machine; forced=0: the original follows no forced moves.
    """
    searching = "minimax:eval=threats,depth=9,branch=13,forced=0,positions=2000000"
    alone = "minimax:eval=threats,depth=1,forced=0,positions=1000"
    return work.pick(tiny=alone, quick=alone, full=searching)


def curves(
    work: Work, game: str, agents: Mapping[str, str], setting: str, values: Sequence[float], games: int
) -> dict[str, SweepResult]:
    """Every agent with every value against alpha-beta; games that repeat an earlier one count once."""
    return {
        name: work.sweep(game, agent, {setting: list(values)}, opponent(work), games) for name, agent in agents.items()
    }


def points_table(found: Curves, setting: str, unit: str) -> Table:
    """Points with intervals, and how the games ended."""
    rows = []
    for agent, result in found.items():
        for place, point in enumerate(result.points):
            won, drawn, lost = outcomes(result, place)
            row = {"agent": agent, f"{setting} ({unit})": float(point.settings[setting])}
            row |= with_interval("score", "%", point.score, 100) | {"won": won, "drawn": drawn, "lost": lost}
            rows.append(row | with_interval("time a move", "ms", point.seconds, 1e3))
    return Table.of("points", "Points against alpha-beta with threats", rows)


def points_figure(found: Curves, setting: str, axis: Axis, title: str) -> Chart:
    """Points over what varies, a series an agent."""
    series = [
        Series.of(agent, [float(p.settings[setting]) for p in result.points], [p.score for p in result.points], 100)
        for agent, result in found.items()
    ]
    return Chart("points", title, axis, Axis("points", "% of the games, draws half"), series, level=50.0)


def outcomes(result: SweepResult, place: int) -> tuple[int, int, int]:
    """Games won, drawn and lost by a point of a sweep against one opponent."""
    line = result.league.tally.lines[place + 1]
    return line.wins.total(), line.draws.total(), line.losses.total()


def said(found: Curves) -> str:
    """All points in words."""
    each = (
        f"{agent}: " + ", ".join(f"{percent(point.score)} with {point.name}" for point in result.points)
        for agent, result in found.items()
    )
    return "; ".join(each) + "."


def notes(work: Work, games: int) -> list[str]:
    """How it was played."""
    asked = f"{games} games a point, half of them in each seat; a game that was played before counts once."
    less = (
        ""
        if work.scale == "full"
        else " That is the threats evaluation alone; the original's looks nine moves ahead, for about 10 s a move, as "
        "does that of the scale full."
    )
    return [asked, f"The opponent is {opponent(work)}.{less}", KENYON_UNLIKE]


def asked_about(experiment: Experiment, work: Work, board: str, findings: Findings) -> Findings:
    """Findings with a title and a question that tell what was played."""
    _, settings = split_spec(opponent(work))
    depth = int(settings["depth"])
    deep = f"{NUMBERS[depth]} {'move' if depth == 1 else 'moves'} ahead"
    question = f"{experiment.question} The board: {board_words(board)}. Alpha-beta looks {deep}."
    return replace(findings, title=f"{experiment.title}, {board_words(board)}", question=question)


class StrengthIterations(Experiment):
    """Points by iterations."""

    name, title = "strength-iterations", "Points against alpha-beta by iterations"
    question = (
        "How many iterations does a search need to hold its own against alpha-beta with the threats "
        "evaluation? Fast, clever and lazy, as the original's and as ours, "
        "with the same iterations on every move."
    )
    original = (
        f"{KENYON}, figure 4.3, with random playouts: most games are lost with less than 15,000 iterations on the "
        "first move, drawn up to 27,000, and won above."
    )

    def run(self, work: Work) -> Findings:
        """A match for each agent and number."""
        board = work.pick(tiny="gomoku", quick=BOARD, full=BOARD)
        steps = work.pick(tiny=[10, 50], quick=[2000, 20_000, 30_000], full=[2**n * 1000 for n in range(8)])
        agents = work.pick(tiny={"fast": AGENTS["fast"]}, quick=AGENTS, full=AGENTS)
        games = work.games(tiny=2, quick=16, full=200)
        found = curves(work, board, agents, "iterations", steps, games)
        axis = Axis("iterations a move", "number, logarithmic", log=True)
        chart = points_figure(found, "iterations", axis, f"Points by iterations, {board_words(board)}")
        table = points_table(found, "iterations", "number")
        claims = elsewhere(_phases(found["fast"]), board_words(board), board_words(BOARD))
        return asked_about(self, work, board, Findings(said(found), claims, [table], [chart], notes(work, games)))


BOARD = "connect:m=12,n=12,k=5,p=1,q=1"


def _phases(fast: SweepResult) -> list[Claim]:
    """Whether most games of fast ended as published, phase by phase."""
    claims = []
    for place, (end, (least, most)) in enumerate(PHASES.items()):
        shares = {}
        for number, point in enumerate(fast.points):
            ends = outcomes(fast, number)
            games = sum(ends)
            if least <= int(point.settings["iterations"]) < most and games:
                shares[point.settings["iterations"]] = counted(ends[2 - place], games)
        if not shares:
            continue
        verdict = together(above(share) for share in shares.values())
        ours = "; ".join(f"{percent(share)} with {number}" for number, share in shares.items())
        limit = f"With more than {least:,}" if most > 10**8 else f"With {least:,} to {most:,}"
        claims.append(
            Claim(
                f"{limit} iterations most games are {end}.",
                f"{end.capitalize()} by fast: {ours}.",
                verdict,
                ""
                if verdict == AGREES
                else "The opponent shares the idea of threats, but is another program, and seems stronger.",
            )
        )
    return claims


class StrengthTime(Experiment):
    """Points by thinking time."""

    name, title = "strength-time", "Points against alpha-beta by thinking time"
    question = (
        "Which of fast, clever and lazy makes most of its thinking time, in points against alpha-beta with the threats "
        "evaluation?"
    )
    original = f"{KENYON}, figure 4.4: at any thinking time lazy has most points, then clever, then fast."

    def run(self, work: Work) -> Findings:
        """A match for each agent and time."""
        board = work.pick(tiny="gomoku", quick=BOARD, full=BOARD)
        times = work.pick(tiny=[0.002], quick=[0.05, 0.3], full=[0.1, 0.3, 1.0, 3.0, 10.0])
        games = work.games(tiny=2, quick=20, full=200)
        found = curves(work, board, AGENTS, "seconds", times, games)
        axis = Axis("thinking time a move", "s, logarithmic", log=True)
        chart = points_figure(found, "seconds", axis, f"Points by thinking time, {board_words(board)}")
        pairs = [("lazy", "clever"), ("clever", "fast")]
        claims = [_order(found, *pair) for pair in pairs] + [
            _met(work, board, *pair, times[0], games) for pair in pairs
        ]
        claims = elsewhere(claims, board_words(board), board_words(BOARD))
        found_out = Findings(said(found), claims, [points_table(found, "seconds", "s")], [chart], notes(work, games))
        return asked_about(self, work, board, found_out)


def _order(found: Curves, better: str, worse: str) -> Claim:
    """Whether one agent has more points than another at every time."""
    pairs = [(one.score, other.score) for one, other in zip(found[better].points, found[worse].points, strict=True)]
    verdict = together(_more(one, other) for one, other in pairs)
    ours = "; ".join(
        f"{point.settings['seconds']} s: {percent(one)} and {percent(other)}"
        for point, (one, other) in zip(found[better].points, pairs, strict=True)
    )
    return Claim(f"{better.capitalize()} has more points than {worse} in equal time.", f"{ours}.", verdict)


def _met(work: Work, board: str, better: str, worse: str, seconds: float, games: int) -> Claim:
    """The same order, by games of the two: they tell more than points that both have few of."""
    one, other = (with_settings(AGENTS[name], {"seconds": f"{seconds:g}"}) for name in (better, worse))
    score = work.fresh(board, one, other, games)
    ours = f"Against each other, {seconds:g} s a move: {percent(score)} for {better}."
    return Claim(f"{better.capitalize()} is stronger than {worse} in equal time.", ours, above(score))


def _more(one: Mean | None, other: Mean | None) -> str:
    if one is None or other is None:
        return OPEN
    low, high = difference(one, other)
    return AGREES if low > 0 else DIFFERS if high < 0 else OPEN
