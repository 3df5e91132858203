"""Iterations in a fixed time against the size of the board, for five agents. Start at BoardSize.run."""

from __future__ import annotations

from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.compare import inside, together
from ponderosa.lab.published.speed import AGENTS, CONSTANTS, NOTE, in_turns, mean_of, ratio
from ponderosa.lab.published.works import KENYON, originals
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, Claim, Findings
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.sweep import Mean

LINE = 5
"""Five in a row win, on smaller boards as many as there are columns."""
SAME = (0.8, 1.25)
"""Ratios that count as the same speed."""

Speeds = dict[str, dict[int, Mean]]
"""Iterations of each agent on each size of board."""


class BoardSize(Experiment):
    """Iterations by board."""

    name, title = "board-size", "Iterations and the size of the board"
    plays = False
    question = (
        "How many iterations does a search make on the first move, in a fixed time, the larger the board is? "
        "Five agents, slow, medium, fast, clever and lazy, explore as the original's do; the last three as "
        "ours do, too."
    )
    original = (
        f"{KENYON}, figure 4.2, 10 s a move: on small boards all five are roughly the same; all make far fewer "
        "iterations on larger boards, and lazy loses least; on 12x12 clever makes almost exactly as many as fast; from "
        "12x12 to 15x15 clever drops by 40 %, while lazy makes slightly more (section 4.2.4)."
    )

    def run(self, work: Work) -> Findings:
        """Every agent and board, several rounds each."""
        sizes = work.pick(tiny=[3, 15], quick=[3, 5, 7, 9, 12, 15, 19], full=list(range(3, 20)))
        seconds = work.pick(tiny=0.01, quick=0.4, full=10.0)
        rounds = work.pick(tiny=2, quick=6, full=6)
        asked = {
            (agent, size): {
                **what,
                "game": f"connect:m={size},n={size},k={min(LINE, size)}",
                "seconds": seconds,
            }
            for size in sizes
            for agent, what in AGENTS.items()
        }
        found = in_turns(work, asked, rounds)
        speeds = {agent: {size: mean_of(found[agent, size]) for size in sizes} for agent in AGENTS}
        theirs, boards = originals(speeds), ", ".join(f"{size}x{size}" for size in sizes)
        return Findings(
            _summary(speeds, seconds),
            [_alike(theirs), _fewer(theirs), _least(theirs), *_at_twelve(theirs)],
            [_table(speeds, seconds)],
            [_figure(speeds, seconds)],
            [
                f"{seconds:g} s a move"
                + ("" if seconds == 10 else " instead of the original's 10")
                + f"; {rounds} rounds over all agents and boards, in turns.",
                f"{LINE} in a row win; on smaller boards as many as there are columns.",
                NOTE,
                CONSTANTS,
            ],
            question=f"{self.question} The boards: {boards}; the time: {seconds:g} s.",
        )


def _alike(speeds: Speeds) -> Claim:
    size = min(speeds["fast"])
    fastest, slowest = (choice(found[size].value for found in speeds.values()) for choice in (max, min))
    verdict = AGREES if fastest < 2 * slowest else DIFFERS
    why = (
        "The agents of the original share one compiled search, and only boards and playouts differ. Of ours, slow and "
        "medium walk their trees in plain Python, and fast, clever and lazy in compiled code."
    )
    said = f"On {size}x{size} the fastest makes {fastest / slowest:,.1f} times as many as the slowest; up to 2 agrees."
    return Claim("On small boards all are roughly the same.", said, verdict, "" if verdict == AGREES else why)


def _shrunk(speeds: Speeds, agent: str) -> Mean:
    """How much of its iterations on a small board (not 3x3: that tree is soon complete) is left on the largest."""
    small, large = min(size for size in speeds[agent] if size > 3), max(speeds[agent])
    return ratio(speeds[agent][large], speeds[agent][small])


def _fewer(speeds: Speeds) -> Claim:
    kept = {agent: _shrunk(speeds, agent) for agent in speeds}
    verdict = together(AGREES if one.high < 1 else DIFFERS if one.low > 1 else OPEN for one in kept.values())
    return Claim("All make far fewer iterations on larger boards.", f"{_range(speeds)}, {_said(kept)}.", verdict)


