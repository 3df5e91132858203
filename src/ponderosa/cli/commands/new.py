"""`ponderosa new`: a game of your own, to begin with. Start at new."""

from __future__ import annotations

import keyword
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from ponderosa.cli.console import say
from ponderosa.errors import SettingError
from ponderosa.system.files import write_text

TEMPLATES = Path(__file__).parents[1] / "templates"
"""game.txt is a game that runs, test.txt its tests."""


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the game is called, in small letters: my_game.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for both files.")] = Path(),
) -> None:
    """Write a game that runs, NAME.py, and its tests, test_NAME.py, to change into yours."""
    if not name.isidentifier() or not name.islower() or keyword.iskeyword(name):
        raise SettingError(f"{name!r} is no name of a game's file: small letters, digits and _, as in my_game")
    words = {"name": name, "Name": "".join(part.capitalize() for part in name.split("_"))}
    files = {"game.txt": out / f"{name}.py", "test.txt": out / f"test_{name}.py"}
    for path in files.values():
        if path.exists():
            raise SettingError(f"{path} is there already: take another name, or another folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    for template, path in files.items():
        write_text(path, Template((TEMPLATES / template).read_text(encoding="utf-8")).substitute(words))
    game, tests = files.values()
    spec = f"{game if game.is_absolute() else f'./{game.as_posix()}'}:{words['Name']}"
    say(f"{game} and {tests} are written. Three stones in a row win, until you change the rules:\n")
    for line in (f"ponderosa play {spec}", f"ponderosa serve {spec}", f"ponderosa check {spec}", f"pytest {tests}"):
        say(f"  {line}")
