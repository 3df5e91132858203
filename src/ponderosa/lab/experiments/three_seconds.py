"""The best constant, iterations and rollouts for three seconds a move at Connect Four. Start at ThreeSeconds.run."""

from __future__ import annotations

from ponderosa.lab.compare import above, equal, inside, percent
from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.figures import Axis, Chart, Series
from ponderosa.lab.ranges import with_settings
from ponderosa.lab.report import AGREES, DIFFERS, Claim, Findings
from ponderosa.lab.speed import NOTE, in_turns, mean_of
from ponderosa.lab.sweep import Mean, SweepResult
from ponderosa.lab.sweep_report import figures as sweep_figures
from ponderosa.lab.sweep_report import tables as sweep_tables
from ponderosa.lab.tables import Table, with_interval
from ponderosa.lab.works import KIM

SECONDS = 3.0
PUBLISHED = {"c": "1.4", "rollouts": "4"}
ITERATIONS = 1500


class ThreeSeconds(Experiment):
    """What fits into three seconds, and what to make of it."""

    name, title = "three-seconds", "Three seconds a move at Connect Four"
    question = (
        "Which exploration constant, how many iterations and how many rollouts each make the best use of three "
        "seconds a move at Connect Four? Iterations are as many as fit; constants and rollouts play against the "
        "published ones in equal time."
    )
    original = (
        f"{KIM}, chapter 6.4.2: c = 1.4 with {ITERATIONS:,} iterations of 4 rollouts each, chosen to fit into 3 s on a "
        "laptop."
    )

    def run(self, work: Work) -> Findings:
        """Count iterations in three seconds; then let settings play in equal time."""
        rollouts = work.pick(tiny=[1, 4], quick=[1, 4, 16], full=[1, 2, 4, 8, 16, 32])
        constants = work.pick(tiny=[1.4], quick=[0.7, 1.4, 2.0], full=[0.5, 0.7, 1.0, 1.4, 2.0])
        think = work.pick(tiny=0.002, quick=0.02, full=SECONDS)
        games = work.pick(tiny=2, quick=40, full=400)
        counts = self._counts(work, rollouts)
        vary = {"c": constants, "rollouts": rollouts}
        agent = f"mcts:seconds={think:g}"
        rival = with_settings(agent, PUBLISHED)
        result = work.sweep("connect4", agent, vary, rival, games, count_repeats=True)
        best = result.best
        check = None if best.settings == PUBLISHED else work.fresh("connect4", best.agent, rival, 2 * games)
        return Findings(
            _summary(counts, result, check),
            [_fit(counts), _best(result, check)],
            [_table(counts), *sweep_tables(result)],
            [_figure(counts), *sweep_figures(result)[:1]],
            [
                f"Iterations are counted on the first move, in {SECONDS:g} s. {NOTE}",
                f"The matches have {think:g} s a move on the clock, {games} games each, half of them in each seat."
                + ("" if think == SECONDS else f" The scale full plays with {SECONDS:g} s."),
                "The published settings play themselves, too: what they score shows how far chance alone reaches.",
            ],
        )

    @staticmethod
    def _counts(work: Work, rollouts: list[int]) -> dict[int, Mean]:
        seconds = work.pick(tiny=0.01, quick=SECONDS, full=SECONDS)
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
        return {number: mean_of([count * SECONDS / seconds for count in counts]) for number, counts in found.items()}


def _fit(counts: dict[int, Mean]) -> Claim:
    ours = counts[int(PUBLISHED["rollouts"])]
    times = ours.value / ITERATIONS
    return Claim(
        f"{ITERATIONS:,} iterations of 4 rollouts fit into 3 s.",
        f"{ours.value:,.0f} ({ours.low:,.0f} to {ours.high:,.0f}), {times:,.0f} times as many; half to twice agrees.",
        inside(ours.low, ours.value, ours.high, ITERATIONS / 2, ITERATIONS * 2),
        "The original's search is plain Python, ours is compiled; the machines differ too.",
    )


def _best(result: SweepResult, check: Mean | None) -> Claim:
    said = "c = 1.4 and 4 rollouts make the best use of the time."
    if check is None:
        return Claim(said, f"They came out best here too: {percent(result.best.score)}.", AGREES)
    verdict = DIFFERS if above(check) == AGREES else equal(check)
    why = (
        "With iterations this cheap, more of them tell more than more rollouts of each do."
        if verdict == DIFFERS
        else ""
    )
    ours = f"{result.best.name} came out best, and scored {percent(check)} against them in fresh games."
    return Claim(said, ours, verdict, why)


def _summary(counts: dict[int, Mean], result: SweepResult, check: Mean | None) -> str:
    fitting = "; ".join(f"{mean.value:,.0f} with {number}" for number, mean in counts.items())
    best = f"In equal time {result.best.name} scored most against c=1.4 with 4 rollouts: {percent(result.best.score)}"
    fresh = "." if check is None else f", and {percent(check)} in fresh games."
    ready = with_settings(result.best.agent, {"seconds": f"{SECONDS:g}"})
    return f"Iterations in 3 s, by rollouts: {fitting}.\n\n{best}{fresh}\n\nReady to paste: {ready}"


def _table(counts: dict[int, Mean]) -> Table:
    rows = [{"rollouts": number} | with_interval("iterations", "number", mean) for number, mean in counts.items()]
    return Table.of("fitting", "Iterations of the first move in 3 s", rows)


def _figure(counts: dict[int, Mean]) -> Chart:
    series = [
        Series.of("ours", list(counts), list(counts.values())),
        Series("Kim 2023", [int(PUBLISHED["rollouts"])], [ITERATIONS], published=True),
    ]
    axes = Axis("rollouts an iteration", "number, logarithmic", log=True), Axis("iterations", "logarithmic", log=True)
    return Chart("fitting", "Iterations of the first move in 3 s", *axes, series)
