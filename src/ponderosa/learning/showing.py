"""What a run shows while it goes on, to whoever looks into its folder. Start at Window.

DIR/now.json   what it is doing, a second old at most while it plays
DIR/game.npz   the newest game of self-play, position by position
DIR/gates/     the network of every gate, gate-1.onnx and so on; gate-0.onnx has learned nothing yet
DIR/stop       whoever makes this file ends the run, as Ctrl-C does
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ponderosa.errors import FileError, SettingError
from ponderosa.learning.checkpoints import write_arrays
from ponderosa.system.files import write_text
from ponderosa.system.lease import Lease

if TYPE_CHECKING:
    from ponderosa.learning.run import Now
    from ponderosa.learning.selfplay import Played

NOW, GAME, GATES, STOP, LOCKED = "now.json", "game.npz", "gates", "stop", "run"
DONE = "done"
NOW_SECONDS = 1.0
"""now.json is written so often, and DIR/stop looked for."""


class Window:
    """What the folder of a run shows of it."""

    def __init__(self, path: Path, facts: Mapping[str, Any], clock: Callable[[], float] = time.monotonic) -> None:
        """`facts` are those that stay: the game, the device."""
        self._path, self._facts, self._clock = path, dict(facts), clock
        self._last: float | None = None
        self.asked_to_end = False
        """Whether somebody has made DIR/stop."""

    def tell(self, now: Now, plan: Mapping[str, Any]) -> None:
        """Say how far the run is, if it is time to."""
        at = self._clock()
        if self._last is not None and at - self._last < NOW_SECONDS and now.doing != DONE:
            return
        self._last = at
        told = {key: value for key, value in asdict(now).items() if key != "measured"}
        facts = self._facts | {"process": os.getpid(), "plan": dict(plan)}
        write_text(self._path / NOW, json.dumps(facts | told))
        self.asked_to_end = self._stop_is_there()

    def look(self) -> None:
        """End what goes on, as Ctrl-C does, if somebody has asked for it."""
        if self._stop_is_there():
            raise KeyboardInterrupt

    def _stop_is_there(self) -> bool:
        return (self._path / STOP).exists()

    def show(self, played: Played | None) -> None:
        """Let the newest game be seen."""
        if played is not None:
            write_arrays(self._path / GAME, played._asdict())


def gate_file(folder: Path, number: int) -> Path:
    """Where the network of a gate is."""
    return folder / GATES / f"gate-{number}.onnx"


@contextlib.contextmanager
def alone(path: Path) -> Any:
    """Nobody else learns in the folder meanwhile."""
    lease = Lease(path / LOCKED)
    try:
        if not lease.take():
            raise SettingError(f"{path} is in use: another process learns there; name another folder, or end it")
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from None
    try:
        with contextlib.suppress(OSError):
            (path / STOP).unlink()
        yield
    finally:
        lease.give_back()
