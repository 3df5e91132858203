"""Work by all cores: in order, all of it, and what goes wrong is told."""

from __future__ import annotations

import pytest

from ponderosa.learning import pieces
from ponderosa.learning.pieces import ahead


@pytest.mark.parametrize("cores", [1, 4])
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_what_is_made_ahead_comes_in_order(count, cores, monkeypatch):
    monkeypatch.setattr(pieces, "core_count", lambda: cores)
    assert list(ahead(lambda number: number * number, count)) == [number * number for number in range(count)]


def test_what_fails_ahead_is_told_where_it_would_have_come(monkeypatch):
    monkeypatch.setattr(pieces, "core_count", lambda: 4)
    made = ahead(lambda number: 6 // (3 - number), 10)
    assert [next(made) for _ in range(3)] == [2, 3, 6]
    with pytest.raises(ZeroDivisionError):
        next(made)
