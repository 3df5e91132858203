"""Settings to tune: `c=0.1:3`, `iterations=100:5000:log`, `choose=robust,secure`. Start at Space.read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ponderosa.errors import SettingError
from ponderosa.lab.extra import need
from ponderosa.lab.sweeps.ranges import as_number, as_text, named

HELP = "write c=0.1:3, rollouts=1:8 (whole numbers), c=0.1:10:log, or choose=robust,secure"
DIGITS = 4
"""How many digits of a number are tuned: more would only be noise."""


@dataclass(frozen=True)
class Param:
    """One setting: a range of numbers, or a choice."""

    name: str
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    log: bool = False
    choices: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> Param:
        """The setting that a text describes."""
        name, values = named(text, HELP)
        if ":" not in values:
            return cls(name, choices=_choices(name, values))
        parts = values.split(":")
        log = parts[-1] == "log"
        ends = parts[:-1] if log else parts
        numbers = [as_number(end) for end in ends]
        if len(ends) != 2 or None in numbers:
            raise SettingError(f"{text} is not a range from a number to a number: {HELP}")
        low, high = (number for number in numbers if number is not None)
        if not low < high:
            raise SettingError(f"{text}: a range goes up, from the lower to the higher number")
        if log and low <= 0:
            raise SettingError(f"{text}: a logarithmic range begins above 0")
        return cls(name, low, high, not any(letter in "".join(ends) for letter in ".eE"), log)

    @property
    def width(self) -> int:
        """How many coordinates it has."""
        return len(self.choices) or 1

    def encode(self, value: Any) -> list[float]:
        """Its coordinates, from 0 to 1."""
        if self.choices:
            return [float(value == choice) for choice in self.choices]
        if self.log:
            return [math.log(value / self.low) / math.log(self.high / self.low)]
        return [(value - self.low) / (self.high - self.low)]

    def decode(self, share: float) -> Any:
        """The value at a share, from 0 to 1, of its range."""
        if self.choices:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        if self.log:
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + (self.high - self.low) * share
        if self.whole:
            return int(min(max(round(value), self.low), self.high))
        return min(max(float(f"{value:.{DIGITS}g}"), self.low), self.high)

    def distribution(self) -> Any:
        """The same for Optuna."""
        of = need("optuna", "tunings").distributions
        if self.choices:
            return of.CategoricalDistribution(self.choices)
        if self.whole:
            return of.IntDistribution(int(self.low), int(self.high), log=self.log)
        return of.FloatDistribution(self.low, self.high, log=self.log)


@dataclass(frozen=True)
class Space:
    """All settings that are tuned."""

    params: tuple[Param, ...]

    @classmethod
    def read(cls, texts: Iterable[str]) -> Space:
        """The settings that texts describe."""
        params = tuple(Param.read(text) for text in ([texts] if isinstance(texts, str) else texts))
        names = [param.name for param in params]
        if not params:
            raise SettingError(f"nothing is tuned: {HELP}")
        if len(set(names)) < len(names):
            raise SettingError(f"a setting is tuned twice: {', '.join(names)}")
        return cls(params)

    def encode(self, values: Mapping[str, Any]) -> list[float]:
        """A point of the unit cube."""
        return [share for param in self.params for share in param.encode(values[param.name])]

    def decode(self, shares: Iterable[float]) -> dict[str, Any]:
        """The values at shares of the ranges, one for each setting."""
        return {param.name: param.decode(share) for param, share in zip(self.params, shares, strict=True)}

    def draw(self, random: np.random.Generator, count: int) -> list[dict[str, Any]]:
        """Values anywhere in the space."""
        return [self.decode(row) for row in random.random((count, len(self.params)))]

    def near(
        self, values: Mapping[str, Any], random: np.random.Generator, count: int, step: float = 0.08
    ) -> list[dict[str, Any]]:
        """Values around others; a choice changes one time in five."""
        found = []
        for _ in range(count):
            shares = []
            for param in self.params:
                if param.choices:
                    at = (param.choices.index(values[param.name]) + 0.5) / len(param.choices)
                    shares.append(float(random.random()) if random.random() < 0.2 else at)
                else:
                    shares.append(float(np.clip(param.encode(values[param.name])[0] + step * random.normal(), 0, 1)))
            found.append(self.decode(shares))
        return found

    def texts(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Values as specs have them."""
        return {param.name: as_text(values[param.name]) for param in self.params}


def _choices(name: str, values: str) -> tuple[str, ...]:
    found = tuple(part.strip() for part in values.split(","))
    if len(found) < 2 or not all(found) or len(set(found)) < len(found):
        raise SettingError(f"{name}={values} gives no choice between different values: {HELP}")
    return found
