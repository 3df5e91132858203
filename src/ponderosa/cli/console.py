"""The terminal: results go to stdout, messages to stderr. Start at say, complain and ask."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ponderosa.compile.cache import CacheWarning
from ponderosa.errors import VenueWarning
from ponderosa.system.files import write_bytes
from ponderosa.system.interrupts import interrupts_waiting

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from ponderosa.compile.waiting import HowFar

PATIENCE = 1.2
"""Seconds after which work gets a spinner."""


def open_streams() -> None:
    """Make sure that there is somewhere to read and write, and that no letter stops it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  for the life of the process
        if hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="replace")  # a letter that the terminal lacks becomes a ?


def tell_warnings() -> None:
    """Say what the cache and matches warn of in a sentence, without the line of code; other warnings as they are."""
    usual: Any = warnings.showwarning

    def tell(message: Any, category: Any, *where: Any, **more: Any) -> None:
        if issubclass(category, CacheWarning | VenueWarning):
            remark(f"Note: {message}.")
        else:
            usual(message, category, *where, **more)

    warnings.showwarning = tell if getattr(usual, "__name__", "") != tell.__name__ else usual


def close_output() -> None:
    """Hand over what is printed; a reader that has gone, as in `ponderosa games | head -1`, is no error to report."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text: str = "") -> None:
    """A result, exactly as it is."""
    print(text, flush=True)


def remark(text: str) -> None:
    """A message beside the results."""
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)


def complain(text: str) -> None:
    """What went wrong."""
    from rich.text import Text

    with contextlib.suppress(OSError):  # it may be the very thing that went wrong
        sys.stdout.flush()
    messages().print(Text.assemble(("Error: ", "bold red"), text), soft_wrap=True)


def messages() -> Console:
    """The console on stderr."""
    from rich.console import Console

    return Console(stderr=True)


def new_table(*columns: str, numbers: tuple[str, ...] = (), whole: tuple[str, ...] = ()) -> Table:
    """A table; the columns `numbers` are aligned to the right, and they and the columns `whole` are never broken."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(
            column,
            justify="right" if column in numbers else "left",
            no_wrap=column in numbers or column in whole,
            overflow="fold",
        )
    return table


def add_row(table: Table, *cells: object) -> None:
    """A row of texts, none of which is read as markup."""
    from rich.text import Text

    table.add_row(*(Text(str(cell)) for cell in cells))


def show(table: Table, title: str = "") -> None:
    """Print a table under its title."""
    from rich.console import Console

    if title:
        say(title)
    Console().print(table)


def show_view(view: RenderableType) -> None:
    """Print whatever rich can draw."""
    from rich.console import Console

    Console().print(view)


def show_json(value: Any) -> None:
    """Print one JSON value; what JSON does not know becomes text."""
    say(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def write_file(path: str | Path | None, content: Callable[[], str | bytes]) -> None:
    """Write a result to a file, if one is named, and say so."""
    if path is None:
        return
    made = content()
    sys.stdout.flush()  # the file may be the standard output
    write_bytes(Path(path), made if isinstance(made, bytes) else made.encode())
    remark(f"{path} is written")


def ask(prompt: str) -> str | None:
    """The line that a person types; None when there are no more, as after Ctrl-D."""
    sys.stdout.flush()
    if sys.stdin.isatty() and sys.stdout.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  arrow keys and history
        try:
            return input(prompt)
        except EOFError:
            say()
            return None
    print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


def clear() -> None:
    """Wipe the screen, and what can be scrolled back to; where there is no screen, leave some room."""
    say("\033[2J\033[3J\033[H" if sys.stdout.isatty() else "\n" * 3)


Update = Callable[[str], None]
"""Changes the words beside the spinner."""


@contextlib.contextmanager
def patience(words: str) -> Iterator[Update | None]:
    """A spinner on stderr while something takes long; on a terminal only, else None."""
    console = messages()
    if not console.is_terminal:
        yield None
        return
    from rich.text import Text

    status = console.status(Text(words))
    timer = threading.Timer(PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda more: status.update(Text(f"{words}: {more}"))
    finally:
        timer.cancel()
        timer.join()
        status.stop()


@contextlib.contextmanager
def preparing(game: str | None = None) -> Iterator[None]:
    """For work that may compile a game: a bar when it takes long, a line where there is no terminal; Ctrl-C waits."""
    ready = "getting ready" if game is None else f"getting {game} ready"
    with patience(ready) as update, telling_of_compiling(game, update), interrupts_waiting():
        yield


@contextlib.contextmanager
def telling_of_compiling(game: str | None = None, update: Update | None = None) -> Iterator[None]:
    """Meanwhile, what is compiled for a game stands beside the spinner; where there is no terminal, a line says so."""
    from ponderosa.compile.waiting import told_of_compiling

    drawn = messages().is_terminal

    def tell(far: HowFar) -> None:
        if update is not None:
            update(str(far))
        elif far.seconds is not None and not drawn:
            _say_once(f"Compiling{'' if game is None else ' ' + game}", far.seconds)

    with told_of_compiling(tell):
        yield


_said: set[str] = set()


def _say_once(what: str, seconds: float) -> None:
    """Where nothing can be drawn, a line for all that is compiled of a game, once its time can be guessed."""
    if what not in _said:
        _said.add(what)
        remark(f"{what}, once, about {seconds:.0f} s in all: what is made is kept for the next time.")
