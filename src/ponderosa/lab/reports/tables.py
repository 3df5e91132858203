"""Tables: for the terminal, for a page, and as data (CSV, Parquet). Start at Table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ponderosa.core.field_texts import with_field_texts
from ponderosa.errors import SettingError
from ponderosa.lab.extra import need
from ponderosa.lab.reports.folder import check_name, put_bytes

if TYPE_CHECKING:
    from rich.table import Table as RichTable

SPECIAL = "\\`*[]<>|"
"""What Markdown would read as more than a letter."""


@with_field_texts
@dataclass(frozen=True, repr=False)
class Table:
    """Rows of numbers, texts and gaps (None); the data keep every digit, people are shown three."""

    name: str
    """The name of its files."""
    title: str
    columns: tuple[str, ...]
    """With units, as "time a move (s)". People see the columns "X (%)", "X low" and "X high" as one: 50 (40 to 60)."""
    rows: tuple[tuple[Any, ...], ...]

    def __post_init__(self) -> None:
        check_name(self.name)
        if len(set(self.columns)) < len(self.columns) or any(len(row) != len(self.columns) for row in self.rows):
            raise SettingError(f"the table {self.name} needs a value for each of its columns, {list(self.columns)}")

    @classmethod
    def of(cls, name: str, title: str, rows: Sequence[Mapping[str, Any]]) -> Self:
        """A table of rows that name their values; the first row has all columns."""
        columns = tuple(rows[0]) if rows else ()
        return cls(name, title, columns, tuple(tuple(row[column] for column in columns) for row in rows))

    def only(self, *columns: str) -> Table:
        """The table with some of its columns, for a narrow place."""
        places = [place for place, column in enumerate(self.columns) if column in columns]
        rows = tuple(tuple(row[place] for place in places) for row in self.rows)
        return replace(self, columns=tuple(self.columns[place] for place in places), rows=rows)

    def to_rich(self) -> RichTable:
        """For a terminal."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as Rich
        from rich.text import Text

        table = Rich(box=SIMPLE_HEAD, pad_edge=False, title=Text(self.title), title_justify="left", title_style="bold")
        columns, numeric, rows = self._for_people()
        for place, (column, number) in enumerate(zip(columns, numeric, strict=True)):
            width = max((len(row[place]) for row in rows), default=0) if number else None
            table.add_column(Text(column), justify="right" if number else "left", overflow="fold", min_width=width)
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        return table

    def to_markdown(self) -> str:
        """For a page of text."""
        columns, numeric, rows = self._for_people()
        rule = ["--:" if number else "---" for number in numeric]
        cells = [[as_markdown(cell) for cell in row] for row in (columns, *rows)]
        return "\n".join("| " + " | ".join(row) + " |" for row in (cells[0], rule, *cells[1:]))

    def to_html(self) -> str:
        """For a page."""
        columns, numeric, rows = self._for_people()
        kinds = ["number" if number else "text" for number in numeric]

        def line(tag: str, cells: Sequence[str]) -> str:
            pairs = zip(kinds, cells, strict=True)
            return "<tr>" + "".join(f'<{tag} class="{kind}">{escape(cell)}</{tag}>' for kind, cell in pairs) + "</tr>"

        body = "".join(line("td", row) for row in rows)
        return f"<table><thead>{line('th', columns)}</thead><tbody>{body}</tbody></table>"

    def __repr__(self) -> str:
        return f"Table({self.name!r}, {self.title!r})"

    def _repr_html_(self) -> str:
        """In a notebook, the table itself."""
        return self.to_html()

    def _for_people(self) -> tuple[list[str], list[bool], list[list[str]]]:
        """Titles, which columns are numbers, and cells: a value and its interval are one cell."""
        groups = []
        for place, column in enumerate(self.columns):
            ends = [f"{column.partition(' (')[0]} {end}" for end in ("low", "high")]
            if all(end in self.columns for end in ends):
                groups.append([place, *(self.columns.index(end) for end in ends)])
            elif not any(place in group for group in groups):
                groups.append([place])
        titles = [self.columns[group[0]] + (", 95 %" if len(group) > 1 else "") for group in groups]
        cells = [[_cell([row[place] for place in group]) for group in groups] for row in self.rows]
        return titles, [self._numeric(group[0]) for group in groups], cells

    def to_dicts(self) -> list[dict[str, Any]]:
        """For programs: one mapping a row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def to_csv(self) -> str:
        """For a spreadsheet."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.columns, *self.rows])
        return out.getvalue()

    def to_parquet(self) -> bytes:
        """For data frames."""
        polars = need("polars", "Parquet files")
        columns = {name: [row[place] for row in self.rows] for place, name in enumerate(self.columns)}
        out = io.BytesIO()
        polars.DataFrame(columns, strict=False).write_parquet(out)
        return out.getvalue()

    def write(self, folder: Path) -> list[Path]:
        """Both files of data."""
        as_csv, as_parquet = folder / f"{self.name}.csv", folder / f"{self.name}.parquet"
        put_bytes(as_csv, self.to_csv().encode())
        put_bytes(as_parquet, self.to_parquet())
        return [as_csv, as_parquet]

    def _numeric(self, place: int) -> bool:
        known = [row[place] for row in self.rows if row[place] is not None]
        return bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)


def with_interval(title: str, unit: str, mean: Any, factor: float = 1.0) -> dict[str, float | None]:
    """The three columns of a mean and its interval, which people see as one; None: nothing is known."""
    columns = {f"{title} ({unit})": "value", f"{title} low": "low", f"{title} high": "high"}
    return {name: None if mean is None else factor * getattr(mean, end) for name, end in columns.items()}


def _cell(values: Sequence[Any]) -> str:
    """A value, with its interval if it has one."""
    if len(values) == 1 or values[0] is None:
        return shown(values[0])
    low, high = values[1:]
    return f"{shown(values[0])} ({shown(low)} to {shown(high)})"


def shown(value: object) -> str:
    """A value as people read it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return str(value)


def as_markdown(text: str) -> str:
    """Text in which Markdown finds nothing but letters."""
    return "".join(f"\\{letter}" if letter in SPECIAL else " " if letter == "\n" else letter for letter in text)
