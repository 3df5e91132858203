"""Multi-armed bandits: which rule of choosing loses least, and how its loss grows. Start at Bandits.run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa.arena.results.statistics import Z
from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.works import KIM
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, Claim, Findings
from ponderosa.lab.reports.tables import Table
from ponderosa.lab.sweeps.sweep import Mean

ARMS = {
    "one good arm": [0.9] + [0.6] * 9,
    "many near arms": [0.9] + [0.8] * 3 + [0.7] * 3 + [0.6] * 3,
    "two arms": [0.8, 0.3],
}
"""How often each arm of a machine pays 1 rather than 0: two of the sets that Auer, Cesa-Bianchi and Fischer used, and
Kim's example of how greed fails."""
TWO = "two arms"
EPSILON = 0.1
POINTS = 60
"""How many points of a curve are kept."""

Scores = Callable[[Any, Any, int, Any], Any]
"""Scores of all arms from how often each was pulled (runs x arms), what it paid in all, the pull, a generator."""


def greedy(pulls: Any, paid: Any, now: int, random: Any) -> Any:
    """The mean so far."""
    return paid / pulls


def epsilon_greedy(pulls: Any, paid: Any, now: int, random: Any) -> Any:
    """The mean so far; one time in ten any arm."""
    explore = random.random((len(pulls), 1)) < EPSILON
    return np.where(explore, random.random(pulls.shape), paid / pulls)


def ucb1(pulls: Any, paid: Any, now: int, random: Any) -> Any:
    """mean + sqrt(2 ln t / n)"""
    return paid / pulls + np.sqrt(2 * math.log(now) / pulls)


def ucb1_tuned(pulls: Any, paid: Any, now: int, random: Any) -> Any:
    """mean + sqrt(ln t / n * min(1/4, variance + sqrt(2 ln t / n)))"""
    mean, share = paid / pulls, math.log(now) / pulls
    return mean + np.sqrt(share * np.minimum(0.25, mean - mean**2 + np.sqrt(2 * share)))


def thompson(pulls: Any, paid: Any, now: int, random: Any) -> Any:
    """A draw from Beta(1 + what was paid, 1 + what was not)."""
    return random.beta(1 + paid, 1 + pulls - paid)


RULES: dict[str, Scores] = {
    "greedy": greedy,
    f"epsilon-greedy ({EPSILON:g})": epsilon_greedy,
    "UCB1": ucb1,
    "UCB1-tuned": ucb1_tuned,
    "Thompson": thompson,
}
LOGARITHMIC = ("UCB1", "UCB1-tuned", "Thompson")


def regrets(rule: str, arms: list[float], runs: int, at: list[int], seed: int) -> Any:
    """The regret of every run after this many pulls (runs x at): what the best arm would have paid more, on average."""
    random, lost = np.random.default_rng(seed), max(arms) - np.array(arms)
    chance, each = np.array(arms), np.arange(runs)
    count, paid = np.zeros((2, runs, len(arms)))
    total, seen = np.zeros(runs), []
    for now in range(max(at)):
        if now < len(arms):
            chosen = np.full(runs, now)
        else:
            scores = RULES[rule](count, paid, now, random)
            chosen = np.argmax(scores + 1e-9 * random.random(scores.shape), axis=1)  # equal scores: any of them
        count[each, chosen] += 1
        paid[each, chosen] += random.random(runs) < chance[chosen]
        total += lost[chosen]
        if now + 1 in at:
            seen.append(total.copy())
    return np.array(seen).T


