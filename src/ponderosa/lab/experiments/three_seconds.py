"""The best constant, iterations and rollouts for three seconds a move at Connect Four. Start at ThreeSeconds.run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.compare import above, elsewhere, equal, inside, percent
from ponderosa.lab.published.speed import NOTE, in_turns, mean_of
from ponderosa.lab.published.works import KIM, KIM_UNLIKE, OUR_STYLE, STYLES, capital
from ponderosa.lab.reports.figures import Axis, Chart, Figure, Series
from ponderosa.lab.reports.report import AGREES, DIFFERS, Claim, Findings
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.ranges import with_settings
from ponderosa.lab.sweeps.sweep import Mean, SweepResult, slug
from ponderosa.lab.sweeps.sweep_report import figures as sweep_figures
from ponderosa.lab.sweeps.sweep_report import tables as sweep_tables

Shown = TypeVar("Shown", Table, Figure)

SECONDS = 3.0
PUBLISHED = {"c": "1.4", "rollouts": "4"}
ITERATIONS = 1500


class ThreeSeconds(Experiment):
    """What fits into three seconds, and what to make of it."""

    name, title = "three-seconds", "A few seconds a move at Connect Four"
    question = (
        "Which exploration constant, how many iterations and how many rollouts each make the best use of a fixed time "
        "a move at Connect Four? Iterations are as many as fit; constants and rollouts play against the published ones "
        "in equal time."
    )
    original = (
        f"{KIM}, chapter 6.4.2: c = 1.4 with {ITERATIONS:,} iterations of 4 rollouts each, chosen to fit into 3 s on a "
        "laptop."
    )

    def run(self, work: Work) -> Findings:
        """Count the iterations that fit; then let settings play in equal time."""
        rollouts = work.pick(tiny=[1, 4], quick=[1, 4, 16], full=[1, 2, 4, 8, 16, 32])
        constants = work.pick(tiny=[1.4], quick=[0.7, 1.4, 2.0], full=[0.5, 0.7, 1.0, 1.4, 2.0])
        think = work.pick(tiny=0.002, quick=0.02, full=SECONDS)
        games = work.games(tiny=2, quick=40, full=400)
        seconds = work.pick(tiny=0.01, quick=SECONDS, full=SECONDS)
        counts = self._counts(work, rollouts, seconds)
        vary: dict[str, list[Any]] = {"c": constants, "rollouts": rollouts}
        found = {style: _matches(work, agent, think, vary, games) for style, agent in STYLES.items()}
        return Findings(
            _summary(counts, seconds, found),
            elsewhere([_fit(counts, seconds)], f"{seconds:g} s", f"{SECONDS:g} s")
            + elsewhere(
                [_best(style, *matches) for style, matches in found.items()],
                f"{think:g} s a move",
                f"{SECONDS:g} s a move",
            ),
            [
                _table(counts, seconds),
                *(_in_style(style, sweep_tables(result)[0]) for style, (result, _) in found.items()),
            ],
            [
                _figure(counts, seconds),
                *(_in_style(style, sweep_figures(result)[0]) for style, (result, _) in found.items()),
            ],
            [
                f"Iterations are counted on the first move, in {seconds:g} s. {NOTE}",
                f"The matches have {think:g} s a move on the clock, {games} games each, half of them in each seat."
                + ("" if think == SECONDS else f" The scale full plays with {SECONDS:g} s."),
                "The published settings play themselves, too: what they score shows how far chance alone reaches.",
                KIM_UNLIKE,
            ],
            f"Iterations in {seconds:g} s, and matches with {think:g} s a move, at Connect Four",
            f"{self.question} The time: {seconds:g} s to count iterations, {think:g} s a move in matches.",
        )

    @staticmethod
    def _counts(work: Work, rollouts: list[int], seconds: float) -> dict[int, Mean]:
        rounds = work.pick(tiny=2, quick=3, full=10)
        asked = {
            number: {
                "agent": "mcts",
                "game": "connect4",
                "seconds": seconds,
                "settings": {"rollouts": number, "c": 1.4},
            }
            for number in rollouts
        }
        found = in_turns(work, asked, rounds)
        return {number: mean_of(counts) for number, counts in found.items()}


def _matches(
    work: Work, agent: str, think: float, vary: dict[str, list[Any]], games: int
) -> tuple[SweepResult, Mean | None]:
    """All settings of an agent against the published ones; and the best in fresh games, if that is another."""
    agent = with_settings(agent, {"seconds": f"{think:g}"})
    rival = with_settings(agent, PUBLISHED)
    result = work.sweep("connect4", agent, vary, rival, games, count_repeats=True)
    best = result.best
    return result, None if best.settings == PUBLISHED else work.fresh("connect4", best.agent, rival, 2 * games)


def _in_style(style: str, one: Shown) -> Shown:
    """A table or figure under a name that says whose it is."""
    title = f"Score against c={PUBLISHED['c']} with {PUBLISHED['rollouts']} rollouts, {style[0].lower()}{style[1:]}"
    return replace(one, name=f"{one.name}-{slug(style)}", title=title)


def _fit(counts: dict[int, Mean], seconds: float) -> Claim:
    ours = counts[int(PUBLISHED["rollouts"])]
    theirs = ITERATIONS * seconds / SECONDS
    return Claim(
        f"{ITERATIONS:,} iterations of 4 rollouts fit into 3 s.",
        f"{ours.value:,.0f} ({ours.low:,.0f} to {ours.high:,.0f}) in {seconds:g} s, "
        f"{ours.value / theirs:,.0f} times as many a second; half to twice agrees.",
        inside(ours.low, ours.value, ours.high, theirs / 2, theirs * 2),
        "The original's search is plain Python, ours is compiled; the machines differ too.",
    )


def _best(style: str, result: SweepResult, check: Mean | None) -> Claim:
    said = "c = 1.4 and 4 rollouts make the best use of the time."
    if check is None:
        return Claim(said, f"{capital(style)}: they came out best, too: {percent(result.best.score)}.", AGREES)
    verdict = DIFFERS if above(check) == AGREES else equal(check)
    why = (
        "With iterations this cheap, more of them tell more than more rollouts of each do."
        if verdict == DIFFERS
        else ""
    )
    ours = (
        f"{capital(style)}: {result.best.name} came out best, and scored {percent(check)} against them in fresh games."
    )
    return Claim(said, ours, verdict, why)


def _summary(counts: dict[int, Mean], seconds: float, found: dict[str, tuple[SweepResult, Mean | None]]) -> str:
    fitting = "; ".join(f"{mean.value:,.0f} with {number}" for number, mean in counts.items())
    said = [f"Iterations of ours in {seconds:g} s, by rollouts: {fitting}."]
    for style, (result, check) in found.items():
        best = f"{capital(style)}, in equal time {result.best.name} scored most against c=1.4 with 4 rollouts"
        fresh = "." if check is None else f", and {percent(check)} in fresh games."
        said.append(f"{best}: {percent(result.best.score)}{fresh}")
    return "\n\n".join([*said, f"Ready to paste: {found[OUR_STYLE][0].best.agent}"])


def _table(counts: dict[int, Mean], seconds: float) -> Table:
    rows = [{"rollouts": number} | with_interval("iterations", "number", mean) for number, mean in counts.items()]
    return Table.of("fitting", f"Iterations of the first move in {seconds:g} s", rows)


def _figure(counts: dict[int, Mean], seconds: float) -> Chart:
    series = [
        Series.of("ours", list(counts), list(counts.values()), 1 / seconds),
        Series("Kim 2023", [int(PUBLISHED["rollouts"])], [ITERATIONS / SECONDS], published=True),
    ]
    axes = (
        Axis("rollouts an iteration", "number, logarithmic", log=True),
        Axis("iterations a second", "logarithmic", log=True),
    )
    return Chart("fitting", f"Iterations of the first move, counted in {seconds:g} s", *axes, series)
