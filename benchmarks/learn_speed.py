"""How fast a network plays against itself and learns, and what the parts take. Start at speed; learn.py calls it."""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import json
import pstats
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa import load_game
from ponderosa.core.observation import observed
from ponderosa.forest.forest import Forest
from ponderosa.learning.learn import at_device, learn
from ponderosa.learning.replay import Replay
from ponderosa.learning.run import Run, new_player
from ponderosa.learning.selfplay import SelfPlay
from ponderosa.learning.settings import LearnSettings, network_of, settled
from ponderosa.learning.training import Trainer
from ponderosa.networks.file import shape_for

SECONDS = 20.0
"""How long self-play is timed."""
ROUNDS = 7
"""How often the two sides of a comparison take turns."""
ON_CARD = ("kernel", "gpu_memcpy", "gpu_memset")
KERNELS = 30
"""How many are printed."""
STEPS = 64
"""Of training, that are timed together."""
FUNCTIONS = 25
"""How many of a profile are printed."""
BLOCK_SECONDS = 3.0
"""How long self-play is timed with blocks of another size."""


def speed(options: argparse.Namespace) -> None:
    """Moves of self-play a second, beside what the network alone would allow; what its parts take; and training."""
    for number, tables in enumerate(options.tables or [None]):
        speed_at(options, tables, trains=number == 0)


def speed_at(options: argparse.Namespace, tables: int | None, trains: bool) -> None:
    """The same with so many tables; training is the same with any number."""
    game = load_game(options.game)
    given = LearnSettings(tables=tables, network=options.network)
    with at_device(options.device):
        settings = settled(given, game, options.device)
        assert settings.tables is not None
        player, judge = new_player(game, settings, options.device)
        begin = time.perf_counter()
        for _ in range(3):
            player.step()
        print(f"{options.game} on {options.device}: {time.perf_counter() - begin:.1f} s until it plays", flush=True)
        taken = Taken()
        taken.watch(player, "step", "harvest")
        taken.watch(player._forest, "run_anew")
        steps, begin = 0, time.perf_counter()
        while time.perf_counter() - begin < options.seconds:
            player.step()
            steps += 1
            if steps % settings.moves == 0:
                player.harvest()
        moves = steps * settings.tables / (time.perf_counter() - begin)
        alone = judge_speed(judge, observed(game, player.tables.records), options.device)
        needed = moves * settings.simulations
        print(
            f"{options.game}, {settings.network}, {settings.tables} tables, {settings.simulations} simulations: "
            f"{moves:,.0f} moves/s; the network alone {alone:,.0f} positions/s: self-play takes {needed / alone:.0%}"
        )
        network = settings.tables * settings.simulations / alone
        search = taken["run_anew"] / steps
        print("| of a move at every table | ms |\n| --- | ---: |")
        print(
            f"| the network alone | {1000 * network:.1f} |\n| the forest beside it | {1000 * (search - network):.1f} |"
        )
        print(f"| Python | {1000 * (taken['step'] / steps - search):.1f} |")
        print(f"| lessons of games that have ended | {1000 * taken['harvest'] / steps:.1f} |", flush=True)
        with kernels_shown(options.kernels):
            player.step()
        if options.profile:
            functions_shown(player, settings.moves)
        for size in options.blocks or ():
            blocks_of(size, player, settings.tables)
        if trains:
            training(options, player, settings)
        if options.device == "cpu":
            print("| part | before | now | times |\n| --- | ---: | ---: | ---: |")
            judging(judge, observed(game, player.tables.records))


def functions_shown(player: Any, moves: int) -> None:
    """Print what the functions of Python take of some moves at every table, and of their lessons."""
    seen = cProfile.Profile()
    with seen:
        for _ in range(moves):
            player.step()
        player.harvest()
    print(f"of {moves} moves at every table and their lessons, slower than without the profile:")
    pstats.Stats(seen, stream=sys.stdout).sort_stats("tottime").print_stats(FUNCTIONS)


def run(options: argparse.Namespace) -> None:
    """A whole run of learning, and what its parts take: waits for the compiler, the network and the disk included."""
    taken = Taken()
    taken.watch(Run, "_turn", "_train", "_measure", "save")
    taken.watch(SelfPlay, "step", "harvest")
    taken.watch(Forest, "run_anew")
    taken.watch(Replay, "add")
    given = {name: getattr(options, name) for name in ("network", "gates") if getattr(options, name) is not None}
    given |= {"tables": options.tables[0]} if options.tables else {}
    begin = time.perf_counter()
    found = learn(options.game, options.minutes or 0.5, device=options.device, out=options.out, **given)
    print(
        f"{options.game}, {given}: {found.games:,} games, {found.positions:,} positions in {found.seconds:.1f} s of "
        f"the plan, {time.perf_counter() - begin:.1f} s in all"
    )
    print("| part | seconds |\n| --- | ---: |")
    for name, seconds in taken.most_common():
        print(f"| {name} | {seconds:.2f} |", flush=True)


