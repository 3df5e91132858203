"""Files that show a search: its tree as a picture, its iterations as lines. Start at Drawing."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ponderosa.cli.console import remark, write_file
from ponderosa.errors import SettingError, TreeFileError

if TYPE_CHECKING:
    from ponderosa.mcts.report.report import Report

SUFFIXES = (".svg", ".dot", ".gv")


@dataclass(frozen=True)
class Drawing:
    """A picture of the tree that is asked for."""

    path: Path
    depth: int
    min_visits: int | None
    """None: a fiftieth of the search, which leaves a picture that can be read."""

    def check(self) -> None:
        """Say before the search, not after it, that it cannot be drawn."""
        if self.path.suffix.lower() not in SUFFIXES:
            raise SettingError(f"--graph writes .svg, or .dot for Graphviz, and not {self.path.name!r}")
        check_folder(self.path)

    def draw(self, report: Report) -> None:
        """Write the picture."""
        write_file(self.path, lambda: self._content(report))

    def _content(self, report: Report) -> str:
        least = max(report.iterations // 50, 1) if self.min_visits is None else self.min_visits
        if self.path.suffix.lower() != ".svg":
            return report.to_graphviz(self.depth, least)
        from ponderosa.pictures.tree import tree_svg

        return tree_svg(report.top(self.depth, least))


@contextlib.contextmanager
def trace_to(path: Path | None) -> Iterator[Callable[[dict[str, Any]], None] | None]:
    """Writes one line of JSON for every dict that it is given, each at once and whole; without a path, nothing."""
    if path is None:
        yield None
        return
    lines = 0
    file = _opened(path)

    def write(entry: dict[str, Any]) -> None:
        nonlocal lines
        try:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        except OSError as error:  # within the search it would look like a fault of the game
            raise TreeFileError(f"cannot write {path}: {error.strerror or error}") from None
        lines += 1

    try:
        yield write
    finally:
        with contextlib.suppress(OSError):  # every line was written at once; one that could not be was told of
            file.close()
    remark(f"{path} is written: {lines:,} iterations")


def check_folder(path: Path) -> None:
    """There is a folder to write the file to."""
    if not path.absolute().parent.is_dir():
        raise TreeFileError(f"cannot write {path}: there is no folder {path.parent}")


def _opened(path: Path) -> Any:
    try:
        return path.open("w", encoding="utf-8", buffering=1)
    except OSError as error:
        raise TreeFileError(f"cannot write {path}: {error.strerror or error}") from None
