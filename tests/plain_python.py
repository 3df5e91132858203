"""Searches without the compiler, for tests of what is around them. Start at plainly; others import the fixtures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.helpers import loaded


@contextmanager
def plainly(plain: bool = True) -> Iterator[None]:
    """To compile a game takes seconds, a short search without it none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1" if plain else "0")
        forget()
        yield
    forget()


def forget() -> None:
    """What was made with or without the compiler, and is kept for later, is made anew."""
    loaded.cache_clear()
    for module in [module for name, module in sys.modules.items() if name.startswith("ponderosa.")]:
        for kept in vars(module).values():
            if hasattr(kept, "cache_clear") and "jit_enabled" in kept.__wrapped__.__code__.co_names:
                kept.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def in_plain_python() -> Iterator[None]:
    """All tests of a file, but those that ask for machine code."""
    with plainly():
        yield


@pytest.fixture(scope="module", autouse=True, params=["plain", pytest.param("compiled", marks=pytest.mark.slow)])
def plain_and_compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    """All tests of a file in every run without the compiler, and among the slow tests with it."""
    with plainly(request.param == "plain"):
        yield


@pytest.fixture
def compiled() -> Iterator[None]:
    """The search as a user runs it, with machine code."""
    with plainly(False):
        yield
