"""The file of a trained network: an ONNX model that says what it is for. Start at save and load.

What is said of a network lies in the model's metadata, as JSON: the game, what is relied on in its rules, shapes, and
how it was trained. Nothing in a file runs code: what is no plain network is refused before a runtime sees it (wire.py).
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ponderosa.core.game import Game
from ponderosa.core.observation import shape_of
from ponderosa.errors import NetworkFileError, SettingError
from ponderosa.networks.conduct import conduct
from ponderosa.networks.network import Exports, Parameters, Shape
from ponderosa.networks.player import Player, opened
from ponderosa.networks.wire import Refused, inspect, with_metadata
from ponderosa.system.files import reading, write_bytes

FORMAT = 1
KEY = "ponderosa"
"""Under this name the metadata has the description."""
MOST_BYTES = 512 * 2**20
FOLDER = Path(__file__).parent / "shipped"
"""Networks that come with the package: `connect4.onnx` of the game, `hex-7.onnx` of a game of another size."""


@dataclass(frozen=True)
class About:
    """What a file says of its network."""

    game: str
    """The game as people name it."""
    rules: str
    """What it relies on in the rules (networks/conduct.py)."""
    shape: Shape
    """What goes in and comes out."""
    network: str
    """The network and its sizes."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """How it was trained, ready for JSON: seed, command, minutes, games, steps, date."""

    @classmethod
    def of(cls, game: Game, actions: int, network: Any, training: Mapping[str, Any]) -> About:
        """The description of a network for a game."""
        return cls(game.spec, conduct(game), shape_for(game, actions), repr(network), dict(training))


def shape_for(game: Game, actions: int) -> Shape:
    """The shape of a game's networks; actions are numbers below `actions`."""
    return Shape(shape_of(game), int(actions), game.players)


def save(path: str | Path, network: Exports, params: Parameters, about: About) -> None:
    """Write a trained network, whole or not at all."""
    if not isinstance(network, Exports):
        raise SettingError(f"{network!r} has no export(params, shape), and cannot be written to a file")
    write_model(path, network.export(params, about.shape), about)


def write_model(path: str | Path, model: bytes, about: About) -> None:
    """Write an ONNX model, made by whatever made it, with the description; one that could not be played is refused."""
    try:
        checksum = inspect(model).checksum
    except Refused as error:
        raise NetworkFileError(f"this model cannot be written as a network: {error}") from None
    text = json.dumps({"format": FORMAT, "checksum": checksum, **asdict(about)}, sort_keys=True)
    write_bytes(Path(path), with_metadata(model, KEY, text), NetworkFileError)


def load(path: str | Path, game: Game, threads: int = 1) -> Player:
    """The network of a file, ready to judge positions of the game; whatever is wrong with it is said in words.

    It is asked on so many threads. A file is opened once, however many agents play with it.
    """
    place = Path(path).expanduser()
    about, model = read(place)
    if about.shape.observation != shape_of(game) or about.shape.players != game.players:
        raise NetworkFileError(f"{place} is a network of {about.game}, and does not see what {game.spec} shows")
    if about.rules != conduct(game):
        what = f"other rules of {game.spec}" if about.game == game.spec else f"{about.game}, not {game.spec}"
        raise NetworkFileError(f"{place} was trained for {what}" + (" than there are now" if "other" in what else ""))
    return opened(place, model, about.shape, threads)


def read(path: Path) -> tuple[About, bytes]:
    """What a file says of its network, and the model, if it is whole."""
    try:
        stamp = path.stat()
        return _read(path, stamp.st_mtime_ns, stamp.st_size)
    except OSError as error:
        raise NetworkFileError(f"cannot read {path}: {error.strerror or error}") from None
    except Refused as error:
        raise NetworkFileError(f"{path} is not a network: {error}") from None


@functools.lru_cache(maxsize=8)
def _read(path: Path, changed: int, size: int) -> tuple[About, bytes]:
    if size > MOST_BYTES:
        raise Refused(f"it has {size:,} bytes, and never more than {MOST_BYTES:,}")
    with reading(path) as file:
        model = file.read(MOST_BYTES + 1)
    found = inspect(model)
    if KEY not in found.metadata:
        raise Refused("it does not say for which game; networks.file.write_model() adds what is missing")
    return _described(found.metadata[KEY], found.checksum), model


def _described(text: str, checksum: str) -> About:
    try:
        told = json.loads(text)
        if told["format"] != FORMAT:
            raise Refused(f"it has format {told['format']!r}, and this version reads format {FORMAT}")
        if told["checksum"] != checksum:
            raise Refused("it is damaged: its checksum does not fit")
        shape = Shape(tuple(told["shape"]["observation"]), told["shape"]["actions"], told["shape"]["players"])
        return About(str(told["game"]), str(told["rules"]), shape, str(told["network"]), dict(told["training"]))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Refused(f"it is damaged: its description cannot be read ({type(error).__name__})") from None


def found(name: str | None, game: Game) -> Path:
    """The file that is meant: a path, the name of a network that comes with the package, or the game's own."""
    if name is not None:
        shipped = FOLDER / f"{name}.onnx"
        return shipped if shipped.parent == FOLDER and shipped.is_file() else Path(name).expanduser()
    own = shipped_for(game)
    if own is None:
        raise SettingError(
            f"no network of {game.spec} comes with the package: train one, ponderosa learn {game.title()}, "
            "and name its file, net:file=..."
        )
    return own


def shipped() -> list[Path]:
    """All networks that come with the package."""
    return sorted(FOLDER.glob("*.onnx"))


def shipped_for(game: Game) -> Path | None:
    """The network of a game that comes with the package; a game of several sizes may have one for each of some."""
    if game.viewed or game.dtype is None:
        return None
    for path in (FOLDER / f"{game.title()}.onnx", *sorted(FOLDER.glob(f"{game.title()}-*.onnx"))):
        if path.is_file() and read(path)[0].shape.observation == shape_of(game):
            return path
    return None
