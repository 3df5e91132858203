"""The folder of a report: what its files are named, and how they get there. Start at put_text."""

from __future__ import annotations

import re
from pathlib import Path

from ponderosa.errors import FileError, SettingError
from ponderosa.system import files

FOLDER = "ponderosa-lab"
"""Where reports go by default: a folder here, with a folder for each."""


def put_text(path: Path, text: str) -> None:
    """Write a text, and its folder if there is none."""
    put_bytes(path, text.encode())


def put_bytes(path: Path, content: bytes) -> None:
    """Write a file, and its folder if there is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from None
    files.write_bytes(path, content)


def check_name(name: str) -> None:
    """A name that every system takes for a file."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise SettingError(f"a name of a file has small letters, digits, - and _, not {name!r}")
