"""States may be large: machine code does not grow with them."""

from __future__ import annotations

import numpy as np
import pytest

from ponderosa import CHANCE, Game, Search, below, rule
from ponderosa.compile import native
from ponderosa.compile.record_view import record_view
from ponderosa.core.rules import _lister, jit_enabled, signatures
from tests.helpers import Nim, plain

LARGE = 1_000_000 if jit_enabled() else 1000
"""As plain Python, looking at a view of so many numbers takes its time."""


class Roomy(Game):
    """Two players in turn mark one of the first nine cells of a long row, one of which is hidden."""

    hidden = chance = True
    max_actions = 9
    scratch = ("notes",)

    def __init__(self, size: int = 16) -> None:
        self.dtype = np.dtype([("player", "i1"), ("turns", "i4"), ("row", "i1", size), ("notes", "i4", size)])

    def setup(self, s):
        s.player = CHANCE

    @rule
    def current_player(s):
        return s.player

    @rule
    def chance_outcomes(s):
        yield 1, 0.5
        yield 2, 0.5

    @rule
    def legal_actions(s):
        row = s.row
        for cell in range(9):
            if row[cell] == 0:
                yield cell

    @rule
    def apply_action(s, a):
        if s.player == CHANCE:
            s.row[-1] = a
            s.player = 0
        else:
            s.row[a] = s.player + 1
            s.notes[a] += 1
            s.turns += 1
            s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return s.turns == 3

    @rule
    def returns(s):
        return (1.0, -1.0) if s.row[4] == s.row[-1] else (-1.0, 1.0)

    @rule
    def conceal(s, player):
        s.row[-1] = 0

    @rule
    def determinize(s, player, rng):
        s.row[-1] = 1 + below(rng, 2)


@pytest.mark.skipif(not jit_enabled(), reason="there is no machine code")
def test_machine_code_does_not_grow_with_the_record(monkeypatch, tmp_path):
    lengths = []
    for size in (100, 2000):
        monkeypatch.setenv("PONDEROSA_CACHE_DIR", str(tmp_path / str(size)))
        dtype = Roomy(size).dtype
        listing = _lister(Roomy.legal_actions, record_view(dtype, compiled=True))
        native.compiled(listing, signatures()["legal_actions"], scope=f"{dtype} of this test")
        lengths.append(sum(file.stat().st_size for file in (tmp_path / str(size)).rglob("*.nbc")))
    assert 0 < lengths[1] < 1.1 * lengths[0]


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [True, False])
def test_a_state_of_five_megabytes_is_searched_like_a_small_one(hidden):
    reports = []
    for size in (100, LARGE):
        game = Roomy(size) if hidden else Roomy(size).open_twin()
        state = game.new_initial_state()
        state.apply_action(2)
        reports.append(Search(game, seed=3).run(state, iterations=40))
    small, large = ([(entry.action, entry.visits) for entry in report.actions] for report in reports)
    assert small == large


class Counting(Nim):
    """Nim that counts how often it was asked, in a field that belongs to no position."""

    dtype = np.dtype([*Nim.dtype.descr, ("asked", "i4")])
    scratch = ("asked",)

    @rule
    def legal_actions(s):
        s.asked += 1
        for heap in range(8):
            for take in range(1, s.heaps[heap] + 1):
                yield heap * 100 + take
        s.asked += 100


def test_what_a_rule_that_yields_writes_into_the_state_is_there_at_both_speeds():
    for game in (Counting(), plain(Counting())):
        state = game.new_initial_state()
        state.legal_actions()
        assert state.record.asked == 101
