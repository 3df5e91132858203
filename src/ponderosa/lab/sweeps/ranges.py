"""Settings that vary: `c=0.5:2.0:4`, `rollouts=1,5`. Start at read_vary."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ponderosa.core.spec import join_spec, split_spec
from ponderosa.errors import SettingError

MOST_VALUES = 1000
HELP = "write c=0.5:2.0:4 (four values from 0.5 to 2), c=0.1:10:5:log, or rollouts=1,5"

Vary = dict[str, list[str]]
"""The values of each setting, as texts of a spec."""


def read_vary(given: Iterable[str] | Mapping[str, Any]) -> Vary:
    """The values that texts such as `c=0.5:2.0:4` name, or a mapping of names to values or such texts."""
    if isinstance(given, str):
        given = [given]
    pairs = given.items() if isinstance(given, Mapping) else [named(text) for text in given]
    found: Vary = {}
    for name, values in pairs:
        if name in found:
            raise SettingError(f"{name!r} is varied twice; give all of its values at once, as in {name}=1,2,3")
        found[name] = _values(name, values)
    if not found:
        raise SettingError(f"nothing is varied: {HELP}")
    return found


def combinations(vary: Vary) -> list[dict[str, str]]:
    """Every setting of all that varies, the last one changing fastest."""
    return [dict(zip(vary, values, strict=True)) for values in itertools.product(*vary.values())]


def with_settings(agent: str, settings: Mapping[str, str]) -> str:
    """The agent's text with settings added, or in the place of its own."""
    kind, own = split_spec(agent)
    return join_spec(kind, own | dict(settings))


def as_number(text: str) -> float | None:
    """The number that a text is, if it is one."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def as_text(value: object) -> str:
    """A value as specs have it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def named(text: str, help_: str = HELP) -> tuple[str, str]:
    """A setting's name, and what is said of its values."""
    name, equals, values = text.partition("=")
    if not equals or not re.fullmatch(r"\s*[A-Za-z_]\w*\s*", name):
        raise SettingError(f"{text!r} does not say what varies: {help_}")
    return name.strip(), values.strip()


def _values(name: str, given: Any) -> list[str]:
    if isinstance(given, str):
        texts = _range(name, given) if ":" in given else [part.strip() for part in given.split(",")]
    elif isinstance(given, Sequence) or hasattr(given, "tolist"):
        texts = [as_text(value) for value in (given.tolist() if hasattr(given, "tolist") else given)]
    else:
        raise SettingError(f"{name} needs a list of values, or a text, not {given!r}: {HELP}")
    if not texts or not all(texts):
        raise SettingError(f"{name}={given} leaves a value empty: {HELP}")
    if len(set(texts)) < len(texts):
        raise SettingError(f"{name}={given} has a value twice")
    return texts


def _range(name: str, text: str) -> list[str]:
    """`FIRST:LAST:COUNT`, evenly spaced, or with `:log` by equal factors; `FIRST:LAST` counts whole numbers."""
    parts = text.split(":")
    log = parts[-1] == "log"
    numbers = [as_number(part) for part in (parts[:-1] if log else parts)]
    if len(numbers) not in (2, 3) or None in numbers:
        raise SettingError(f"{name}={text} is not a range: {HELP}")
    first, last, *more = (number for number in numbers if number is not None)
    if not more and not (first.is_integer() and last.is_integer() and not log):
        raise SettingError(f"{name}={text} does not say how many values: write {name}={text.removesuffix(':log')}:4")
    count = more[0] if more else last - first + 1
    if not first < last or not count.is_integer() or not 2 <= count <= MOST_VALUES:
        raise SettingError(f"{name}={text}: a range goes up, and has from 2 to {MOST_VALUES:,} values")
    if log and first <= 0:
        raise SettingError(f"{name}={text}: equal factors need a first value of more than 0")
    steps = [step / (count - 1) for step in range(int(count))]
    if log:
        return [as_text(first * (last / first) ** step) for step in steps]
    return [as_text(first + (last - first) * step) for step in steps]
