"""Numbers that people give: what is a number here, and the one message when something is not. Start at check_number."""

from __future__ import annotations

from typing import Any

from ponderosa.errors import SettingError, shortly

MOST = 1e12
"""No number that is typed is larger: far beyond all that means anything, and far below where arithmetic ends."""


def is_number(value: Any, low: float, high: float = MOST, whole: bool = False) -> bool:
    """Whether it is a number in a range, both ends included; True and False are none, and neither is NaN."""
    return not isinstance(value, bool) and isinstance(value, int if whole else int | float) and low <= value <= high


def check_number(what: str, value: Any, low: float, high: float = MOST, whole: bool = False) -> None:
    """The value is a number in a range, or the error says so."""
    if not is_number(value, low, high, whole):
        endless = high == MOST and not is_number(value, MOST, float("inf"), whole)
        limits = f"of at least {low:g}" if endless else f"from {low:g} to {high:g}"
        raise SettingError(f"{what} must be {_kind(whole)} {limits}, not {shortly(value)}")


def check_bits(what: str, value: Any, low: float, bits: int, whole: bool = False) -> None:
    """The value is a number of at least `low` that takes no more than so many bits, or the error says so."""
    if not is_number(value, low, float("inf"), whole) or value >= 2**bits:
        raise SettingError(
            f"{what} must be {_kind(whole)} of at least {low:g} and less than 2^{bits}, not {shortly(value)}"
        )


def _kind(whole: bool) -> str:
    return "a whole number" if whole else "a number"
