"""The reports in a folder, for whoever lists and shows them; needs nothing of the extra. Start at reports."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from ponderosa.errors import UnknownNameError, unknown
from ponderosa.system.files import read_text

SUMMARY, PAGE = "report.json", "report.html"
LARGEST = 50_000_000
"""No report is larger, in bytes."""


@dataclass(frozen=True)
class Card:
    """A report as lists show it."""

    key: str
    """The name of its folder."""
    title: str
    question: str
    scale: str
    verdict: str
    figures: int
    written: float
    """Seconds since 1970."""


def reports(folder: Path) -> list[Card]:
    """All reports in a folder, the newest first; what cannot be read is left out."""
    found = [_card(summary) for summary in folder.glob(f"*/{SUMMARY}")] if folder.is_dir() else []
    return sorted((card for card in found if card), key=lambda card: (-card.written, card.key))


def page_of(folder: Path, key: str) -> str:
    """The HTML of a report; the key is one of those that `reports` lists, and nothing else is ever opened."""
    keys = [card.key for card in reports(folder)]
    if key not in keys:
        raise unknown("report", key[:100], keys)
    path = folder / key / PAGE
    try:
        return read_text(path, LARGEST)
    except (OSError, UnicodeDecodeError) as error:
        raise UnknownNameError(f"the report {key!r} cannot be read: {error}") from None


def _card(summary: Path) -> Card | None:
    try:
        said = json.loads(read_text(summary, LARGEST))
        title, question, scale, verdict = (str(said[name]) for name in ("title", "question", "scale", "verdict"))
        figures, written = len(said["figures"]), summary.stat().st_mtime
        return Card(summary.parent.name, title, question, scale, verdict, figures, written)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
