"""Texts that name a thing with settings, `mcts:seconds=1,c=1.4`: read and written. Start at split_spec."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ponderosa.core.errors import SettingError

_COMMA = re.compile(r',(?=[^"]*(?:"[^"]*"[^"]*)*$)')
"""A comma with an even number of quotation marks behind it: one that is not within quotes."""


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """`NAME:key=value,key=value` as a name and its settings; a piece without `=` belongs to the value before it.

    A value in double quotes may have commas: `engine:cmd="other --board 15,15",seconds=2`.
    """
    head, colon, tail = spec.strip().partition(":")
    if head.endswith(".py") and colon:  # the class in a file comes first: ./nim.py:Nim:heaps=1,2
        name, colon, tail = tail.partition(":")
        head = f"{head}:{name}"
    settings: dict[str, str] = {}
    last = None
    if tail.count('"') % 2:
        raise SettingError(f"a quotation mark is missing in {spec!r}")
    for piece in _COMMA.split(tail) if tail.strip() else []:
        key, equals, value = piece.partition("=")
        if equals:
            last = key.strip()
            if last in settings:
                raise SettingError(f"{spec!r} gives {last!r} twice")
            settings[last] = _without_quotes(value.strip())
        elif last is not None:
            settings[last] += f",{piece.strip()}"
        else:
            raise SettingError(f"{piece!r} in {spec!r} is not of the form key=value; write NAME:key=value,key=value")
    return head.strip(), settings


def join_spec(kind: str, settings: Mapping[str, str]) -> str:
    """The text that `split_spec` reads so."""
    return kind + ":" * bool(settings) + ",".join(f"{name}={_quoted(text)}" for name, text in settings.items())


def _without_quotes(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _quoted(text: str) -> str:
    return f'"{text}"' if "," in text or " " in text else text
