"""Files that are there whole or not at all. Start at write_text."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ponderosa.core.errors import PonderosaError, SettingError

FOLDER = "ponderosa-lab"
"""Where reports go unless told otherwise: a folder here, with a folder for each."""


def write_text(path: Path, text: str) -> None:
    """Write beside its place, then put it there."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write beside its place, then put it there."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise PonderosaError(f"{path} cannot be written: {error.strerror or error}") from None


def check_name(name: str) -> None:
    """A name that every system takes for a file."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise SettingError(f"a name of a file has small letters, digits, - and _, not {name!r}")
