"""The one run of learning that a server starts at a time, in a process of its own. Start at Learner.start.

The process is `ponderosa learn`, and goes after the page where both want the processor. Its folder says how far it is,
and the file `stop` in it pauses it, whoever started it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from ponderosa.errors import FileError, LimitError, SettingError
from ponderosa.learning.showing import STOP
from ponderosa.system.files import write_text
from ponderosa.system.leaving import INTERRUPTED
from ponderosa.system.programs import Kept

CLOSING_SECONDS = 10.0
"""So long a server that ends waits for the last checkpoint; there is one of half a minute ago."""
MOST_WORDS = 2000
POLITELY = "import os; os.nice(10) if hasattr(os, 'nice') else None; from ponderosa.__main__ import main; main()"


class Learner:
    """Starts runs, and pauses them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: Kept | None = None
        self._closed = False
        self.path: Path | None = None
        """The folder of the run that was started last."""
        self.trouble = ""
        """Why it ended before its time."""

    @property
    def running(self) -> Path | None:
        """The folder of the run that was started here, and goes on."""
        process = self._process
        return self.path if process is not None and process.process.poll() is None else None

    def start(self, path: Path, game: str, minutes: float, device: str, settings: Mapping[str, Any]) -> None:
        """Begin to learn in a folder, or go on, until there are so many minutes in all."""
        with self._lock:
            if self._closed:
                raise LimitError("the server ends")
            if self.running is not None:
                raise LimitError(
                    f"{self.running.name} is learning, and this server learns one game at a time: pause it"
                )
            command = [sys.executable, "-c", POLITELY, *learn_arguments(path, game, minutes, device, settings)]
            said = tempfile.TemporaryFile()  # noqa: SIM115  the thread that waits reads it, and closes it
            self._process = Kept(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
            self.path, self.trouble = path, ""
            threading.Thread(target=self._wait, args=(self._process, said), name="learner", daemon=True).start()

    def close(self) -> None:
        """The server ends: what runs here writes its checkpoint and ends, too."""
        with self._lock:
            self._closed = True
            process, path = self._process, self.running
        if process is None or path is None:
            return
        pause(path)
        try:
            process.process.wait(CLOSING_SECONDS)
        except (
            subprocess.TimeoutExpired
        ):  # it takes longer, as in the midst of a gate: what there was half a minute ago is kept
            process.let_go()

    def _wait(self, process: Kept, said: IO[bytes]) -> None:
        code = process.process.wait()
        with said:
            said.seek(0, os.SEEK_END)
            said.seek(max(0, said.tell() - MOST_WORDS))
            lines = said.read().decode(errors="replace").strip().splitlines()
        if code not in (0, INTERRUPTED):
            self.trouble = lines[-1] if lines else f"it ended with the code {code}"


def pause(path: Path) -> None:
    """Ask whatever learns in a folder to end; it writes a checkpoint first."""
    write_text(path / STOP, "", FileError)


def learn_arguments(path: Path, game: str, minutes: float, device: str, settings: Mapping[str, Any]) -> list[str]:
    """What a run is on the command line; settings that are None are as the game asks for."""
    told = [(name, value) for name, value in settings.items() if value is not None]
    for name, value in told:
        if isinstance(value, bool) or not isinstance(value, int | float | str) or any(c in str(value) for c in "\n\0"):
            raise SettingError(f"{name} cannot be said on a command line: go on in Python, with learn(...)")
    sets = [part for name, value in told for part in ("--set", f"{name}={value}")]
    return ["learn", game, "--minutes", f"{minutes:.6g}", "--device", device, "--out", str(path), *sets]
