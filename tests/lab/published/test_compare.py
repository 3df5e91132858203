"""Ours and published figures: the rules that decide whether they agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa.lab.published.compare import (
    above,
    claim_of_shares,
    compared,
    counted,
    difference,
    equal,
    inside,
    together,
)
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, PARTLY
from ponderosa.lab.sweeps.sweep import Mean

counts = st.integers(1, 400).flatmap(lambda games: st.tuples(st.integers(0, games), st.just(games)))


def test_a_draw_counts_half():
    share = counted(71, 100, draws=4)
    assert share.value == pytest.approx(0.73)
    assert (share.low, share.high) == pytest.approx((0.636, 0.809), abs=0.001)


@given(counts, counts)
def test_the_interval_of_a_difference_has_the_difference_in_it_and_turns_round_with_it(one, other):
    ours, theirs = counted(*one), counted(*other)
    low, high = difference(ours, theirs)
    assert low <= ours.value - theirs.value <= high
    assert difference(theirs, ours) == pytest.approx((-high, -low))


@pytest.mark.parametrize("share", [0.5, 0.7, 0.95])
def test_shares_that_are_the_same_are_called_different_in_about_one_comparison_of_twenty(share):
    random = np.random.default_rng(1)
    won = random.binomial((300, 100), share, size=(2000, 2))
    wrong = np.mean([compared(counted(ours, 300), counted(theirs, 100)) == DIFFERS for ours, theirs in won.tolist()])
    assert 0.02 < wrong < 0.08


def test_shares_that_are_far_apart_are_called_different():
    random = np.random.default_rng(1)
    won = random.binomial(300, (0.5, 0.7), size=(300, 2))
    right = np.mean([compared(counted(one, 300), counted(other, 300)) == DIFFERS for one, other in won.tolist()])
    assert right > 0.98


def test_few_games_tell_nothing():
    assert compared(counted(2, 4), counted(62, 100)) == OPEN
    assert compared(None, counted(62, 100)) == OPEN
    assert compared(counted(300, 500), counted(62, 100)) == AGREES


def test_more_than_half_is_surely_more_surely_less_or_neither():
    assert [above(counted(wins, 100)) for wins in (70, 52, 30)] == [AGREES, OPEN, DIFFERS]
    assert above(counted(70, 100), 0.8) == DIFFERS
    assert above(None) == OPEN


def test_equally_strong_is_what_is_surely_near_half():
    assert equal(counted(1010, 2000)) == AGREES
    assert equal(counted(51, 100)) == OPEN
    assert equal(counted(1200, 2000)) == DIFFERS
    assert equal(None) == OPEN


def test_a_value_lies_in_a_range_outside_of_it_or_neither():
    assert inside(3.1, 3.3, 3.5, 3, 4) == AGREES
    assert inside(1.1, 1.2, 1.3, 3, 4) == inside(5, 6, 7, 3, 4) == DIFFERS
    assert inside(2, 2.8, 3.6, 3, 4) == OPEN


def test_verdicts_together():
    assert together([AGREES, AGREES]) == AGREES
    assert together([DIFFERS]) == together([DIFFERS, OPEN]) == DIFFERS
    assert together([AGREES, DIFFERS, OPEN]) == PARTLY
    assert together([AGREES, OPEN]) == together([]) == OPEN


def test_a_claim_says_how_many_figures_are_within_chance_and_why_the_others_are_not():
    theirs = {"first": counted(62, 100), "second": counted(50, 100)}
    claim = claim_of_shares("Scores.", {"first": counted(610, 1000), "second": counted(900, 1000)}, theirs, "Because.")
    assert claim.verdict == PARTLY
    assert claim.why == "1 of 2 within chance. Because."
    assert "second: 90.0 % (88 to 92)" in claim.ours and "first: 62.0 % (52 to 71)" in claim.original
    same = claim_of_shares(
        "Scores.",
        {name: Mean(9000, s.value, s.value - 0.01, s.value + 0.01) for name, s in theirs.items()},
        theirs,
        "Because.",
    )
    assert (same.verdict, same.why) == (AGREES, "")
