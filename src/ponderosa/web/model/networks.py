"""The trained networks that a person can choose for a game on the page. Start at networks_for."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ponderosa.core.game import Game
from ponderosa.core.observation import shape_of
from ponderosa.core.spec import join_spec, split_spec
from ponderosa.errors import PonderosaError
from ponderosa.learning.watching import NETWORK, runs
from ponderosa.networks.file import found, read, shipped_for

NET = "net"


def networks_for(game: Any, own_agents: Iterable[str], folder: Path | None) -> dict[str, str]:
    """Agents with a network that knows a game, by their text, and what they are called.

    Its own, which comes with the package; those that whoever started the server named; those of the runs in `folder`.
    """
    if find_spec("onnxruntime") is None or not isinstance(game, Game) or game.dtype is None or game.viewed:
        return {}
    known = {NET: "Network"} if shipped_for(game) is not None else {}
    for text in own_agents:
        kind, settings = split_spec(text)
        if kind == NET and "file" in settings:
            path = found(settings["file"], game)
            known |= {text: f"Network: {path.stem}"} if _fits(path, game) else {}
    for text, path in learned(folder).items():
        known |= {text: f"Network: {path.parent.name}"} if _fits(path, game) else {}
    return known


def learned(folder: Path | None) -> dict[str, Path]:
    """The agents of the runs in a folder, and the files of their networks."""
    files = [run.path / NETWORK for run in runs(folder)] if folder is not None else []
    return {join_spec(NET, {"file": str(path)}): path for path in files if path.is_file()}


def _fits(path: Path, game: Game) -> bool:
    """Whether a file says that it is for a game of this kind and size; whoever loads it looks closer."""
    try:
        about, _ = read(path)
        same = split_spec(about.game)[0] == split_spec(game.spec)[0]
        return same and about.shape.observation == shape_of(game)
    except PonderosaError:
        return False
