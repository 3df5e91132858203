"""Iterations on the first move against thinking time, for five agents. Start at ThinkingTime.run."""

from __future__ import annotations

from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.compare import elsewhere, inside, together
from ponderosa.lab.published.speed import AGENTS, CONSTANTS, NOTE, in_turns, mean_of, power
from ponderosa.lab.published.words import board_words, connect_words
from ponderosa.lab.published.works import KENYON, originals
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import AGREES, OPEN, Claim, Findings
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.sweep import Mean

BOARD = "connect:m=12,n=12,k=5"
STRAIGHT = (0.9, 1.1)
"""A line is called straight when iterations grow with such a power of the time; 1 is exact proportion."""


class ThinkingTime(Experiment):
    """Iterations by seconds."""

    name, title = "thinking-time", "Iterations and thinking time"
    plays = False
    question = (
        "How many iterations does a search make on the first move, from the empty board, the longer it thinks? "
        "Five agents, slow, medium, fast, clever and lazy, explore as the original's do; the "
        "last three as ours do, too."
    )
    original = (
        f"{KENYON}, figure 4.1: for each of the five, the iterations are directly proportional to the time, also for "
        "trees of up to a million nodes; clever makes almost exactly as many as fast. By section 4.2.3, its lazy agent "
        "makes a million iterations in 300 s at Connect(13,13,6,2,1)."
    )

    def run(self, work: Work) -> Findings:
        """Every agent and time, several rounds each."""
        board = work.pick(tiny="connect:m=15,n=15,k=5", quick=BOARD, full=BOARD)
        times = work.pick(tiny=[0.01, 0.03], quick=[0.1, 0.2, 0.5, 1.0, 2.0], full=[0.1, 0.3, 1.0, 3.0, 10.0, 30.0])
        rounds = work.pick(tiny=2, quick=4, full=10)
        asked = {(a, t): {**what, "game": board, "seconds": t} for a, what in AGENTS.items() for t in times}
        found = in_turns(work, asked, rounds)
        counts = {agent: [found[agent, seconds] for seconds in times] for agent in AGENTS}
        powers = {agent: _power(times, found) for agent, found in counts.items()}
        means = {agent: [mean_of(found) for found in each] for agent, each in counts.items()}
        return Findings(
            _summary(times, means, powers),
            [
                *elsewhere([_straight(originals(powers))], board_words(board), board_words(BOARD)),
                _lazy(times, means, connect_words(board)),
            ],
            [_table(times, means), _powers(powers)],
            [_figure(times, means, board_words(board))],
            [f"{rounds} rounds over all agents and times, in turns.", NOTE, CONSTANTS],
            f"{self.title}, {board_words(board)}",
            f"{self.question} The board: {board_words(board)}.",
        )


def _power(times: list[float], counts: list[list[int]]) -> Mean:
    pairs = [(seconds, count) for seconds, found in zip(times, counts, strict=True) for count in found]
    return power([seconds for seconds, _ in pairs], [count for _, count in pairs])


def _straight(powers: dict[str, Mean]) -> Claim:
    verdict = together(inside(one.low, one.value, one.high, *STRAIGHT) for one in powers.values())
    said = "; ".join(f"{agent} {one.value:.2f} ({one.low:.2f} to {one.high:.2f})" for agent, one in powers.items())
    why = (
        "A larger tree does not fit into the processor's caches, and an iteration takes longer. The original makes a "
        "few thousand iterations a second, of which its tree is a small part."
    )
    return Claim(
        "Iterations are directly proportional to the time.",
        f"They grow with this power of the time ({STRAIGHT[0]} to {STRAIGHT[1]} counts as proportion): {said}.",
        verdict,
        "" if verdict in (AGREES, OPEN) else why,
    )


def _lazy(times: list[float], means: dict[str, list[Mean]], played: str) -> Claim:
    ours = means["lazy"][-1].value / times[-1]
    return Claim(
        "Lazy makes 1,000,000 iterations in 300 s, 3,300 a second, at Connect(13,13,6,2,1).",
        f"{ours:,.0f} a second at {played}, {ours / (1e6 / 300):,.0f} times as many.",
        inside(ours, ours, ours, 0.5e6 / 300, 2e6 / 300),
        "Another game and machine, and the whole search is compiled; half to twice as many would count as agreement.",
    )


def _summary(times: list[float], means: dict[str, list[Mean]], powers: dict[str, Mean]) -> str:
    said = "; ".join(
        f"{agent} made {found[-1].value:,.0f} (power {powers[agent].value:.2f})" for agent, found in means.items()
    )
    return f"In {times[-1]:g} s, {said}. The power is how the number grows with the time: 1 is a straight line."


def _table(times: list[float], means: dict[str, list[Mean]]) -> Table:
    rows = [
        {"agent": agent, "thinking time (s)": seconds} | with_interval("iterations", "number", mean)
        for agent, found in means.items()
        for seconds, mean in zip(times, found, strict=True)
    ]
    return Table.of("iterations", "Iterations on the first move", rows)


def _powers(powers: dict[str, Mean]) -> Table:
    rows = [{"agent": agent} | with_interval("power", "1 is a straight line", one) for agent, one in powers.items()]
    return Table.of("powers", "How iterations grow with the time", rows)


def _figure(times: list[float], means: dict[str, list[Mean]], board: str) -> Chart:
    axes = (
        Axis("thinking time", "s of the processor, logarithmic", log=True),
        Axis("iterations", "logarithmic", log=True),
    )
    series = [Series.of(agent, times, found) for agent, found in means.items()]
    return Chart("thinking-time", f"Iterations on the first move, {board}", *axes, series)
