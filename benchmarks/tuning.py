"""How often tuning finds a planted optimum: python benchmarks/tuning.py [--seeds 100] [--games 500]. Start at main.

The sampler, the pruner and the model are those of `ponderosa tune`; games are drawn from their chances, so that a
hundred tunings take minutes. Strength is a parabola in c, or in its logarithm, with its top at 1.4.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import asdict
from statistics import NormalDist, median

import numpy as np
import optuna
from optuna.trial import TrialState

from ponderosa.lab.tuning.hill import RESULT, HillSampler, Result, played_trials
from ponderosa.lab.tuning.space import Space
from ponderosa.lab.tuning.tuner import BATCH, RUNGS

TOP, DEFAULT = 1.4, 0.8
HILLS = {
    "parabola": lambda c: ((c - TOP) / 1.5) ** 2,
    "parabola of log c": lambda c: (math.log(c / TOP) / math.log(2)) ** 2,
}


def chance(hill: str, steep: float, c: float) -> float:
    """How often the agent with c wins against the one with the default."""
    difference = steep * (HILLS[hill](DEFAULT) - HILLS[hill](c))
    return 1 / (1 + 10 ** (-difference / 400))


def tuned(hill: str, steep: float, param: str, games: int, seed: int) -> float:
    """The c that one tuning finds."""
    space, random = Space.read([param]), np.random.default_rng(seed)
    sampler = HillSampler(space, seed, BATCH)
    study = optuna.create_study(
        sampler=sampler, pruner=optuna.pruners.MedianPruner(n_startup_trials=BATCH), direction="maximize"
    )
    left = games
    while (count := min(BATCH, left // (2 * RUNGS[-1]))) > 0:
        trials = [study.ask({p.name: p.distribution() for p in space.params}) for _ in range(count)]
        ended = []
        for trial in trials:
            won, played, alive = 0, 0, True
            for pairs in RUNGS:
                won += int(random.binomial(2 * pairs - played, chance(hill, steep, trial.params["c"])))
                played = 2 * pairs
                trial.report(won / played, pairs)
                alive = not trial.should_prune()
                if not alive:
                    break
            trial.set_user_attr(RESULT, asdict(Result(played, float(won), played, None, False)))
            left -= played
            ended.append((trial, won / played if alive else None))
        for trial, score in ended:
            study.tell(trial, score, state=TrialState.PRUNED if score is None else TrialState.COMPLETE)
    _, best = sampler.model(played_trials(study))
    return float(best["c"])


def main() -> None:
    """Print the share of tunings that end within a tenth of the top."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--steep", type=float, nargs="*", default=[300, 600, 1200])
    parser.add_argument("--param", nargs="*", default=["c=0.1:3.0", "c=0.1:3.0:log"])
    parser.add_argument("--hill", nargs="*", default=list(HILLS))
    given = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    z = NormalDist().inv_cdf(0.975)
    for hill in given.hill:
        for steep in given.steep:
            for param in given.param:
                errors = [abs(tuned(hill, steep, param, given.games, seed) / TOP - 1) for seed in range(given.seeds)]
                share = sum(error <= 0.1 for error in errors) / len(errors)
                half = z * math.sqrt(share * (1 - share) / len(errors))
                print(
                    f"{hill}, {steep:g} Elo, {param}, {given.games} games: within 10 % in {share:.0%} (± {half:.0%}) "
                    f"of {given.seeds} tunings, median error {median(errors):.1%}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
