"""Random numbers for rules and phases, the same compiled and plain. Start at below.

The generator is a multiply-with-carry of one 64-bit word whose output mixes its halves (MWC64X, D. B. Thomas,
"The MWC64X random number generator"): no step overflows 64 bits, so NumPy scalars and machine code agree to the bit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.compile.annotations import Actions, Int
from ponderosa.compile.marks import inlined
from ponderosa.core.numbers import check_bits

Rng = npt.NDArray[np.uint64]
"""The generator's state: an array of one 64-bit word, changed in place by every draw."""

MULTIPLIER = np.uint64(4294883355)
LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
SEED_BITS = 128
STUCK = (0, (int(MULTIPLIER) << 32) - 1)
"""The two states that the generator never leaves."""


def check_seed(seed: object) -> None:
    """Refuse what is no seed."""
    check_bits("seed", seed, 0, SEED_BITS, whole=True)


def new_rng(seed: int) -> Rng:
    """A generator whose whole sequence follows from the seed."""
    words = np.random.SeedSequence(seed).generate_state(2, np.uint32)
    low, carry = int(words[0]), int(words[1]) % (int(MULTIPLIER) - 1)
    return np.array([(carry << 32) | (low or 1)], dtype=np.uint64)


def seed_of(seed: int, index: int) -> int:
    """The seed of a further generator beside the one of a seed."""
    return int(np.random.SeedSequence([seed, index]).generate_state(1, np.uint64)[0])


@inlined
def bits(rng: Rng) -> Any:
    """The next 32 random bits."""
    low = rng[0] & LOW_HALF
    carry = rng[0] >> HALF
    rng[0] = MULTIPLIER * low + carry
    return low ^ carry


@inlined
def below(rng: Rng, n: Int) -> Any:
    """A random integer in 0 .. n-1."""
    return np.int64((bits(rng) * np.uint64(n)) >> HALF)


@inlined
def uniform(rng: Rng) -> Any:
    """A random number in [0, 1)."""
    return np.float64(bits(rng)) * 2.0**-32


# Texts inside compiled functions are part of what names rules, by which saved trees know theirs: help has more to say.
below.__doc__ = """A random integer in 0 .. n-1, each as likely as the others.

For rules and phases, which get the random numbers as `rng`: `stones[below(rng, len(stones))]`.
"""
uniform.__doc__ = "A random number in [0, 1), from the random numbers that rules and phases get as `rng`."


def gamma(rng: Rng, shape: float) -> Any:
    """A random number with the gamma distribution of a shape of at least 1.

    (Marsaglia & Tsang 2000, "A simple method for generating gamma variables".)
    """
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        # a normal variable by the method of Box and Muller
        x = math.sqrt(-2.0 * math.log(1.0 - uniform(rng))) * math.cos(2.0 * math.pi * uniform(rng))
        v = (1.0 + c * x) ** 3
        if v > 0.0 and math.log(1.0 - uniform(rng)) < 0.5 * x * x + d - d * v + d * math.log(v):
            return d * v


def shuffle(rng: Rng, items: Actions, length: Int) -> None:
    """Put the first `length` items into random order."""
    for last in range(length - 1, 0, -1):
        other = below(rng, last + 1)
        kept = items[last]
        items[last] = items[other]
        items[other] = kept
