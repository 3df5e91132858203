"""Classes and functions as pickle finds them again: by name, in a module or in a user's file. Start at portable."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ponderosa.core.user_files import FROM_FILE, module_from, module_name
from ponderosa.errors import SettingError


class InFile:
    """A stand-in for something in a user's file: what comes out of the pickle is the thing itself."""

    def __init__(self, file: str, name: str) -> None:
        self._file, self._name = file, name

    def __reduce__(self) -> Any:
        return found_in_file, (self._file, self._name)


def portable(thing: Any) -> Any:
    """The class or function, or a stand-in, that can be pickled; an error says why it cannot."""
    module, name = sys.modules.get(thing.__module__), thing.__qualname__
    in_file = thing.__module__.startswith(FROM_FILE)
    found = _inside(module, name)
    if found is None or (found is not thing and not in_file):  # a file may have been read again meanwhile
        kind = "class" if isinstance(thing, type) else "function"
        raise SettingError(
            f"{name} cannot be pickled: pickle finds a {kind} by its name, so it must stand at the top of a module "
            "(no lambda, nothing inside of a function); copy.deepcopy copies it as it is"
        )
    return InFile(str(getattr(module, "__file__", "")), name) if in_file else thing


def found_in_file(file: str, name: str) -> Any:
    """What a user's file calls so; the file is read unless it was before."""
    module = sys.modules.get(module_name(Path(file)))
    if module is None or getattr(module, "__file__", None) != file:
        module = module_from(file, "what was pickled")
    found = _inside(module, name)
    if found is None:
        raise SettingError(f"{file} has no {name!r} any more, which was pickled")
    return found


def _inside(module: Any, name: str) -> Any:
    for part in name.split("."):
        module = getattr(module, part, None)
    return module
