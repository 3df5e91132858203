"""Seeds and generators for many things at once, as rng.py gives each of them. Start at seeds_of and rngs_of.

It is the hash of NumPy's SeedSequence (M. E. O'Neill 2015, "Developing a seed_seq alternative"), done for whole arrays:
a SeedSequence for each of a hundred thousand trees takes seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ponderosa.core.rng import HALF, LOW_HALF, MULTIPLIER

Words = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.uint64]

POOL = 4
"""Words in which a seed is mixed. Missing ones count as zeros."""
INTO_POOL, OUT_OF_POOL = (0x43B0D7E5, 0x931E8875), (0x8B51F9DD, 0x58F38DED)
"""What a hash begins with, and what that is multiplied by at every step."""
LEFT, RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
SHIFT = np.uint32(16)


def seeds_of(seeds: int | Numbers, indices: npt.NDArray[np.int64]) -> Numbers:
    """`seed_of` for each index, below 2**32: of one seed, or each of its own."""
    index = indices.astype(np.uint32)
    if isinstance(seeds, np.ndarray):
        low, high = _halves(seeds)
        short = high == 0  # a small number has one word, and the index is the next
        columns = [low, np.where(short, index, high), np.where(short, np.uint32(0), index)]
    else:
        words = [int(seeds) >> shift & int(LOW_HALF) for shift in range(0, max(int(seeds).bit_length(), 1), 32)]
        columns = [*(np.full(len(index), word, np.uint32) for word in words), index]
    low, high = _state(_mixed(columns), 2)
    return low.astype(np.uint64) | high.astype(np.uint64) << HALF


def rngs_of(seeds: Numbers) -> npt.NDArray[np.uint64]:
    """`new_rng` for each seed, a row each."""
    low, carry = (word.astype(np.uint64) for word in _state(_mixed(list(_halves(seeds))), 2))
    carry %= MULTIPLIER - np.uint64(1)
    return (carry << HALF | np.maximum(low, np.uint64(1)))[:, np.newaxis]


def _halves(numbers: Numbers) -> tuple[Words, Words]:
    return (numbers & LOW_HALF).astype(np.uint32), (numbers >> HALF).astype(np.uint32)


class _Hash:
    """Scrambles one array of words after the other, each in another way."""

    def __init__(self, first: int, factor: int) -> None:
        self._now, self._factor = first, factor

    def __call__(self, words: Any) -> Words:
        words = words ^ np.uint32(self._now)
        self._now = self._now * self._factor & 0xFFFFFFFF
        words = words * np.uint32(self._now)
        scrambled: Words = words ^ words >> SHIFT
        return scrambled


def _mixed(columns: Sequence[Words]) -> list[Words]:
    """The pool, from the words of each seed."""
    scrambled = _Hash(*INTO_POOL)
    filled = [*columns, *[np.zeros(len(columns[0]), np.uint32)] * (POOL - len(columns))]
    pool = [scrambled(words) for words in filled[:POOL]]
    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                pool[target] = _joined(pool[target], scrambled(pool[source]))
    for words in filled[POOL:]:
        for target in range(POOL):
            pool[target] = _joined(pool[target], scrambled(words))
    return pool


def _joined(one: Words, other: Words) -> Words:
    both: Any = LEFT * one - RIGHT * other
    joined: Words = both ^ both >> SHIFT
    return joined


def _state(pool: Sequence[Words], count: int) -> list[Words]:
    """Words that follow from a pool, at most as many as it has."""
    scrambled = _Hash(*OUT_OF_POOL)
    return [scrambled(words) for words in pool[:count]]
