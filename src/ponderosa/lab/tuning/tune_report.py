"""A tuning as tables, figures and words. Start at findings."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa.arena.results.statistics import Z, score_of
from ponderosa.core.spec import split_spec
from ponderosa.lab.reports.figures import Axis, Chart, Figure, Series
from ponderosa.lab.reports.report import About, Findings, write_report
from ponderosa.lab.reports.tables import Table
from ponderosa.lab.sweeps.sweep import slug
from ponderosa.lab.tuning.space import Param
from ponderosa.lab.tuning.tune import Trial, TuneResult

STEPS = 60
"""Points of a curve."""


def write_tuning(folder: Path, result: TuneResult, command: str) -> Path:
    """Write the folder of a tuning: data, figures, report.md and report.html, which is given."""
    plan = result.plan
    names = ", ".join(param.name for param in plan.space.params)
    question = f"Which {names} makes {plan.agent} strongest at {plan.game}?{_limit(result)}"
    title = f"{plan.game}: {plan.agent} with {names} tuned"
    about = About(
        f"tune-{slug(plan.game)}", title, question, "", "own", plan.conditions.seed, version("ponderosa"), command
    )
    return write_report(folder, about, findings(result))


def findings(result: TuneResult) -> Findings:
    """All that a tuning has shown."""
    return Findings(summary(result), tables=[_trials(result)], figures=figures(result), notes=_notes(result))


def summary(result: TuneResult) -> str:
    """The best agent, ready to paste, and what it is worth."""
    words = [f"Ready to paste: {result.agent}", measured(result)]
    if result.plan.slowest is not None and result.slow is not None:
        kept = "" if result.slow <= result.plan.slowest else ", which is more than the limit"
        words.append(f"95 % of its moves took at most {result.slow:.3g} s{kept}.")
    return "\n\n".join(words + _doubts(result))


def measured(result: TuneResult) -> str:
    """The Elo of the fresh match, in words."""
    elo = result.validation.elo
    against = result.plan.agent
    if elo is None:
        return f"No game of the fresh match against {against} counts."
    return (
        f"{elo.elo:+.0f} Elo (95 %: {elo.low:+.0f} to {elo.high:+.0f}) against {against}, in {elo.games:,} fresh games."
    )


def _doubts(result: TuneResult) -> list[str]:
    """What a reader should know before pasting."""
    found, elo = [], result.validation.elo
    if elo is not None and elo.low <= 0:
        found.append(
            "The interval has 0 in it: it is not sure that the default is worse. A larger --budget tells more."
        )
    for param in result.plan.space.params:
        if not param.choices and param.encode(result.values[param.name])[0] in (0.0, 1.0):
            found.append(f"{param.name} is at the end of its range: a wider range may hold something better.")
    scores = [trial.points / trial.games for trial in result.trials if trial.games]
    if scores and np.mean(scores) > 0.9:
        found.append("Almost every game was won: a stronger opponent (--against) would tell the settings apart better.")
    return found


def _notes(result: TuneResult) -> list[str]:
    plan, pruned = result.plan, sum(trial.pruned for trial in result.trials)
    return [
        f"{result.games:,} games of {len(result.trials)} trials in pairs with seats swapped, against {plan.against}; "
        f"{pruned} trials were broken off early. Openings {plan.conditions.openings}, seed {plan.conditions.seed}.",
        "The best settings are the top of a model of all games, not the luckiest trial; the fresh match is apart.",
        f"The model expects {result.expected[0]:+.0f} ± {Z * result.expected[1]:.0f} Elo above the opponent.",
    ]


def _limit(result: TuneResult) -> str:
    slowest = result.plan.slowest
    return "" if slowest is None else f" A move may take {slowest:g} s."


def _trials(result: TuneResult) -> Table:
    rows = [_row(result, trial) for trial in result.trials]
    return Table.of("trials", "Every setting that was tried", rows)


def _row(result: TuneResult, trial: Trial) -> dict[str, Any]:
    point = [result.plan.space.encode(trial.values)]
    mean, error = float(result.model.mean(point)[0]), Z * float(result.model.deviation(point)[0])
    return {
        "trial": trial.number,
        **trial.values,
        "games": trial.games,
        "score (%)": 100 * trial.points / trial.games,
        "model (Elo)": mean,
        "model low": mean - error,
        "model high": mean + error,
        "95 % of moves (ms)": None if trial.slow is None else 1e3 * trial.slow,
        "allowed": trial.feasible,
        "broken off": trial.pruned,
    }


def figures(result: TuneResult) -> list[Figure]:
    """The strength along each setting, the others being the best ones."""
    return [_along(result, param) for param in result.plan.space.params]


def _along(result: TuneResult, param: Param) -> Chart:
    steps = [param.decode(share) for share in np.linspace(0, 1, STEPS)]
    places: list[Any] = list(param.choices) or sorted(set(steps))
    points = [result.plan.space.encode(result.values | {param.name: value}) for value in places]
    mean, error = result.model.mean(points), Z * result.model.deviation(points)
    curve, low, high = ([100 * score_of(float(value)) for value in ends] for ends in (mean, mean - error, mean + error))
    series = [Series("model of all games", places, curve, low, high)]
    tried = sorted(result.trials, key=lambda trial: trial.values[param.name] if not param.choices else trial.number)
    x, y = [trial.values[param.name] for trial in tried], [100 * trial.points / trial.games for trial in tried]
    series.append(Series("trials, a few games each", x, y, published=True))
    best = result.values[param.name]
    top = 100 * score_of(result.expected[0])
    series.append(Series(f"best: {param.name}={result.settings[param.name]}", [best], [top], published=True))
    axes = (
        Axis(param.name, log=param.log),
        Axis(f"score against {split_spec(result.plan.against)[0]}", "%", low=0, high=100),
    )
    title = f"Strength along {param.name}" + (
        ", other settings at their best" if len(result.plan.space.params) > 1 else ""
    )
    return Chart(f"along-{slug(param.name)}", title, *axes, series, level=50.0, interval="95 % interval of the model")
