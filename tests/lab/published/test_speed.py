"""Speeds: means, powers and ratios with intervals that hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa.lab.experiment import Step, Work
from ponderosa.lab.published.speed import in_turns, mean_of, power, ratio
from ponderosa.lab.sweeps.sweep import Mean, mean_time

pytest.importorskip("scipy")


def test_an_interval_of_five_measurements_has_the_mean_in_it_as_often_as_it_says():
    random = np.random.default_rng(3)
    means = [mean_of(sample) for sample in random.normal(10, 2, size=(2000, 5)).tolist()]
    assert 0.93 < np.mean([one.low <= 10 <= one.high for one in means]) < 0.97


@given(st.lists(st.floats(0.0, 1e9), min_size=1, max_size=6))
def test_what_is_never_negative_has_no_interval_that_is(values):
    found = mean_of(values)
    assert 0 <= found.low <= found.value <= found.high
    assert found.low > 0 or found.value < 1e-30


def test_two_measurements_far_apart_leave_almost_everything_open():
    found = mean_of([3.0, 17.0])
    assert 0 < found.low < 1 and found.high > 100


def test_a_time_a_move_is_never_negative():
    found = mean_time([(2, 0.001), (2, 10.0), (3, 0.001)])
    assert found is not None and 0 < found.low < found.value < found.high


def test_one_measurement_has_no_interval():
    assert mean_of([4.0]) == Mean(1, 4.0, 4.0, 4.0)


def test_a_power_is_found_again_with_an_interval_that_holds():
    random = np.random.default_rng(4)
    x = [0.1, 0.2, 0.5, 1.0, 2.0] * 3
    found = [power(x, (5 * np.power(x, 0.8) * np.exp(random.normal(0, 0.1, len(x)))).tolist()) for _ in range(500)]
    assert np.mean([one.value for one in found]) == pytest.approx(0.8, abs=0.01)
    assert 0.92 < np.mean([one.low <= 0.8 <= one.high for one in found]) < 0.98


def test_a_ratio_is_about_as_uncertain_as_its_parts():
    one = ratio(Mean(5, 200, 180, 220), Mean(5, 100, 90, 110))
    assert one.value == 2 and np.log(one.high / 2) == pytest.approx(0.1414, rel=0.01)


def test_everything_is_measured_once_a_round_and_never_again(tmp_path):
    told: list[Step] = []
    work = Work("tiny", tmp_path, watch=told.append)
    asked = {name: {"agent": name, "game": "tictactoe", "seconds": 0.01} for name in ("fast", "slow")}
    counts = in_turns(work, asked, rounds=2)
    assert [step.words.split()[2] for step in told] == ["fast", "slow", "fast", "slow"]
    assert all(len(found) == 2 for found in counts.values()) and min(counts["fast"]) > max(counts["slow"])
    assert in_turns(work, asked, rounds=2) == counts
