"""A network for a game by self-play (Gumbel AlphaZero, Danihelka et al. 2022), in one call. Start at learn.

DIR/network.onnx   the best network so far, for `net:file=DIR/network.onnx`
DIR/log.jsonl      losses, speeds and gates, a line each
DIR/report.html    the same with figures
DIR/state.json     the last checkpoint, with the files that it names
DIR/now.json       what it is doing; showing.py has what else is shown while it goes on
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ponderosa.core.field_texts import with_field_texts
from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.errors import GameError, SettingError, unknown
from ponderosa.forest.card import check_card
from ponderosa.learning.checkpoints import Folder, made
from ponderosa.learning.cluster import on_cluster
from ponderosa.learning.report import write_report
from ponderosa.learning.run import Plan, Run, Watch
from ponderosa.learning.settings import LearnSettings, settled
from ponderosa.learning.showing import alone
from ponderosa.learning.watching import FOLDER, NETWORK, folder_name
from ponderosa.networks.conduct import conduct
from ponderosa.networks.extras import need
from ponderosa.registry import load_game

MINUTES = 10.0
"""How long is learned when nothing is said."""
DEVICES = ("cpu", "cuda")


@with_field_texts
@dataclass(frozen=True)
class Learned:
    """What a run of learning has come to."""

    folder: Path
    network: Path
    """The best network, as a file: `net:file=...` plays with it."""
    seconds: float
    """How long was learned, in all runs together."""
    games: int
    positions: int
    gates: tuple[Mapping[str, Any], ...]
    """What each gate has shown, as log.jsonl has it."""
    interrupted: bool = False


def learn(
    game: str | Game,
    minutes: float | None = None,
    games: int | None = None,
    *,
    device: str = "cpu",
    out: str | Path | None = None,
    watch: Watch | None = None,
    settings: LearnSettings | None = None,
    cluster: str | None = None,
    weights: str | Path | None = None,
    **more: Any,
) -> Learned:
    """Train a network for a game by self-play, for so many minutes or games of it; for ten minutes, if nothing is said.

    `out` is a folder, begun anew or gone on with: minutes and games are those of all runs together. Settings are the
    fields of LearnSettings: `learn("connect4", minutes=20, simulations=64)`. On a `cluster`, local:N or tcp://HOST:PORT,
    each of its threads plays at so many tables, and training and gates are here. `watch` is called with how far it is.
    A new folder begins with the `weights` of another run's folder, of which state.json and the file of weights are
    enough. The agent `net:file=...`, with the file that `learn(...).network` names, plays with what was learned.
    """
    rules = load_game(game) if isinstance(game, str) else game
    given, plan = LearnSettings.of(settings, more), _plan(minutes, games)
    check_game_fits(rules, device)
    other = None if weights is None else Folder.begun(Path(weights).expanduser())
    with at_device(device):
        place = folder_of(rules, out)
        with alone(made(place)):
            folder, whole = _opened(rules, given, device, place)
            groups = _groups(folder, cluster)
            with contextlib.ExitStack() as stack:
                players = None if cluster is None else stack.enter_context(on_cluster(cluster, groups))
                run = Run(rules, given, whole, device, folder, watch or _unwatched, players=players)
                if other is not None and folder.state is None:
                    run.begin_with(other)
                return _learned(run, plan)


def _unwatched(now: Any) -> None:
    """Nobody looks."""


def check_game_fits(game: Game, device: str) -> None:
    """Refuse, in words, what self-play of this kind cannot learn."""
    if not isinstance(game, Game) or game.dtype is None:
        raise GameError("only a Game with a dtype is learned: its rules are compiled, and a network sees its fields")
    if game.hidden or game.simultaneous:
        what = "hidden information" if game.hidden else "simultaneous moves"
        raise GameError(f"{game.title()} has {what}: self-play with one tree a position learns games that all see")
    if not (math.isfinite(game.min_utility) and math.isfinite(game.max_utility)):
        raise GameError(f"{game.title()} has scores without bounds: give it min_utility and max_utility")
    if game.players > 2 and device == "cuda":
        raise SettingError(
            f"{game.title()} has {game.players} players, whose values are told apart on device='cpu' only"
        )


def _plan(minutes: float | None, games: int | None) -> Plan:
    if minutes is not None:
        check_number("minutes", minutes, 1e-3, 1e6)
    if games is not None:
        check_number("games", games, 1, whole=True)
    return Plan(MINUTES if minutes is None and games is None else minutes, games)


@contextlib.contextmanager
def at_device(device: str) -> Iterator[None]:
    """Whatever JAX does meanwhile is done on this device."""
    if device not in DEVICES:
        raise unknown("device", str(device), DEVICES)
    if device == "cuda":
        check_card()
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the trees need memory of the card too
    need("optax", "learn")
    jax = need("jax", "learn")
    try:
        found = jax.devices("gpu" if device == "cuda" else "cpu")[0]
    except RuntimeError as error:
        raise SettingError(f'JAX finds no card ({error}): pip install "jax[cuda12]"') from None
    with jax.default_device(found):
        yield


def folder_of(game: Game, out: str | Path | None) -> Path:
    """The folder that is named, else one for the game."""
    return Path(FOLDER) / folder_name(game) if out is None else Path(out).expanduser()


def _opened(game: Game, given: LearnSettings, device: str, path: Path) -> tuple[Folder, LearnSettings]:
    """The folder, and the settings of its run: what it was begun with, if it was begun."""
    folder = Folder(path)
    if folder.state is None:
        return folder, settled(given, game, device)
    known = folder.state["run"]
    for name, told, asked in (
        ("game", known["game"], game.spec),
        ("rules", known["rules"], conduct(game)),
        ("settings", known["given"], given.told()),
    ):
        if told != asked:
            raise SettingError(f"{path} was begun with other {name}: go on with {told!r}, or name a new folder")
    settings = LearnSettings(**known["settings"])
    own = given.network is not None and not isinstance(given.network, str)
    return folder, replace(settings, network=given.network) if own else settings


def _groups(folder: Folder, cluster: str | None) -> int | None:
    """How many groups of tables a run was begun with on a cluster; None: it begins."""
    if folder.state is None:
        return None
    groups = int(folder.state["run"].get("groups", 0))
    if (cluster is not None) != (groups > 0):
        where = "on a cluster: go on with cluster=..." if groups else "on this machine alone: go on without a cluster"
        raise SettingError(f"{folder.path} was begun {where}, or name a new folder")
    return groups


def _learned(run: Run, plan: Plan) -> Learned:
    """Run, and say what it has come to, interrupted or not."""
    interrupted = False
    try:
        run.go(plan)
    except KeyboardInterrupt:
        interrupted = True
        run.save()
    write_report(run)
    gates = tuple(entry["gate"] for entry in run.log if "gate" in entry)
    path = run.folder.path
    return Learned(path, path / NETWORK, run.seconds, run.games, run.positions, gates, interrupted)