def _least(speeds: Speeds) -> Claim:
    kept = {agent: _shrunk(speeds, agent) for agent in speeds}
    rivals = [one for agent, one in kept.items() if agent != "lazy"]
    lazy = kept["lazy"]
    surely, hardly = all(lazy.low > one.high for one in rivals), any(lazy.high < one.low for one in rivals)
    verdict = AGREES if surely else DIFFERS if hardly else OPEN
    why = (
        "Medium spends most of its time in Python around a compiled playout, and there the size matters less. A "
        "larger board has more children a node, too, which lazy pays for as all others do."
    )
    return Claim("Lazy loses least.", f"{_range(speeds)}, {_said(kept)}.", verdict, why if verdict == DIFFERS else "")


def _at_twelve(speeds: Speeds) -> list[Claim]:
    """What was said of boards of 12x12 and 15x15, if those were measured."""
    claims = []
    if 12 in speeds["fast"]:
        same = ratio(speeds["clever"][12], speeds["fast"][12])
        verdict = inside(same.low, same.value, same.high, *SAME)
        why = "A random move costs little in compiled playouts, so that looking for wins and blocks shows."
        said = f"{_times(same)} those of fast; {SAME[0]} to {SAME[1]} counts as the same."
        claims.append(Claim("On 12x12 clever makes as many as fast.", said, verdict, why if verdict == DIFFERS else ""))
    if {12, 15} <= set(speeds["fast"]):
        claims += [
            _grown(speeds, "clever", "drops by 40 %", (0.5, 0.7)),
            _grown(speeds, "lazy", "makes slightly more", (1.0, 1.2)),
        ]
    return claims


def _grown(speeds: Speeds, agent: str, words: str, such: tuple[float, float]) -> Claim:
    """What becomes of an agent's iterations from 12x12 to 15x15."""
    change = ratio(speeds[agent][15], speeds[agent][12])
    verdict = inside(change.low, change.value, change.high, *such)
    said = f"{_times(change)} as many; {such[0]:g} to {such[1]:g} counts as such."
    odd = max(speeds[agent]) > 15 and speeds[agent][15].value < speeds[agent][max(speeds[agent])].value
    why = "Why is not known." + (" The largest board is faster than 15x15, too." if odd else "")
    return Claim(f"From 12x12 to 15x15 {agent} {words}.", said, verdict, why if verdict == DIFFERS else "")


def _range(speeds: Speeds) -> str:
    sizes = [size for size in speeds["fast"] if size > 3]
    return f"On {max(sizes)}x{max(sizes)}, by those on {min(sizes)}x{min(sizes)}"


def _said(kept: dict[str, Mean]) -> str:
    return "; ".join(f"{agent} {_times(one)}" for agent, one in kept.items())


def _times(one: Mean) -> str:
    return f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f}) times"


def _summary(speeds: Speeds, seconds: float) -> str:
    small, large = min(speeds["fast"]), max(speeds["fast"])
    said = "; ".join(
        f"{agent} {found[small].value:,.0f} and {found[large].value:,.0f}" for agent, found in speeds.items()
    )
    return f"Iterations in {seconds:g} s on {small}x{small} and on {large}x{large}: {said}."


def _table(speeds: Speeds, seconds: float) -> Table:
    rows = [
        {"agent": agent, "board": size} | with_interval("iterations", "number", mean)
        for agent, found in speeds.items()
        for size, mean in found.items()
    ]
    return Table.of(
        "iterations", f"Iterations in {seconds:g} s on the first move; a board has as many rows as columns", rows
    )


def _figure(speeds: Speeds, seconds: float) -> Chart:
    axes = Axis("rows and columns of the board", "cells"), Axis(f"iterations in {seconds:g} s", "logarithmic", log=True)
    series = [Series.of(agent, list(found), list(found.values())) for agent, found in speeds.items()]
    return Chart("board-size", "Iterations on the first move, by board", *axes, series)
