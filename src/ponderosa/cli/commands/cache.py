"""`ponderosa cache`: the machine code that is kept between runs, shown and removed. Start at show_cache."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import typer

from ponderosa.cli.common import AsJson
from ponderosa.cli.console import say, show_json
from ponderosa.compile.cache import BOUND, VARIABLE, cache_folder, clear, kept_in, most_bytes
from ponderosa.errors import FileError

app = typer.Typer(no_args_is_help=True, help="The machine code that is kept between runs, shown and removed.")


@app.command("show")
def show_cache(as_json: AsJson = False) -> None:
    """Show where machine code is kept, how much of it there is, and how much there may be."""
    folder = _folder()
    files, most = kept_in(folder.parent), most_bytes()
    size = sum(found.size for found in files)
    if as_json:
        show_json({"folder": str(folder), "functions": len(files), "bytes": size, "most_bytes": most})
        return
    say(f"Folder: {folder} ({VARIABLE} names another)")
    say(f"Functions: {len(files):,}, {_megabytes(size)}; at most {_megabytes(most)} are kept ({BOUND})")
    if files:
        say(f"Used longest ago: {datetime.fromtimestamp(files[0].used).isoformat(' ', 'minutes')}")


@app.command("clear")
def clear_cache() -> None:
    """Remove all machine code that is kept; what is needed is compiled again."""
    say(f"{_megabytes(clear(_folder().parent))} are removed.")


def _folder() -> Path:
    folder = cache_folder()
    if folder is None:
        raise FileError(f"no machine code is kept: its folder cannot be written; {VARIABLE} names another")
    return folder


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.1f} MB"
