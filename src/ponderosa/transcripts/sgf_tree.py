"""SGF as a text: nodes with properties, of which only the main line is read. Start at main_lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ponderosa.errors import shortly
from ponderosa.transcripts.transcript import TranscriptError

Node = Mapping[str, Sequence[str]]
"""Properties by name, each with its values."""

TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:[^\]\\]|\\.)*)\])", re.DOTALL)


def main_lines(text: str) -> Iterator[list[Node]]:
    """The main line of each game of a file: the first branch everywhere."""
    nodes: list[dict[str, list[str]]] = []
    depth, branched, at, name = 0, False, max(text.find("("), 0), ""
    while at < len(text.rstrip()):
        token = TOKEN.match(text, at)
        if token is None:
            raise TranscriptError(f"this is no SGF: {shortly(text[at : at + 20].strip())} is not understood")
        at = token.end()
        mark, word, value = token.groups()
        if mark == "(":
            depth += 1
            name = ""
        elif mark == ")":
            depth, branched = depth - 1, True
            if depth < 0:
                raise TranscriptError("this is no SGF: a ) has no ( before it")
            if depth == 0:
                yield list(nodes)
                nodes, branched = [], False
                at = len(text) if text.find("(", at) < 0 else text.find("(", at)  # there may be words between games
        elif depth == 0:
            raise TranscriptError("this is no SGF: it begins with (;")
        elif mark == ";":
            name = ""
            if not branched:
                nodes.append({})
        elif word:
            name = "".join(letter for letter in word if letter.isupper())  # FF[3]: AddBlack is AB
        elif not name or not (nodes or branched):
            raise TranscriptError(f"this is no SGF: the value [{shortly(value, 20)}] belongs to no property")
        elif not branched:
            nodes[-1].setdefault(name, []).append(re.sub(r"\\(\r\n|\n\r|.)", _escaped, value, flags=re.DOTALL))
    if depth:
        raise TranscriptError("this SGF is cut off: a ) is missing at its end")


def node(**properties: str) -> str:
    """A node as text; properties without a value are left out."""
    return ";" + "".join(f"{name}[{escaped(value)}]" for name, value in properties.items() if value)


def escaped(text: str) -> str:
    """A text as a value."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def _escaped(found: re.Match[str]) -> str:
    return "" if found[1][0] in "\r\n" else found[1]
