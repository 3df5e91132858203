"""`ponderosa docs`: the documentation in the browser. Start at docs."""

from __future__ import annotations

import contextlib
import webbrowser
from typing import Annotated

import typer

from ponderosa.cli.console import say


def docs(
    page: Annotated[
        str, typer.Argument(metavar="PAGE", help="A page by its name: which, forest, reference.")
    ] = "index",
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = True,
) -> None:
    """Open the documentation, which needs no network; `serve` has it at /docs."""
    from ponderosa.system.documentation import page as found

    path = found(page)
    say(str(path))
    if open_page:
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(path.as_uri())
