"""Seeds and generators for many at once: what seed_of and new_rng make one by one. Start at new_rngs.

NumPy's SeedSequence hashes one seed in 15 microseconds; here its arithmetic runs over arrays. (M. E. O'Neill 2015,
"Developing a seed_seq alternative"; NumPy guarantees that the sequences stay as they are.)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations

import numpy as np
import numpy.typing as npt

from ponderosa.core.rng import HALF, MULTIPLIER

Words = npt.NDArray[np.uint32]
"""A word of 32 bits for each sequence."""
Numbers = npt.NDArray[np.uint64]
POOL = 4
FULL = 2**32


def new_rngs(seed: int, count: int) -> npt.NDArray[np.uint64]:
    """The generators of the seeds 0 .. count-1 beside a seed, a row each."""
    return rngs_of(seeds_of(seed, np.arange(count)))


def rngs_of(seeds: Numbers) -> Numbers:
    """`new_rng` of each seed, a row each."""
    low, carry = _state(_pool(_halves(seeds)), 2)
    carry = carry % np.uint64(int(MULTIPLIER) - 1)
    found: Numbers = (carry << HALF) | np.maximum(low, 1)
    return found[:, np.newaxis]


def seeds_of(seeds: int | Numbers, indices: npt.NDArray[np.int64]) -> Numbers:
    """`seed_of` for each index below 2**32: beside one seed, or beside one for each."""
    index = indices.astype(np.uint32)
    if isinstance(seeds, np.ndarray):
        low, high = _halves(seeds)
        short = high == 0  # a seed of one word: the index is the next
        words = [low, np.where(short, index, high), np.where(short, np.uint32(0), index)]
    else:
        words = [*(np.full(len(index), word, np.uint32) for word in _words_of(int(seeds))), index]
    low, high = _state(_pool(words), 2)
    found: Numbers = low | (high.astype(np.uint64) << HALF)
    return found


def _halves(numbers: Numbers) -> list[Words]:
    return [numbers.astype(np.uint32), (numbers >> HALF).astype(np.uint32)]


def _words_of(number: int) -> list[int]:
    words = [number % FULL]
    while number >= FULL:
        number //= FULL
        words.append(number % FULL)
    return words


def _powers(first: int, factor: int) -> Iterator[np.uint32]:
    """A number times a factor, again and again, in 32 bits."""
    while True:
        yield np.uint32(first)
        first = first * factor % FULL


def _scrambled(value: Words, constants: tuple[np.uint32, np.uint32]) -> Words:
    value = (value ^ constants[0]) * constants[1]
    return value ^ (value >> np.uint32(16))


def _mixed(one: Words, other: Words) -> Words:
    found: Words = np.uint32(0xCA01F9DD) * one - np.uint32(0x4973F715) * other
    return found ^ (found >> np.uint32(16))


def _pool(entropy: list[Words]) -> list[Words]:
    """What all words of the entropy have mixed into."""
    constants = pairwise(_powers(0x43B0D7E5, 0x931E8875))
    nothing = np.zeros_like(entropy[0])
    pool = [_scrambled(word, next(constants)) for word in [*entropy, *[nothing] * POOL][:POOL]]
    for source, target in permutations(range(POOL), 2):
        pool[target] = _mixed(pool[target], _scrambled(pool[source], next(constants)))
    for word in entropy[POOL:]:
        for target in range(POOL):
            pool[target] = _mixed(pool[target], _scrambled(word, next(constants)))
    return pool


def _state(pool: list[Words], words: int) -> list[Words]:
    """The first words that a pool gives."""
    constants = pairwise(_powers(0x8B51F9DD, 0x58F38DED))
    return [_scrambled(pool[place % POOL], next(constants)) for place in range(words)]