def blocks_of(size: int, player: Any, tables: int) -> None:
    """Print moves a second of self-play when a card's kernels have so many threads in a block."""
    from ponderosa.compile import cuda_code

    usual, cuda_code.THREADS = cuda_code.THREADS, size
    player.step()
    steps, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < BLOCK_SECONDS:
        player.step()
        steps += 1
    print(f"blocks of {size} threads: {steps * tables / (time.perf_counter() - begin):,.0f} moves/s", flush=True)
    cuda_code.THREADS = usual
    player.harvest()


class Taken(Counter[str]):
    """Seconds that methods take."""

    def watch(self, owner: Any, *names: str) -> None:
        for name in names:
            setattr(owner, name, self._timed(name, getattr(owner, name)))

    def _timed(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: Any, **more: Any) -> Any:
            begin = time.perf_counter()
            try:
                return method(*given, **more)
            finally:
                self[name] += time.perf_counter() - begin  # type: ignore[assignment]  # a Counter takes any number

        return timed


@contextlib.contextmanager
def kernels_shown(wanted: bool) -> Iterator[None]:
    """Print what a card's kernels take meanwhile, as PyTorch's profiler sees them."""
    if not wanted:
        yield
        return
    from torch.profiler import ProfilerActivity, profile

    begin = time.perf_counter()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        yield
        passed = time.perf_counter() - begin
    with tempfile.TemporaryDirectory() as folder:
        seen.export_chrome_trace(f"{folder}/trace.json")
        events = json.loads(Path(f"{folder}/trace.json").read_text())["traceEvents"]
    work = sorted((event["ts"], event["dur"], event["name"]) for event in events if event.get("cat") in ON_CARD)
    busy, end = 0.0, 0.0
    for begun, duration, _ in work:
        busy += max(0.0, begun + duration - max(begun, end))
        end = max(end, begun + duration)
    print(f"the card is at work in {busy / 1000:.1f} of {1000 * passed:.1f} ms\n| kernel | times | ms | us each |")
    print("| --- | ---: | ---: | ---: |")
    taken, times = Counter[str](), Counter(name for _, _, name in work)
    for _, duration, name in work:
        taken[name] += duration  # type: ignore[assignment]  # a Counter takes any number
    for name, whole in taken.most_common(KERNELS):
        print(f"| {name[:80]} | {times[name]} | {whole / 1000:.2f} | {whole / times[name]:.1f} |")


def training(options: argparse.Namespace, player: Any, settings: LearnSettings) -> None:
    """Positions a second that training takes in, and that the network's steps alone would."""
    import jax

    assert settings.actions is not None and settings.window is not None and settings.batch is not None
    game = player.tables.game
    shape = shape_for(game, settings.actions)
    trainer, replay = (
        Trainer(network_of(settings, shape), shape, game, settings),
        Replay(game, settings.actions, settings.window),
    )
    while replay.total < 4 * settings.batch:
        player.step()
        replay.add(player.harvest())
    begin = time.perf_counter()
    trainer.train(replay, 2, settings.learning_rate)
    print(f"training {time.perf_counter() - begin:.1f} s until it trains", flush=True)
    steps = STEPS if options.device == "cuda" else 8
    with kernels_shown(options.kernels):
        trainer.train(replay, 4, settings.learning_rate)
    begin = time.perf_counter()
    trainer.train(replay, steps, settings.learning_rate)
    whole = steps * settings.batch / (time.perf_counter() - begin)
    one = one_step(trainer, replay, settings.learning_rate)
    one()
    jax.block_until_ready(trainer.weights)
    begin = time.perf_counter()
    for _ in range(steps):
        one()
    begun = time.perf_counter() - begin
    jax.block_until_ready(trainer.weights)
    alone = steps * settings.batch / (time.perf_counter() - begin)
    print(
        f"training: {whole:,.0f} positions/s, its steps alone {alone:,.0f}, a step {1000 * begun / steps:.1f} ms until "
        "it is begun",
        flush=True,
    )
    begin, number = time.perf_counter(), replay.total
    for _ in range(settings.moves):
        player.step()
    played, lessons = time.perf_counter(), player.harvest()
    harvested = time.perf_counter()
    replay.add(lessons)
    trainer.train(replay, 1, settings.learning_rate)
    print(
        f"{replay.total - number:,} new positions: played in {1000 * (played - begin):.0f} ms, made lessons in "
        f"{1000 * (harvested - played):.0f} ms, taken over in {1000 * (time.perf_counter() - harvested):.0f} ms",
        flush=True,
    )


def one_step(trainer: Any, replay: Replay, rate: float) -> Callable[[], Any]:
    """A step of training on positions that are where the network is."""
    import jax

    if trainer._held is None:
        shown = trainer._batch(replay, 0, jax.devices()[0])
        return lambda: trainer._step_on(shown, rate)
    numbers, images = jax.device_put(trainer._drawn(replay, 0))
    places = (numbers % replay.size).astype(np.int32)

    def one() -> None:
        trainer.weights, _ = trainer._step_on_held(
            trainer.weights, trainer._held.rows, places, images, np.float32(rate)
        )

    return one


def judge_speed(judge: Any, planes: Any, device: str, seconds: float = 3.0) -> float:
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
