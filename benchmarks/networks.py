"""The networks that come with the package: trained on a card, measured on two cores. Start at PLANS.

    pip install "ponderosa[learn,cuda,net,bench]"
    python benchmarks/networks.py train connect4 --device cuda --out runs/connect4   # as it was trained
    python benchmarks/networks.py train hex --device cuda --out runs/hex --minutes 1 # a shorter trial of the same
    python benchmarks/networks.py measure connect4                                   # src/ponderosa/networks/shipped
    python benchmarks/networks.py measure hex --file runs/hex/network.onnx

Training goes through phases; each begins with the weights of the one before it. The same command goes on where it was
stopped. Into --keep go the few files that another machine needs to go on (`--weights KEEP`), and the network.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from networks_measured import MEASURED, measure

from ponderosa.learning.learn import learn


@dataclass(frozen=True)
class Phase:
    """A part of a training."""

    minutes: float
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """How a network was trained."""

    game: str
    phases: tuple[Phase, ...]


def fast(**more: Any) -> dict[str, Any]:
    """What all phases on a card have in common: nothing is measured there, which would take minutes of it."""
    return {"network": "small", "gates": 0, "moves": 8, "passes": 4.0} | more


BOARD = fast(tables=32768, openings=36.0, drawn=8)
PLANS = {
    "connect4": Plan("connect4", (Phase(4.7, BOARD), Phase(2.8, BOARD | {"simulations": 64, "learning_rate": 1e-3}))),
    "gomoku": Plan("gomoku", (Phase(7.5, fast(tables=4096, openings=8.0, drawn=12)),)),
    "othello": Plan("othello", (Phase(7.8, fast(tables=16384, drawn=16)),)),
    "hex": Plan("hex:size=7", (Phase(6.5, fast(tables=16384, drawn=8)),)),
}
"""The runs shared one card, two or three at a time, with each other and with the solver of Connect Four."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train", help="train a network as it was trained for the package")
    training.add_argument("game", choices=list(PLANS))
    training.add_argument("--device", default="cuda", choices=["cpu", "cuda"])
    training.add_argument("--out", help="the folder; runs/GAME unless it is said")
    training.add_argument("--minutes", type=float, help="of all phases together, instead of the plan's")
    training.add_argument("--weights", type=Path, help="a run whose weights the first phase begins with")
    training.add_argument("--keep", type=Path, help="a folder for what is worth keeping")
    training.add_argument("--seed", type=int, default=0)
    training.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="settings of all phases")
    measuring = commands.add_parser("measure", help="measure a network on the processor")
    measuring.add_argument("game", choices=list(MEASURED))
    measuring.add_argument("--file", help="its file; the package's, unless it is said")
    measuring.add_argument("--games", type=int, default=20, help="games of each match")
    measuring.add_argument("--positions", type=int, default=300, help="of each stage of Connect Four")
    measuring.add_argument("--seconds", type=float, default=1.0, help="how long both sides think")
    measuring.add_argument("--only", nargs="+", help="rows whose name has one of these words")
    measuring.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.command == "train":
        train(options)
    else:
        measure(options)


def train(options: argparse.Namespace) -> None:
    """Go through the phases."""
    plan, out = PLANS[options.game], Path(options.out or f"runs/{options.game}")
    more = {name: json.loads(value) for name, _, value in (text.partition("=") for text in options.set)}
    scale = options.minutes / sum(phase.minutes for phase in plan.phases) if options.minutes else 1.0
    weights = options.weights
    for number, phase in enumerate(plan.phases, 1):
        folder, minutes = out / f"phase-{number}", scale * phase.minutes
        settings = {**phase.settings, **more, "seed": options.seed + number}
        if not is_done(folder, minutes):
            print(f"{plan.game}, phase {number}: {minutes:.2f} minutes, {settings}", flush=True)
            found = learn(
                plan.game, minutes, device=options.device, out=folder, watch=Told(), weights=weights, **settings
            )
            print(f"{found.games:,} games, {found.positions:,} positions, {found.seconds:.0f} s", flush=True)
        if options.keep:
            kept(folder, options.keep, options.game, number)
        weights = folder
    shutil.copy(folder / "network.onnx", out / "network.onnx")


def is_done(folder: Path, minutes: float) -> bool:
    """Whether a phase has had its minutes."""
    state = folder / "state.json"
    return state.exists() and json.loads(state.read_text())["seconds"] >= 60 * minutes


def kept(folder: Path, keep: Path, game: str, number: int) -> None:
    """Copy what is worth keeping of a phase: its network and log, and of the newest one what goes on elsewhere."""
    keep.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / "network.onnx", keep / f"{game}-{number}.onnx")
    shutil.copy(folder / "log.jsonl", keep / f"{game}-{number}-log.jsonl")
    for old in keep.glob("weights-*.npz"):
        old.unlink()
    weights = json.loads((folder / "state.json").read_text())["files"]["weights"]
    for name in ("state.json", weights):
        shutil.copy(folder / name, keep)


class Told:
    """Prints how far a run is, now and then."""

    def __init__(self, every: float = 15.0) -> None:
        self._every, self._last = every, 0.0

    def __call__(self, now: Any) -> None:
        if now.losses is None or time.monotonic() - self._last < self._every:
            return
        self._last = time.monotonic()
        print(
            f"{now.seconds:5.0f} s: {now.games:,} games, {now.positions_a_second:,.0f} positions/s, "
            f"{now.steps:,} steps, losses {now.losses.policy:.4f} {now.losses.value:.4f}",
            file=sys.stderr,
            flush=True,
        )


if __name__ == "__main__":
    main()
