"""What people keep in Python files of their own: games, agents, evaluators. Start at module_from."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import types
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from ponderosa.errors import GameError, PonderosaError, UnknownNameError, unknown

FROM_FILE = "ponderosa_file_"
"""How the names of modules begin that were read from files."""


def module_name(path: Path) -> str:
    """What the module of a file is called: files of the same name in different folders are different modules."""
    return f"{FROM_FILE}{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"


def is_file(name: str) -> bool:
    """Whether a name is that of a file, or of something in it: `./nim.py`, `./nim.py:Nim`."""
    return ".py:" in name or name.endswith(".py")


def split_name(name: str) -> tuple[str, str]:
    """The file, and what of it is named, if anything."""
    file, _, inside = name.rpartition(":") if ".py:" in name else (name, "", "")
    return file, inside


class FromSource(SourceFileLoader):
    """Reads the file itself: kept byte code is taken for new if an edit is of the same second and length."""

    def get_code(self, fullname: str) -> types.CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def check_file(file: str, what: str) -> Path:
    """The path of a file that is there."""
    path = Path(file).expanduser()
    if not path.is_file():
        raise UnknownNameError(
            f"there is no file {file!r}; {what} of your own is named by its file, as in ./mine.py:Mine"
        )
    return path


def module_from(file: str, what: str) -> types.ModuleType:
    """The file as a module; `what` says what is wanted of it."""
    path = check_file(file, what)
    name = module_name(path)
    loader = FromSource(name, str(path.resolve()))
    spec = importlib.util.spec_from_file_location(name, path.resolve(), loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except PonderosaError:
        raise
    except (Exception, SystemExit) as error:  # whatever the file does wrong is its author's to know, in one line
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise GameError(f"{path}{line} cannot be loaded: {type(error).__name__}: {error}") from None
    return module


def function_in_file(name: str, what: str) -> Any:
    """A function of one's own, as in `./net.py:judge`."""
    file, inside = split_name(name)
    if not inside:
        raise UnknownNameError(f"{what} is named by its file and its name, as in ./net.py:judge, not {name!r}")
    module = module_from(file, what)
    found = {key: value for key, value in vars(module).items() if callable(value) and not key.startswith("_")}
    if inside not in found:
        raise unknown(f"{what} in {file}", inside, found)
    return found[inside]
