"""The style of boards: a file for pages, or a text for a picture that stands alone. Start at style_alone."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

STYLE = Path(__file__).with_name("board.css")
"""Colours of both themes, and boards."""


@cache
def style_alone() -> str:
    """The style in the light, with every colour in the place of its name: few programs but browsers know such names."""
    text = re.sub(r"/\*.*?\*/", "", STYLE.read_text(encoding="utf-8"), flags=re.DOTALL)
    colours = theme(text, ":root")
    text = re.sub(r":root \{.*?\}|\.body--dark \{.*?\}", "", text, flags=re.DOTALL)
    kept = re.sub(r"var\((--[\w-]+)\)", lambda found: colours.get(found[1], found[0]), text)
    return re.sub(r"\s+", " ", kept).strip()


def theme(text: str, selector: str) -> dict[str, str]:
    """The colours by name that a rule of the style sets."""
    found = re.search(re.escape(selector) + r" \{(.*?)\}", text, re.DOTALL)
    return dict(re.findall(r"(--[\w-]+): ([^;]+);", found[1])) if found else {}
