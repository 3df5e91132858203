"""How the tests of the arena play: one game at a time, unless they say how many."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def one_game_at_a_time() -> Iterator[None]:
    """A process for every core takes longer to start than the few games of a test."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("ponderosa.arena.running.venues.default_concurrency", lambda event: 1)
        yield
