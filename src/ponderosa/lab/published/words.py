"""What was played, in words that follow from the specs: titles and questions are made of them. Start at board_words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ponderosa.registry import load_game

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def board_words(spec: str) -> str:
    """The board of a game of the Connect family, as in 12x12, five in a row."""
    rows, columns, line, turn, _ = _parameters(spec)
    more = "" if turn == 1 else f", {number(turn)} stones a turn"
    return f"{rows}x{columns}, {number(line)} in a row{more}"


def connect_words(spec: str) -> str:
    """The same as the literature writes it, as in Connect(13,13,6,2,1)."""
    return f"Connect({','.join(str(value) for value in _parameters(spec))})"


def number(value: int) -> str:
    """A small number as a word."""
    return NUMBERS[value] if 0 <= value < len(NUMBERS) else f"{value:,}"


def listed(values: Sequence[Any]) -> str:
    """Values one after the other, as in 10, 50 and 100."""
    texts = [f"{value:,}" if isinstance(value, int) else f"{value:g}" for value in values]
    return " and ".join(part for part in (", ".join(texts[:-1]), texts[-1]) if part)


def _parameters(spec: str) -> tuple[int, int, int, int, int]:
    game: Any = load_game(spec)
    return game.m, game.n, game.k, game.p, game.q
