"""How fast a network plays against itself, and what its parts take. Start at speed; benchmarks/learn.py calls it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa import load_game
from ponderosa.core.observation import observed
from ponderosa.learning.learn import at_device
from ponderosa.learning.run import new_player
from ponderosa.learning.settings import LearnSettings, settled

SECONDS = 20.0
"""How long self-play is timed."""
ROUNDS = 7
"""How often the two sides of a comparison take turns."""


def speed(options: argparse.Namespace) -> None:
    """Moves of self-play a second, beside what the network alone would allow; then its parts, two ways each."""
    game = load_game(options.game)
    given = LearnSettings(tables=options.tables, network=options.network)
    with at_device(options.device):
        settings = settled(given, game, options.device)
        player, judge = new_player(game, settings, options.device)
        for _ in range(3):
            player.step()
        begin, steps = time.perf_counter(), 0
        while time.perf_counter() - begin < SECONDS:
            player.step()
            steps += 1
        moves = steps * settings.tables / (time.perf_counter() - begin)
        alone = judge_speed(judge, observed(game, player.tables.records), options.device)
        needed = moves * settings.simulations
        print(
            f"{options.game}, {settings.network}, {settings.tables} tables, {settings.simulations} simulations: "
            f"{moves:,.0f} moves/s; the network alone {alone:,.0f} positions/s: self-play takes {needed / alone:.0%}"
        )
        print("| part | before | now | times |\n| --- | ---: | ---: | ---: |")
        if options.device == "cpu":
            judging(judge, observed(game, player.tables.records))


def judge_speed(judge: Any, planes: Any, device: str, seconds: float = 5.0) -> float:
    """Positions a second that the network judges in batches of this size, where they are."""
    import jax
    import jax.numpy as jnp

    ask, seen = (judge, planes) if device == "cpu" else (judge.at_once, jnp.asarray(planes))
    jax.block_until_ready(ask(seen))
    begin, rounds = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        jax.block_until_ready([ask(seen) for _ in range(8)])
        rounds += 8
    return float(rounds * len(planes) / (time.perf_counter() - begin))


def compared(name: str, before: Callable[[], Any], now: Callable[[], Any]) -> None:
    """A row of the table: what each of two ways takes, by turns, and the median of how many times as fast one is."""
    before(), now()
    taken = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        before()
        between = time.perf_counter()
        now()
        taken.append((between - begin, time.perf_counter() - between))
    (old, new), times = np.median(taken, axis=0), np.median([one / other for one, other in taken])
    print(f"| {name} | {1000 * old:.1f} ms | {1000 * new:.1f} ms | {times:.1f} |", flush=True)


def judging(judge: Any, planes: Any) -> None:
    """The network on a processor: in one batch, and in pieces on all cores."""
    import jax

    compared(
        "the network, once at each table", lambda: jax.block_until_ready(judge.at_once(planes)), lambda: judge(planes)
    )