def regret_curve(rule: str, arms: list[float], runs: int, pulls: int, seed: int) -> dict[str, Any]:
    """Mean regret with its interval at some pulls, and how it grows.

    `growth` is the regret of the last doubling of the pulls, by that of the doubling before: 1 when regret grows with
    the logarithm, 2 when it grows in proportion to the pulls.
    """
    points = np.geomspace(len(arms), pulls, POINTS).round().astype(int).tolist()
    at = sorted({*points, pulls // 4, pulls // 2, pulls})
    regret = regrets(rule, arms, runs, at, seed)
    errors = Z * regret.std(0, ddof=1) / math.sqrt(runs)
    means = [Mean.positive(runs, *both) for both in zip(regret.mean(0).tolist(), errors.tolist(), strict=True)]
    quarter, half, end = (regret[:, at.index(now)] for now in (pulls // 4, pulls // 2, pulls))
    low, high = ratio_interval(end - half, half - quarter)
    return {
        "pulls": at,
        "mean": [one.value for one in means],
        "low": [one.low for one in means],
        "high": [one.high for one in means],
        "growth": growth_of(end - half, half - quarter),
        "growth low": low,
        "growth high": high,
    }


def astray(rule: str, runs: int, pulls: int, seed: int) -> float:
    """The share of runs on the machine with two arms that pull the worse one throughout the last tenth."""
    first, gap = pulls - pulls // 10, max(ARMS[TWO]) - min(ARMS[TWO])
    regret = regrets(rule, ARMS[TWO], runs, [first, pulls], seed)
    return float(np.mean(regret[:, 1] - regret[:, 0] > (pulls - first - 0.5) * gap))


def growth_of(above: Any, below: Any) -> float:
    """The ratio of two mean regrets; 1 where nothing is lost any more."""
    return float(above.mean() / below.mean()) if below.mean() > 0 else 1.0


def ratio_interval(above: Any, below: Any) -> tuple[float, float]:
    """An interval of 95 % for the ratio of two means over the same runs, by the delta method."""
    if below.mean() <= 0:
        return 0.0, math.inf
    ratio = above.mean() / below.mean()
    error = Z * (above - ratio * below).std(ddof=1) / math.sqrt(len(above)) / below.mean()
    found = Mean.positive(len(above), float(ratio), float(error))
    return found.low, found.high


def bound(arms: list[float], pulls: int) -> float:
    """Auer and others' bound of the regret of UCB1 (2002, theorem 1)."""
    gaps = [max(arms) - chance for chance in arms if chance < max(arms)]
    return sum(8 * math.log(pulls) / gap for gap in gaps) + (1 + math.pi**2 / 3) * sum(gaps)


class Bandits(Experiment):
    """Regret curves of five rules on two machines with ten arms and one with two."""

    name, title = "bandits", "Five rules for the multi-armed bandit"
    plays = False
    question = (
        "A machine has two or ten arms that pay 1 with different chances and 0 else. Which rule of choosing the next "
        "arm loses least against always pulling the best one (its regret), and how does the regret grow with the pulls?"
    )
    original = (
        "Auer, Cesa-Bianchi and Fischer (Finite-time analysis of the multiarmed bandit problem, 2002) proved that the "
        "regret of UCB1 grows no faster than the logarithm of the pulls, and saw UCB1-tuned do better than UCB1. A "
        "rule that explores a fixed share of the time, or never, loses in proportion to the pulls. Chapelle and Li (An "
        "empirical evaluation of Thompson sampling, 2011) found Thompson sampling at least as good as UCB rules. "
        f"{KIM}, section 3.2: of two machines that win 80 and 30 % of the time, a greedy player who loses at the first "
        "and wins at the second goes on with the worse one."
    )

    def run(self, work: Work) -> Findings:
        """One curve for each rule and machine."""
        runs = work.pick(tiny=40, quick=400, full=2000)
        pulls = work.pick(tiny=2048, quick=16384, full=131072)
        todo = [(machine, rule) for machine in ARMS for rule in RULES]
        curves: dict[tuple[str, str], dict[str, Any]] = {}
        for done, (machine, rule) in enumerate(todo):
            work.tell(f"{rule}, {machine}", done, len(todo))
            arguments = {"rule": rule, "arms": ARMS[machine], "runs": runs, "pulls": pulls, "seed": work.seed}
            curves[machine, rule] = work.kept(regret_curve, **arguments)
        late = {rule: work.kept(astray, rule=rule, runs=runs, pulls=pulls, seed=work.seed) for rule in RULES}
        note = f"Means of {runs:,} runs of {pulls:,} pulls; intervals of 95 % over the runs."
        figures = [_figure(machine, curves) for machine in ARMS]
        return Findings(_summary(curves), [*_claims(curves, pulls), _greed(late)], [_table(curves)], figures, [note])


Curves = dict[tuple[str, str], dict[str, Any]]


def _figure(machine: str, curves: Curves) -> Chart:
    series = []
    for rule in RULES:
        curve = curves[machine, rule]
        series.append(Series(rule, curve["pulls"], curve["mean"], curve["low"], curve["high"]))
    axes = Axis("pulls", "number, logarithmic", log=True), Axis("regret", "payments lost")
    name = f"regret-{machine.replace(' ', '-')}"
    return Chart(name, f"Regret, {machine}", *axes, series, interval="mean, 95 % interval")


def _table(curves: Curves) -> Table:
    rows = [
        {
            "machine": machine,
            "rule": rule,
            "regret (payments)": curve["mean"][-1],
            "low": curve["low"][-1],
            "high": curve["high"][-1],
            "growth a doubling": curve["growth"],
            "growth low": curve["growth low"],
            "growth high": curve["growth high"],
        }
        for (machine, rule), curve in curves.items()
    ]
    title = "Regret at the end; growth is 1 when it is logarithmic and 2 when it is linear"
    return Table.of("regret", title, rows)


def _summary(curves: Curves) -> str:
    best = {machine: min(RULES, key=lambda rule: curves[machine, rule]["mean"][-1]) for machine in ARMS}
    least = "; ".join(
        f"{machine}: {rule}, {curves[machine, rule]['mean'][-1]:.1f} payments lost" for machine, rule in best.items()
    )
    return f"The least regret at the end has, {least}. How the regret grows is in the table."


def _claims(curves: Curves, pulls: int) -> list[Claim]:
    easy = "one good arm"
    growth = {rule: curves[easy, rule] for rule in RULES}

    def grows(rule: str) -> str:
        return f"{growth[rule]['growth']:.2f} ({growth[rule]['growth low']:.2f} to {growth[rule]['growth high']:.2f})"

    linear = f"epsilon-greedy ({EPSILON:g})"
    within = all(
        mean <= bound(ARMS[machine], at)
        for machine in ARMS
        for at, mean in zip(curves[machine, "UCB1"]["pulls"], curves[machine, "UCB1"]["mean"], strict=True)
    )
    return [
        Claim(
            "The regret of UCB1 grows with the logarithm of the pulls.",
            f"The last doubling of the pulls added {grows('UCB1')} times the regret of the one before ({easy}); "
            f"1 is logarithmic, 2 linear. {'Never' if within else 'Not always'} above the proven bound.",
            _nearer(growth["UCB1"], 1.0) if within else DIFFERS,
        ),
        Claim(
            "Greedy and epsilon-greedy lose in proportion to the pulls.",
            f"Greedy {grows('greedy')}, {linear} {grows(linear)} times.",
            AGREES if {_nearer(growth[rule], 2.0) for rule in ("greedy", linear)} == {AGREES} else OPEN,
            "Greedy stays for ever with a wrong arm in some runs, and its regret is exactly linear in those.",
        ),
        _compared("UCB1-tuned does better than UCB1.", "UCB1-tuned", "UCB1", curves, pulls),
        _compared("Thompson sampling is at least as good as the UCB rules.", "Thompson", "UCB1-tuned", curves, pulls),
    ]


def _greed(late: dict[str, float]) -> Claim:
    """Whether greed stays with the worse of two arms, and exploring does not."""
    said = "; ".join(f"{rule} {share:.1%}" for rule, share in late.items())
    explorers = max(share for rule, share in late.items() if rule != "greedy")
    verdict = OPEN if late["greedy"] == 0 else AGREES if explorers == 0 else DIFFERS
    return Claim(
        "A greedy player may stay with the worse of two machines.",
        f"Runs that pulled nothing but the worse arm in the last tenth: {said}.",
        verdict,
        "" if verdict == AGREES else "A rule that explores went astray too, or greed never did.",
    )


def _nearer(curve: dict[str, Any], wanted: float) -> str:
    """Whether a growth is logarithmic (1) or linear (2), as wanted; it cannot be told if the interval has both."""
    low, high = curve["growth low"], curve["growth high"]
    if low < 1.5 < high:
        return OPEN
    return AGREES if (curve["growth"] < 1.5) == (wanted < 1.5) else DIFFERS


def _compared(claim: str, rule: str, other: str, curves: Curves, pulls: int) -> Claim:
    """Whether a rule lost less than another on both machines of the original."""
    said, verdicts = [], set()
    for machine in (name for name in ARMS if name != TWO):
        ours, theirs = curves[machine, rule], curves[machine, other]
        said.append(f"{machine}: {rule} lost {ours['mean'][-1]:.1f}, {other} {theirs['mean'][-1]:.1f}")
        apart = ours["high"][-1] < theirs["low"][-1] or ours["low"][-1] > theirs["high"][-1]
        better = ours["mean"][-1] < theirs["mean"][-1]
        verdicts.add((AGREES if better else DIFFERS) if apart else OPEN)
    verdict = verdicts.pop() if len(verdicts) == 1 else OPEN
    why = "" if verdict == AGREES else "The intervals overlap, or the two machines disagree."
    return Claim(claim, f"After {pulls:,} pulls, {'; '.join(said)}.", verdict, why)
